"""Which extent of which tensor a computed number is.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.passes.match import is_op
from mace_tools.graph.ir import Graph

Extent = tuple[str, int]  # a tensor, and an axis of it


def extent_of(graph: Graph, name: str, axis: int | None = None) -> Extent | None:
    """The tensor and the axis whose extent is the number in `name`, or the extent of `axis` of
    `name`; transposes are traced back, so that equal extents are equal. None: unknown."""
    if axis is None:
        found = _number(graph, name)
        if found is None:
            return None
        name, axis = found
    node = graph.producer(name)
    while node is not None:
        if is_op(node, "Transpose") and node.attr("dims"):
            axis = list(node.attr("dims"))[axis]
        elif not (is_op(node, "Identity") or is_op(node, "Reverse")):
            break
        name = node.inputs[0]
        node = graph.producer(name)
    return name, axis


def _number(graph: Graph, name: str) -> Extent | None:
    """The tensor and axis of Shape(x)[k], through casts and what leaves one number as it is."""
    node, place = graph.producer(name), 0
    while node is not None:
        if is_op(node, "Eltwise", type="MAX") and any(
                graph.const(i) is not None and not graph.const(i).any() for i in node.inputs):
            name = next(i for i in node.inputs if graph.const(i) is None)
        elif node.op in ("Cast", "Identity", "Squeeze", "Reshape", "ExpandDims"):
            name = node.inputs[0]
        elif is_op(node, "StridedSlice") and len(node.inputs) == 1 and list(
                node.attrs["strides"]) == [1] and _one(graph, node.outputs[0]):
            place += 0 if node.attr("begin_mask") & 1 else list(node.attrs["begin"])[0]
            name = node.inputs[0]
        elif is_op(node, "Slice") and len(node.inputs) == 1 and _one(graph, node.outputs[0]):
            place += list(node.attrs["starts"])[0]
            name = node.inputs[0]
        elif is_op(node, "Gather") and graph.const(node.inputs[1]) is not None:
            places = graph.const(node.inputs[1]).reshape(-1)
            if not 0 <= place < len(places):
                return None
            place, name = int(places[place]), node.inputs[0]
        elif is_op(node, "Shape"):
            rank = graph.rank(node.inputs[0])
            place += node.attr("start")
            return (node.inputs[0], place) if rank is not None and 0 <= place < rank else None
        else:
            return None
        node = graph.producer(name)
    return None


def _one(graph: Graph, name: str) -> bool:
    shape = graph.tensors[name].static_shape
    return shape in ((), (1,))
