"""Graphs of many small nodes, of each shape that could make planning quadratic.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable

import numpy as np

from mace_tools.graph.ir import Graph

SHAPE = (1, 4)


def _graph(name: str) -> Graph:
    graph = Graph(name)
    graph.add_input("x", "f32", SHAPE, "NONE")
    return graph


def _add(graph: Graph, op: str, inputs: list[str], name: str, **attrs: object) -> str:
    graph.add(op, inputs, [name], **attrs)
    graph.tensors[name].shape = SHAPE
    return name


def _abs(graph: Graph, n: int, of: str | None = None) -> list[str]:
    """Nodes of which each reads `of`, or the one before."""
    names = ["x"]
    for i in range(n):
        names.append(_add(graph, "Unary", [of or names[-1]], f"n{i}", type="ABS"))
    return names[1:]


def in_place(n: int) -> Graph:
    graph = _graph("in_place")
    graph.outputs = _abs(graph, n)[-1:]
    return graph


def residual(n: int) -> Graph:
    graph, names = _graph("residual"), ["x", "x"]
    for i in range(n):
        names.append(_add(graph, "Eltwise", names[-2:], f"n{i}", type="SUM"))
    graph.outputs = names[-1:]
    return graph


def live_together(n: int) -> Graph:
    graph = _graph("live_together")
    names = _abs(graph, n, "x")
    last = names.pop()
    for i, name in enumerate(reversed(names)):
        last = _add(graph, "Eltwise", [last, name], f"s{i}", type="SUM")
    graph.outputs = [last]
    return graph


def concat(n: int) -> Graph:
    graph = _graph("concat")
    first = _add(graph, "Unary", ["x"], "u", type="ABS")
    names = _abs(graph, n, first)
    graph.add("Concat", names, ["y"], axis=1)
    graph.tensors["y"].shape, graph.outputs = (1, 4 * n), ["y"]
    return graph


def split(n: int) -> Graph:
    graph = Graph("split")
    graph.add_input("x", "f32", (1, n), "NONE")
    names = [f"n{i}" for i in range(n)]
    graph.add("Split", ["x"], names, axis=1)
    for name in names:
        graph.tensors[name].shape = (1, 1)
    graph.add("Concat", names[::-1], ["y"], axis=1)
    graph.tensors["y"].shape, graph.outputs = (1, n), ["y"]
    return graph


def inputs(n: int) -> Graph:
    graph = Graph("inputs")
    names = [f"x{i}" for i in range(n)]
    for name in names:
        graph.add_input(name, "f32", SHAPE, "NONE")
    graph.add("Concat", names, ["y"], axis=1)
    graph.tensors["y"].shape, graph.outputs = (1, 4 * n), ["y"]
    return graph


def outputs(n: int) -> Graph:
    graph = _graph("outputs")
    graph.outputs = _abs(graph, n, "x")
    return graph


def convolutions(n: int) -> Graph:
    graph = Graph("convolutions")
    graph.add_input("x", "f32", (1, 4, 4, 4), "NHWC")
    weight = graph.add_const("w", np.full((4, 4, 3, 3), 1 / 36, np.float32), "f32")
    last = "x"
    for i in range(n):
        graph.add("Conv2d", [last, weight], [f"n{i}"], padding=1, strides=[1, 1])
        last = f"n{i}"
        graph.tensors[last].shape = (1, 4, 4, 4)
    graph.outputs = [last]
    return graph


def constants(n: int) -> Graph:
    graph = _graph("constants")
    last = graph.add_const("w", np.ones(SHAPE, np.float32), "f32")
    for i in range(n):
        last = _add(graph, "Unary", [last], f"n{i}", type="ABS")
    graph.outputs = [_add(graph, "Eltwise", ["x", last], "y", type="SUM")]
    return graph


KINDS: dict[str, Callable[[int], Graph]] = {
    made.__name__: made
    for made in (in_place, residual, live_together, concat, split, inputs, outputs, convolutions,
                 constants)}
