"""Inference of ops that give elements another shape, and of those that join or split tensors.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.convert.inference import Type, View, rule
from mace_tools.convert.inference.checks import axes_of, axis_of, broadcast, fits, product, require
from mace_tools.convert.inference.extents import numbers
from mace_tools.graph.ir import Shape


@rule("Reshape")
def reshape(v: View) -> Type:
    dims = v.ints(1, "dim")
    if dims is None:
        dims = numbers(v.graph, v.node.inputs[1])
        return v.dtype(), None if dims is None else partly_reshaped(v.shape(), dims)
    return v.dtype(), reshaped(v.shape(), dims, bool(v.attr("allow_zero")))


def reshaped(x: Shape | None, dims: list[int], allow_zero: bool = False) -> Shape:
    """The shape that Reshape's `dims` mean for an operand of shape x."""
    require(dims.count(-1) <= 1 and min(dims, default=0) >= -1,
            f"shape {dims} may hold one -1 and no other negative")
    out: list[int | None] = [d if d >= 0 else None for d in dims]
    if not allow_zero:
        require(x is None or 0 not in dims[len(x) :],
                f"shape {dims} takes more extents than x {x} has")
        out = [(x[k] if x is not None else None) if d == 0 else d for k, d in enumerate(out)]
    total = None if x is None else product(x)
    rest = product(tuple(d for k, d in enumerate(out) if dims[k] != -1))
    if total is None or rest is None:
        return tuple(out)
    if -1 in dims:
        require(rest != 0 and total % rest == 0, f"{total} elements do not divide into {dims}")
        out[dims.index(-1)] = total // rest
    else:
        require(total == rest, f"{total} elements do not fit into {dims}")
    return tuple(out)


def partly_reshaped(x: Shape | None, dims: list[int | None]) -> Shape:
    """The same where entries of `dims` may be unknown."""
    out = [x[k] if d == 0 and x is not None and k < len(x) else None if d in (-1, 0) else d
           for k, d in enumerate(dims)]
    total, missing = None if x is None else product(x), [k for k, d in enumerate(out) if d is None]
    rest = product(tuple(d for d in out if d is not None))
    if total is not None and len(missing) == 1 and rest and total % rest == 0:
        out[missing[0]] = total // rest
    return tuple(out)


@rule("Flatten")
def flatten(v: View) -> Type:
    x = v.shape()
    if x is None:
        return v.dtype(), (None, None)
    axis = v.attr("axis")
    axis = len(x) if axis == len(x) else axis_of(axis, len(x))
    return v.dtype(), (product(x[:axis]), product(x[axis:]))


@rule("ExpandDims")
def expand_dims(v: View) -> Type:
    x, axes = v.shape(), v.attr("axis")
    if x is None:
        return v.dtype(), None
    where = set(axes_of(axes, len(x) + len(axes)))
    rest = iter(x)
    return v.dtype(), tuple(1 if k in where else next(rest) for k in range(len(x) + len(axes)))


@rule("Squeeze")
def squeeze(v: View) -> Type:
    x, axes = v.shape(), v.attr("axis")
    if x is None or (not axes and None in x):
        return v.dtype(), None
    gone = set(axes_of(axes, len(x))) if axes else {k for k, d in enumerate(x) if d == 1}
    require(all(x[k] in (1, None) for k in gone), f"axes {axes} to squeeze are not all 1 in {x}")
    return v.dtype(), tuple(d for k, d in enumerate(x) if k not in gone)


@rule("Transpose")
def transpose(v: View) -> Type:
    x, dims = v.shape(), v.attr("dims")
    if x is None:
        return v.dtype(), (None,) * len(dims) if dims else None
    dims = dims or list(reversed(range(len(x))))
    require(len(dims) == len(x), f"dims {dims} must name every axis of {x} once")
    return v.dtype(), tuple(x[d] for d in axes_of(dims, len(x)))


@rule("Concat")
def concat(v: View) -> Type:
    shapes = [v.shape(i) for i in range(len(v.node.inputs))]
    known = [s for s in shapes if s is not None]
    if not known:
        return v.dtype(), None
    rank = len(known[0])
    require(all(len(s) == rank for s in known), "operands of Concat differ in rank")
    axis = axis_of(v.attr("axis"), rank)
    out: list[int | None] = []
    for k in range(rank):
        dims = [s[k] for s in known]
        fixed = {d for d in dims if d is not None}
        if k == axis:
            out.append(None if None in dims or len(known) < len(shapes) else sum(dims))
            continue
        require(len(fixed) <= 1, f"operands of Concat differ along axis {k}: {dims}")
        out.append(fixed.pop() if fixed else None)
    return v.dtype(), tuple(out)


_LEAST_ROOM = 16


@rule("Append")
def append(v: View) -> list[Type]:
    shapes = [v.shape(i) for i in range(3)]
    known = [s for s in shapes if s is not None]
    if not known:
        return [(v.dtype(), None), ("i64", (1,)), (v.dtype(), None)][: len(v.node.outputs)]
    rank = len(known[0])
    require(all(len(s) == rank for s in known), "operands of Append differ in rank")
    axis = axis_of(v.attr("axis"), rank)
    for k in set(range(rank)) - {axis}:
        dims = {s[k] for s in known if s[k] is not None}
        require(len(dims) <= 1, f"operands of Append differ along axis {k}: {dims}")
    room, past, rows = (None if s is None else s[axis] for s in shapes)
    require(room is None or past is None or past <= room, f"room {room} for {past} rows")
    total = None if past is None or rows is None else past + rows
    if room is None or total is None:
        wide = None
    else:
        wide = room if total <= room else max(total, 2 * room, _LEAST_ROOM)
    first = shapes[0] or known[0]
    types: list[Type] = [(v.dtype(), (*first[:axis], wide, *first[axis + 1:])), ("i64", (1,)),
                         (v.dtype(), (*first[:axis], total, *first[axis + 1:]))]
    return types[: len(v.node.outputs)]


@rule("Stack")
def stack(v: View) -> Type:
    x = v.shape()
    for i in range(1, len(v.node.inputs)):
        require(fits(x, v.shape(i)), f"operands of Stack differ: {x} and {v.shape(i)}")
    if x is None:
        return v.dtype(), None
    axis = axis_of(v.attr("axis"), len(x) + 1)
    return v.dtype(), (*x[:axis], len(v.node.inputs), *x[axis:])


@rule("Unstack")
def unstack(v: View) -> list[Type]:
    x, count = v.shape(), len(v.node.outputs)
    if x is not None:
        axis = axis_of(v.attr("axis"), len(x))
        require(x[axis] in (count, None), f"extent {x[axis]} does not make {count} outputs")
        x = (*x[:axis], *x[axis + 1 :])
    return [(v.dtype(), x)] * count


@rule("Split")
def split(v: View) -> list[Type]:
    x, count = v.shape(), len(v.node.outputs)
    if x is None:
        return [(v.dtype(), None)] * count
    axis, sizes = axis_of(v.attr("axis"), len(x)), v.ints(1, "sizes")
    parts = [None] * count if sizes is None else _parts(x[axis], sizes, count)
    return [(v.dtype(), (*x[:axis], s, *x[axis + 1 :])) for s in parts]


def _parts(extent: int | None, sizes: list[int], count: int) -> list[int | None]:
    """The extents into which Split divides one."""
    if not sizes:
        require(extent is None or extent % count == 0,
                f"extent {extent} does not split into {count} equal parts")
        return [None if extent is None else extent // count] * count
    what = f"sizes {sizes} do not make {count} parts of extent {extent}"
    require(len(sizes) == count and sizes.count(-1) <= 1 and min(sizes) >= -1, what)
    total = sum(s for s in sizes if s >= 0)
    if -1 not in sizes:
        require(extent in (total, None), what)
        return list(sizes)
    require(extent is None or total <= extent, what)
    return [(None if extent is None else extent - total) if s == -1 else s for s in sizes]


@rule("Expand")
def expand(v: View) -> Type:
    dims = v.ints(1, "shape")
    if dims is None:
        part = numbers(v.graph, v.node.inputs[1])
        return v.dtype(), None if part is None else broadcast(v.shape(), tuple(part))
    require(dims is None or min(dims, default=0) >= 0, f"shape {dims} has a negative extent")
    return v.dtype(), None if dims is None else broadcast(v.shape(), tuple(dims))


@rule("Tile")
def tile(v: View) -> Type:
    x, repeats = v.shape(), v.ints(1, "repeats")
    if x is None or repeats is None:
        return v.dtype(), None if x is None else (None,) * len(x)
    require(len(repeats) == len(x) and min(repeats, default=0) >= 0,
            f"repeats {repeats} must hold a number for each axis of {x}")
    return v.dtype(), tuple(None if d is None else d * r for d, r in zip(x, repeats))
