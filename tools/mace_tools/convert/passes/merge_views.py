"""Merges several Reshapes, and transposes that move no element, into one Reshape.

SPDX-License-Identifier: Apache-2.0
"""

import math
from typing import Union

from mace_tools.convert.passes.match import only_producer
from mace_tools.convert.passes.static_shapes import certain_shapes
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Graph, Node, Shape
from mace_tools.graph.permute import moves_only_ones

_VIEWS = op_schema.views()
Shapes = dict[str, Union[Shape, None]]  # by tensor, as certain_shapes gives them


def merge_views(graph: Graph) -> None:
    if not any(_is_view(node) or node.op == "Transpose" for node in graph.nodes):
        return
    shapes = certain_shapes(graph)
    for node in graph.nodes:
        if node.op == "Transpose" and "dims" in node.attrs:
            _as_reshape(shapes, node)
    for node in list(graph.nodes):
        while node in graph.nodes and _is_view(node) and _merge(graph, shapes, node):
            pass


def _is_view(node: Node | None) -> bool:
    return node is not None and node.op in _VIEWS and len(node.inputs) == 1


def _as_reshape(shapes: Shapes, node: Node) -> None:
    """Only if a single extent moves past extents of 1: extents that depend on an input's shape must
    not end up in the model. A batch of 1 may be another one in a run, so that it does not move."""
    x, y, perm = shapes.get(node.inputs[0]), shapes.get(node.outputs[0]), node.attrs["dims"]
    if x is None or y is None or not moves_only_ones(perm, x):
        return
    dims = [0 if axis == k else 1 if y[k] == 1 else -1 for k, axis in enumerate(perm)]
    moved = dims.count(-1)
    if moved == 0 or moved == 1 and perm[0] == 0:
        node.op, node.attrs = "Reshape", {"dim": dims}


def _merge(graph: Graph, shapes: Shapes, node: Node) -> bool:
    """Reads the input of the view before this one, if no other node reads that view."""
    before = only_producer(graph, node.inputs[0])
    if not _is_view(before):
        return False
    source = before.inputs[0]
    given = node.attrs.get("dim") if node.op == "Reshape" else None
    if given is None or 0 in given:
        given = _dims(shapes.get(source), shapes.get(node.outputs[0]))
    if given is None:
        return False
    graph.set_inputs(node, [source])
    graph.remove(before)
    node.op, node.attrs = "Reshape", {"dim": given}
    return True


def _dims(x: Shape | None, y: Shape | None) -> list[int] | None:
    """Reshape's attribute from x to y that names no extent: 0 keeps the batch, 1 stays, and one
    other extent is inferred. None if there is no such attribute."""
    if not x or not y or x[0] != y[0] or 0 in y:
        return None
    if x[0] is None and (None in (*x[1:], *y[1:]) or math.prod(x[1:]) != math.prod(y[1:])):
        return None
    rest = [1 if d == 1 else -1 for d in y[1:]]
    return [0, *rest] if rest.count(-1) <= 1 else None
