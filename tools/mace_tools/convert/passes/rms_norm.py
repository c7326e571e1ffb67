"""Finds RMS normalization that exporters wrote out.

SPDX-License-Identifier: Apache-2.0

    x / sqrt(mean(x * x) + epsilon)      or times the reciprocal of the root

Source: Zhang and Sennrich 2019, "Root Mean Square Layer Normalization", section 3.
"""

from mace_tools.convert.passes.match import is_op, number, plain, squared, with_number
from mace_tools.graph.ir import Graph, Node


def find_rms(graph: Graph, node: Node) -> tuple[str, Node, float] | None:
    """x, the mean of its squares, and epsilon, of a quotient or a product that is x divided by the
    root of the mean."""
    left, right = node.inputs
    if node.attrs["type"] == "DIV":
        maker = graph.producer(right)
        pairs = [(left, maker)] if is_op(maker, "Unary", type="SQRT") else []
    elif node.attrs["type"] == "PROD":
        pairs = [(x, root) for x, other in ((left, right), (right, left))
                 if (root := _inverse_root(graph, other)) is not None]
    else:
        return None
    for x, root in pairs:
        assert root is not None
        add = graph.producer(root.inputs[0])
        found = with_number(graph, add) if is_op(add, "Eltwise", type="SUM") else None
        if found is None or not plain(add):
            continue
        mean = graph.producer(found[0])
        if is_op(mean, "Reduce") and squared(graph, mean.inputs[0]) == x:
            return x, mean, float(found[1])
    return None


def _inverse_root(graph: Graph, name: str) -> Node | None:
    """The node whose operand is y, where the tensor is 1 / sqrt(y)."""
    node = graph.producer(name)
    if is_op(node, "Unary", type="RSQRT"):
        return node
    inner = None
    if is_op(node, "Unary", type="RECIPROCAL"):
        inner = graph.producer(node.inputs[0])
    elif is_op(node, "Eltwise", type="DIV") and plain(node):
        if number(graph, node.inputs[0]) == 1:
            inner = graph.producer(node.inputs[1])
    return inner if is_op(inner, "Unary", type="SQRT") else None
