"""Removes nodes that change nothing.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable

import numpy as np

from mace_tools.convert.passes.match import plain, with_constant
from mace_tools.convert.passes.static_shapes import certain_shapes
from mace_tools.graph.ir import Graph, Node, Shape
from mace_tools.graph.quantization import as_key


def remove_noops(graph: Graph) -> None:
    for node in list(graph.nodes):
        test = _TESTS.get(node.op)
        if test is None or not plain(node):
            continue
        source = test(graph, node)
        if source is not None and _quantized_alike(graph, source, node.outputs[0]):
            graph.bypass(node, source)


def _quantized_alike(graph: Graph, x: str, y: str) -> bool:
    """Whether the same values stand for the same numbers before and after a node."""
    return as_key(graph.tensors[x].quant) == as_key(graph.tensors[y].quant)


def _first(graph: Graph, node: Node) -> str:
    return node.inputs[0]


def _shape_in_all_runs(graph: Graph, node: Node) -> Shape | None:
    """The shape before and after a node that keeps it, if it does so as far as that is certain;
    extents that depend on the run are None."""
    before, after = (graph.tensors[n].static_shape for n in (node.inputs[0], node.outputs[0]))
    if before is None or before != after:
        return None
    shapes = certain_shapes(graph)
    before, after = shapes.get(node.inputs[0]), shapes.get(node.outputs[0])
    return before if before == after else None


def _view(graph: Graph, node: Node) -> str | None:
    """A view that keeps the shape in every run. At most one extent may depend on the run, as the
    others then decide that it stays the same."""
    shape = _shape_in_all_runs(graph, node)
    return node.inputs[0] if shape is not None and shape.count(None) <= 1 else None


def _repeat(graph: Graph, node: Node) -> str | None:
    """Expand and Tile: what a constant operand leaves alone stays so in every run."""
    shape = _shape_in_all_runs(graph, node)
    fixed = all(graph.tensors[n].is_const for n in node.inputs[1:])
    return node.inputs[0] if shape is not None and (fixed or None not in shape) else None


def _cast(graph: Graph, node: Node) -> str | None:
    return node.inputs[0] if graph.tensors[node.inputs[0]].dtype == node.attrs["to"] else None


def _transpose(graph: Graph, node: Node) -> str | None:
    dims = node.attr("dims")
    return node.inputs[0] if dims and list(dims) == sorted(dims) else None


def _single(graph: Graph, node: Node) -> str | None:
    return node.inputs[0] if len(node.inputs) == len(node.outputs) == 1 else None


def _pad(graph: Graph, node: Node) -> str | None:
    pads = node.attr("paddings")
    return node.inputs[0] if pads and not any(pads) else None


def _activation(graph: Graph, node: Node) -> str | None:
    return node.inputs[0]  # only reached where `plain`


def _slice(graph: Graph, node: Node) -> str | None:
    if len(node.inputs) > 1 or any(s != 1 for s in node.attr("steps")):
        return None
    whole = [s == 0 and e >= 2**31 - 1
             for s, e in zip(node.attrs["starts"], node.attrs["ends"], strict=True)]
    if all(whole):
        return node.inputs[0]
    shape, axes = _shape_in_all_runs(graph, node), node.attr("axes") or range(len(whole))
    kept = shape is not None and all(
        everything or shape[axis] is not None for everything, axis in zip(whole, axes, strict=True))
    return node.inputs[0] if kept else None


_NEUTRAL = {"SUM": 0, "SUB": 0, "PROD": 1, "DIV": 1, "POW": 1}


def _eltwise(graph: Graph, node: Node) -> str | None:
    """x + 0, x * 1 and the like, if the constant does not extend the shape."""
    kind, found = node.attrs["type"], with_constant(graph, node)
    if kind not in _NEUTRAL or found is None:
        return None
    other, array, place = found
    if place == 0 and kind not in ("SUM", "PROD") or not np.all(array == _NEUTRAL[kind]):
        return None
    before, after = graph.shape(other), graph.shape(node.outputs[0])
    return other if before is not None and before == after else None


_TESTS: dict[str, Callable[[Graph, Node], str | None]] = {
    "Activation": _activation, "Cast": _cast, "Concat": _single, "Eltwise": _eltwise,
    "Expand": _repeat, "Identity": _first, "Pad": _pad, "Reshape": _view,
    "Slice": _slice, "Split": _single, "Squeeze": _view, "Tile": _repeat,
    "Transpose": _transpose, "Flatten": _view, "ExpandDims": _view,
}  # fmt: skip
