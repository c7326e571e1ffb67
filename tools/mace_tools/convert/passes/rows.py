"""Whether a Reshape keeps the rows of a tensor: [batch, rows, features] stays apart from how the
features are divided.

SPDX-License-Identifier: Apache-2.0

Exporters compute the extents from the shape of some tensor, often another one than that which they
reshape. Both have the same batch and rows if one is made of the other, or both of a third, by nodes
that leave these extents alone. What is not proven this way is left as it is: it must be right for
every shape of the model's inputs.
"""

from mace_tools.convert.ops.common.extents import Extent, entries
from mace_tools.graph.ir import Graph, Node

_MAX_STEPS = 64
_MAX_NESTED = 2


def reshape_dims(graph: Graph, node: Node) -> list[int | Extent | None] | None:
    """The target of a Reshape: numbers, extents of tensors, or None for something else."""
    if len(node.inputs) > 1:
        return entries(graph, node.inputs[1])
    return list(node.attr("dim"))


def certain(graph: Graph, name: str, axis: int, steps: int = _MAX_STEPS) -> int | None:
    """An extent that the model fixes, whatever the shapes of its inputs are."""
    node = graph.producer(name)
    shape = graph.shape(name)
    if shape is None or steps == 0:
        return None
    axis %= len(shape)
    if graph.const(name) is not None:
        return shape[axis]
    if node is None:
        return None
    if node.op == "FullyConnected" and axis == len(shape) - 1:
        weight = graph.const(node.inputs[1])
        return None if weight is None else int(weight.shape[0])
    if node.op == "MatMul" and axis == len(shape) - 1:
        weight = graph.const(node.inputs[1])
        if weight is None or weight.ndim != 2:
            return None
        return int(weight.shape[0 if node.attr("transpose_b") else 1])
    if node.op == "Reshape":
        dims = reshape_dims(graph, node) or [None] * len(shape)
        found = dims[axis]
        if isinstance(found, Extent):
            return certain(graph, found.tensor, found.axis, steps - 1)
        return found if isinstance(found, int) and found > 0 else None
    if node.op == "Transpose":
        return certain(graph, node.inputs[0], node.attr("dims")[axis], steps - 1)
    if node.op == "Expand" and len(node.inputs) > 1:
        target = entries(graph, node.inputs[1])
        if target is not None and len(target) == len(shape) == graph.rank(node.inputs[0]):
            found = target[axis]
            return found if isinstance(found, int) and found > 1 else None
        return None
    if node.op == "Concat" and node.attr("axis") % len(shape) != axis:
        each = (steps - 1) // len(node.inputs)
        known = (certain(graph, i, axis, each) for i in node.inputs)
        return next((k for k in known if k is not None), None)
    if node.op == "Split" and node.attr("axis") % len(shape) == axis:
        sizes = node.attr("sizes")
        if len(node.inputs) > 1:
            given = graph.const(node.inputs[1])
            sizes = [] if given is None else given.tolist()
        if len(sizes) == len(node.outputs) and min(sizes) > 0:
            return int(sizes[node.outputs.index(name)])
        whole = None if sizes else certain(graph, node.inputs[0], axis, steps - 1)
        return whole // len(node.outputs) if whole else None
    if node.op in ("Eltwise", "BiasAdd", "LayerNorm"):
        for parameter in node.inputs:  # what is added along an axis fixes its extent
            array = graph.const(parameter)
            k = axis - len(shape)
            if array is not None and array.ndim >= -k and array.shape[k] > 1:
                return int(array.shape[k])
    source = _like(graph, node, name, axis)
    return None if source is None else certain(graph, source, axis, steps - 1)


def keeps_rows(graph: Graph, node: Node, x: str, axes: tuple[int, int] = (0, 1)) -> bool:
    """Whether the two extents `axes` of a Reshape's result are the batch and the rows of x, if its
    other extents together are the features of x."""
    dims = reshape_dims(graph, node)
    if dims is None or len(dims) <= max(axes):
        return False
    rows = _with_rows_of(graph, x)
    states = [_is_extent(graph, dims[a], k, x, rows, node) for k, a in enumerate(axes)]
    # The product of the extents is fixed, so that one of the two tells the other.
    return all(states) or (any(states) and any(dims[a] == -1 for a in axes))


def _is_extent(graph: Graph, entry: int | Extent | None, axis: int, x: str, rows: set[str],
               node: Node) -> bool:
    if isinstance(entry, Extent):
        if entry.tensor in rows and entry.axis == axis:
            return True
        # The shape of what is reshaped: [batch, rows, heads, depth] after a transpose.
        return (entry.tensor == node.inputs[0] and entry.axis == axis
                and graph.shape(entry.tensor) is not None)
    shape = graph.shape(x)
    if entry == 0:
        return node.inputs[0] == x or graph.rank(node.inputs[0]) == 4
    return entry is not None and entry > 0 and shape is not None and shape[axis] == entry


def _with_rows_of(graph: Graph, name: str) -> set[str]:
    """Tensors whose first two extents are those of this one."""
    found = {name}
    for _ in range(_MAX_STEPS):
        node = graph.producer(name)
        source = None if node is None else _rows_source(graph, node, name)
        if source is None:
            return found
        found.add(source)
        name = source
    return found


def _rows_source(graph: Graph, node: Node, name: str) -> str | None:
    """The operand whose first two extents the node keeps."""
    rank = graph.rank(name)
    if rank is None or rank < 2:
        return None
    if node.op == "MatMul":
        weight, x = graph.const(node.inputs[1]), node.inputs[0]
        plain = weight is not None and weight.ndim == 2 and not node.attr("transpose_a")
        return x if plain and graph.rank(x) == rank == 3 else None
    if node.op == "FullyConnected":
        return node.inputs[0] if graph.rank(node.inputs[0]) == rank == 3 else None
    if node.op in ("Gather", "GatherNd"):  # rows of a table by ids [batch, rows]
        ids = node.inputs[1]
        by_rows = graph.rank(ids) == 2 and graph.rank(node.inputs[0]) == 2 and rank == 3
        return ids if node.op == "Gather" and by_rows and node.attr("axis") == 0 else None
    if node.op == "Reshape":
        return node.inputs[0] if graph.rank(node.inputs[0]) is not None and _copies_rows(
            graph, node) else None
    return _like(graph, node, name, 0) if _like(graph, node, name, 1) else None


def _copies_rows(graph: Graph, node: Node) -> bool:
    dims = reshape_dims(graph, node)
    x = node.inputs[0]
    return dims is not None and len(dims) > 1 and graph.rank(x) in (3, 4) and all(
        d == 0 or d == Extent(x, k) for k, d in enumerate(dims[:2]))


def _like(graph: Graph, node: Node, name: str, axis: int, depth: int = _MAX_NESTED) -> str | None:
    """The operand that has the same extent `axis` as the result, of nodes that keep all extents or
    change another one only. `depth`: of products and sums within others that are looked at."""
    rank = graph.rank(name)
    if rank is None:
        return None
    if node.op in ("Activation", "Clip", "Cast", "Identity", "LayerNorm", "Softmax", "Unary",
                   "LpNorm", "BatchNorm"):
        return node.inputs[0]
    if node.op == "RotaryEmbedding":
        return node.inputs[2 + node.outputs.index(name)]
    if node.op in ("Split", "Slice", "Concat", "StridedSlice"):
        changed = node.attr("axis") if node.op in ("Split", "Concat") else None
        if changed is not None and changed % rank != axis % rank:
            return node.inputs[0]
        return None
    if node.op in ("Eltwise", "BiasAdd", "PRelu"):
        return _widest(graph, node, rank, axis, depth)
    return None


def _widest(graph: Graph, node: Node, rank: int, axis: int, depth: int) -> str | None:
    """The operand whose extent the others do not widen. A computed one may: it is taken only if the
    others are constants that have 1 there."""
    wide = [i for i in node.inputs if graph.const(i) is None]
    if len(wide) == 2 and node.op == "Eltwise":
        # x + f(x), the sum around a layer: both have the extent if one is made of the other.
        a, b = wide
        for one, other in ((a, b), (b, a)):
            if graph.rank(one) == graph.rank(other) == rank and (
                    depth > 0 and one in _chain(graph, other, axis, depth - 1)):
                return one
        return None
    if len(wide) != 1 or graph.rank(wide[0]) != rank:
        return None
    for name in node.inputs:
        array = graph.const(name)
        if array is None:
            continue
        shape = (1,) * (rank - array.ndim) + array.shape
        if len(shape) != rank or shape[axis] != 1:
            return None
    return wide[0]


def _chain(graph: Graph, name: str, axis: int, depth: int) -> set[str]:
    """Tensors with the same extent `axis`, from this one towards the inputs."""
    found = {name}
    for _ in range(_MAX_STEPS):
        node = graph.producer(name)
        if node is None:
            return found
        rank = graph.rank(name)
        if node.op in ("MatMul", "FullyConnected"):
            source = _rows_source(graph, node, name) if axis < 2 else None
        elif node.op == "Attention" and axis < 2 and rank == 3:
            source = node.inputs[0] if graph.rank(node.inputs[0]) == 3 else None
        else:
            source = _like(graph, node, name, axis, depth)
        if source is None:
            return found
        found.add(source)
        name = source
    return found
