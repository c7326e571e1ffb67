"""Finds PReLU that frameworks without such an op wrote out.

SPDX-License-Identifier: Apache-2.0

    relu(x) + alpha * (x - |x|) * 0.5        TensorFlow users
    relu(x) + (-alpha) * relu(-x)            Keras
"""

import numpy as np

from mace_tools.convert.passes.match import is_op, only_producer, plain
from mace_tools.graph.ir import Graph, Node


def prelu_pattern(graph: Graph) -> None:
    for node in list(graph.nodes):
        if graph.is_quantized(node):
            continue
        if node.op != "Eltwise" or node.attrs["type"] != "SUM" or not plain(node):
            continue
        for positive, negative in (node.inputs, reversed(node.inputs)):
            relu = only_producer(graph, positive)
            if is_op(relu, "Activation", activation="RELU"):
                alpha = _alpha(graph, negative, relu.inputs[0])
                if alpha is not None:
                    name = graph.add_const(f"{node.name}_alpha", alpha.astype(np.float32))
                    graph.set_inputs(node, [relu.inputs[0], name])
                    node.op, node.attrs = "PRelu", {}
                    break


def _alpha(graph: Graph, name: str, x: str) -> np.ndarray | None:
    """alpha, if the tensor is alpha * min(x, 0) in one of the two spellings."""
    constants, rest = _factors(graph, name)
    inner = only_producer(graph, rest[0]) if len(rest) == 1 and constants else None
    if inner is None or graph.shape(x) is None or graph.shape(x) != graph.shape(name):
        return None
    total = np.asarray(1.0)
    for c in constants:
        total = total * c
    if is_op(inner, "Eltwise", type="SUB") and plain(inner) and inner.inputs[0] == x:
        size = only_producer(graph, inner.inputs[1])
        return total * 2 if is_op(size, "Unary", type="ABS") and size.inputs == [x] else None
    if is_op(inner, "Activation", activation="RELU"):
        minus = only_producer(graph, inner.inputs[0])
        return -total if is_op(minus, "Unary", type="NEG") and minus.inputs == [x] else None
    return None


def _factors(graph: Graph, name: str) -> tuple[list[np.ndarray], list[str]]:
    """The constant and the other factors of a product of products."""
    array = graph.const(name)
    if array is not None:
        return [array.astype(np.float64)], []
    maker: Node | None = only_producer(graph, name)
    if not is_op(maker, "Eltwise", type="PROD") or not plain(maker):
        return [], [name]
    parts = [_factors(graph, i) for i in maker.inputs]
    return parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]
