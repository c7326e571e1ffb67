"""What is known of a vector of extents that a model computes from shapes.

SPDX-License-Identifier: Apache-2.0

Exporters write Reshape(x, Concat(Gather(Shape(x), 0), Gather(Shape(x), 1), 12, 64)): some entries
are numbers, others are extents of a tensor.
"""

from dataclasses import dataclass

from mace_tools.graph.ir import Graph, Node

_MAX_STEPS = 24  # from a vector to the shapes that it is computed from
_SAME = ("Cast", "ExpandDims", "Squeeze", "Identity", "Reshape", "Flatten")


@dataclass(frozen=True)
class Extent:
    """The extent `axis` (not negative) of a tensor."""

    tensor: str
    axis: int


# A number of the model, an extent, or None: something else.
Entry = int | Extent | None


def entries(graph: Graph, name: str, steps: int = _MAX_STEPS) -> list[Entry] | None:
    """The elements of a scalar or vector of integers; None if not even their number is known."""
    data = graph.const(name)
    if data is not None:
        return [int(v) for v in data.reshape(-1)] if data.ndim < 2 else None
    node = graph.producer(name)
    found = _computed(graph, node, steps - 1) if node is not None and steps > 0 else None
    if found is not None:
        return found
    shape = graph.tensors[name].static_shape
    return [None] * (shape[0] if shape else 1) if shape is not None and len(shape) < 2 else None


def _computed(graph: Graph, node: Node, steps: int) -> list[Entry] | None:
    def of(k: int) -> list[Entry] | None:
        return entries(graph, node.inputs[k], steps)

    if node.op == "Shape":
        rank = graph.rank(node.inputs[0])
        whole = None if rank is None else [Extent(node.inputs[0], k) for k in range(rank)]
        return None if whole is None else list(whole[node.attr("start") : node.attr("end")])
    if node.op in _SAME:
        return of(0)
    if node.op in ("Concat", "Stack"):
        parts = [of(k) for k in range(len(node.inputs))]
        return None if None in parts else [e for part in parts for e in part or ()]
    if node.op == "Gather":
        source, index = of(0), graph.const(node.inputs[1])
        if source is None or index is None or index.ndim > 1:
            return None
        picked = [int(i) for i in index.reshape(-1)]
        return [source[i] for i in picked] if _inside(picked, len(source)) else None
    if node.op == "Slice" and len(node.inputs) == 1:
        source = of(0)
        ends = [node.attr(a) for a in ("starts", "ends", "steps")]
        if source is None or any(len(e) != 1 for e in ends[:2]):
            return None
        return source[slice(ends[0][0], ends[1][0], (ends[2] or [1])[0])]
    return None


def _inside(index: list[int], size: int) -> bool:
    return all(-size <= i < size for i in index)


def numbers(graph: Graph, name: str) -> list[int | None] | None:
    """The same with the extents that the present input shapes fix as numbers."""
    found = entries(graph, name)
    return None if found is None else [_number(graph, e) for e in found]


def _number(graph: Graph, entry: Entry) -> int | None:
    if not isinstance(entry, Extent):
        return entry
    shape = graph.shape(entry.tensor)
    return None if shape is None else shape[entry.axis]
