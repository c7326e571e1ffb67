"""Errors to plant in converted graphs, as converters are known to make them.

SPDX-License-Identifier: Apache-2.0

Each function changes a graph and returns the node that is wrong then.
"""

from collections.abc import Callable

import numpy as np

from mace_tools.convert.shape_inference import infer_graph
from mace_tools.graph.ir import Graph, Node

Plant = Callable[[Graph], Node]


def nth(graph: Graph, op: str, k: int = 0, **attrs: object) -> Node:
    """The k-th node of an op with these attributes."""
    return [n for n in graph.nodes if n.op == op
            and all(n.attr(name) == value for name, value in attrs.items())][k]


def attribute(op: str, k: int = 0, **attrs: object) -> Plant:
    """Other attributes."""
    def plant(graph: Graph) -> Node:
        node = nth(graph, op, k)
        assert any(node.attr(name) != value for name, value in attrs.items())
        node.attrs.update(attrs)
        for inner in graph.nodes:
            for out in inner.outputs:
                graph.tensors[out].shape = None
        infer_graph(graph)
        return node
    return plant


def paddings(op: str, k: int, order: tuple[int, ...]) -> Plant:
    """The explicit paddings in another order."""
    def plant(graph: Graph) -> Node:
        found = [n for n in graph.nodes if n.op == op and n.attr("padding_values")]
        values = list(found[k].attrs["padding_values"])
        assert [values[i] for i in order] != values
        found[k].attrs["padding_values"] = [values[i] for i in order]
        return found[k]
    return plant


def weight(op: str, k: int, change: Callable[[np.ndarray], np.ndarray], operand: int = 1) -> Plant:
    """Another weight of the same shape."""
    def plant(graph: Graph) -> Node:
        node = [n for n in graph.nodes if n.op == op and n.has_input(operand)
                and graph.const(n.inputs[operand]) is not None][k]
        old = graph.const(node.inputs[operand])
        new = np.ascontiguousarray(change(old).reshape(old.shape))
        assert not np.array_equal(old, new)
        name = graph.add_const(node.inputs[operand], new)
        graph.set_inputs(node, [name if i == operand else x for i, x in enumerate(node.inputs)])
        return node
    return plant


def no_bias(op: str, k: int = 0) -> Plant:
    def plant(graph: Graph) -> Node:
        node = [n for n in graph.nodes if n.op == op and n.has_input(2)][k]
        graph.set_inputs(node, node.inputs[:2])
        return node
    return plant


def operands(op: str, k: int = 0, **attrs: object) -> Plant:
    """The operands in reverse."""
    def plant(graph: Graph) -> Node:
        node = nth(graph, op, k, **attrs)
        graph.set_inputs(node, node.inputs[::-1])
        return node
    return plant


def folded_epsilon(op: str, k: int, beta: np.ndarray, variance: np.ndarray, right: float,
                   wrong: float) -> Plant:
    """A batch normalization that was folded into a layer with another epsilon."""
    def plant(graph: Graph) -> Node:
        node = nth(graph, op, k)
        factor = np.sqrt((variance + right) / (variance + wrong))
        w, b = graph.const(node.inputs[1]), graph.const(node.inputs[2])
        new = graph.add_const("w", (w * factor.reshape(-1, 1, 1, 1)).astype(np.float32))
        shifted = graph.add_const("b", (beta + (b - beta) * factor).astype(np.float32))
        graph.set_inputs(node, [node.inputs[0], new, shifted])
        return node
    return plant
