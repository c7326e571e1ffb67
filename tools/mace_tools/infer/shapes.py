"""Inference of ops that rearrange, cut or join tensors.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math

from mace_tools.infer import Type, View, rule
from mace_tools.infer.elementwise import broadcast
from mace_tools.ir import Shape


def axis_of(axis: int, rank: int) -> int:
    """A non-negative axis. Errors: ValueError."""
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for rank {rank}")
    return axis % rank if rank else 0


def product(dims: Shape) -> int | None:
    return None if any(d is None for d in dims) else math.prod(dims)  # type: ignore[arg-type]


@rule("Reshape")
def reshape(v: View) -> Type:
    dims = v.ints(1, "dim")
    if dims is None:
        rank = v.shape(1) if v.has(1) else None
        return v.dtype(), (None,) * rank[0] if rank and rank[0] is not None else None
    return v.dtype(), reshaped(v.shape(), dims, bool(v.attr("allow_zero", 0)))


def reshaped(x: Shape | None, dims: list[int], allow_zero: bool = False) -> Shape:
    """The shape that Reshape's `dims` mean for an operand of shape x."""
    out: list[int | None] = [d if d >= 0 else None for d in dims]
    if not allow_zero:
        out = [(x[k] if x is not None else None) if d == 0 else d for k, d in enumerate(out)]
    if -1 in dims and x is not None:
        hole = dims.index(-1)
        rest = product(tuple(d for k, d in enumerate(out) if k != hole))
        total = product(x)
        if total is not None and rest:
            if total % rest:
                raise ValueError(f"{total} elements do not divide into {dims}")
            out[hole] = total // rest
    elif x is not None and product(x) not in (None, product(tuple(out))):
        if product(tuple(out)) is not None:
            raise ValueError(f"{product(x)} elements do not fit into {dims}")
    return tuple(out)


@rule("Flatten")
def flatten(v: View) -> Type:
    x = v.shape()
    if x is None:
        return v.dtype(), (None, None)
    axis = v.attr("axis", 1)
    axis = axis + len(x) if axis < 0 else axis
    return v.dtype(), (product(x[:axis]), product(x[axis:]))


@rule("ExpandDims")
def expand_dims(v: View) -> Type:
    x = v.shape()
    if x is None:
        return v.dtype(), None
    axes = v.attr("axis")
    rank = len(x) + len(axes)
    where = {axis_of(a, rank) for a in axes}
    rest = iter(x)
    return v.dtype(), tuple(1 if k in where else next(rest) for k in range(rank))


@rule("Squeeze")
def squeeze(v: View) -> Type:
    x, axes = v.shape(), v.attr("axis", [])
    if x is None or (not axes and None in x):
        return v.dtype(), None
    gone = {axis_of(a, len(x)) for a in axes} or {k for k, d in enumerate(x) if d == 1}
    if any(x[k] not in (1, None) for k in gone):
        raise ValueError(f"axes {axes} to squeeze are not all 1 in {x}")
    return v.dtype(), tuple(d for k, d in enumerate(x) if k not in gone)


@rule("Transpose")
def transpose(v: View) -> Type:
    x = v.shape()
    dims = v.attr("dims")
    if x is None:
        return v.dtype(), None if dims is None else (None,) * len(dims)
    dims = list(reversed(range(len(x)))) if dims is None else dims
    if sorted(d % len(x) for d in dims) != list(range(len(x))):
        raise ValueError(f"dims {dims} are no permutation for rank {len(x)}")
    return v.dtype(), tuple(x[d] for d in dims)


@rule("Concat")
def concat(v: View) -> Type:
    shapes = [v.shape(i) for i in range(len(v.node.inputs))]
    known = [s for s in shapes if s is not None]
    if not known:
        return v.dtype(), None
    rank = len(known[0])
    if any(len(s) != rank for s in known):
        raise ValueError("operands of Concat differ in rank")
    axis = axis_of(v.attr("axis", -1), rank)
    out: list[int | None] = []
    for k in range(rank):
        dims = [s[k] for s in known]
        fixed = {d for d in dims if d is not None}
        if k == axis:
            out.append(None if None in dims or len(known) < len(shapes) else sum(dims))
        elif len(fixed) > 1:
            raise ValueError(f"operands of Concat differ along axis {k}: {dims}")
        else:
            out.append(fixed.pop() if fixed else None)
    return v.dtype(), tuple(out)


@rule("Stack")
def stack(v: View) -> Type:
    x = v.shape()
    if x is None:
        return v.dtype(), None
    axis = axis_of(v.attr("axis", 0), len(x) + 1)
    return v.dtype(), (*x[:axis], len(v.node.inputs), *x[axis:])


@rule("Unstack")
def unstack(v: View) -> list[Type]:
    x = v.shape()
    if x is not None:
        axis = axis_of(v.attr("axis", 0), len(x))
        x = (*x[:axis], *x[axis + 1 :])
    return [(v.dtype(), x)] * len(v.node.outputs)


@rule("Split")
def split(v: View) -> list[Type]:
    x, count = v.shape(), len(v.node.outputs)
    if x is None:
        return [(v.dtype(), None)] * count
    axis = axis_of(v.attr("axis", 0), len(x))
    sizes: list[int | None] | None = v.ints(1, "sizes") or None
    if sizes is None:
        whole = x[axis] if not v.has(1) else None
        if whole is not None and whole % count:
            raise ValueError(f"extent {whole} does not split into {count} equal parts")
        sizes = [None if whole is None else whole // count] * count
    return [(v.dtype(), (*x[:axis], s, *x[axis + 1 :])) for s in sizes]


@rule("Slice")
def slice_(v: View) -> Type:
    x = v.shape()
    starts, ends = v.ints(1, "starts"), v.ints(2, "ends")
    if x is None:
        return v.dtype(), None
    if starts is None or ends is None:
        return v.dtype(), (None,) * len(x)
    axes = v.ints(3, "axes") or list(range(len(starts)))
    steps = v.ints(4, "steps") or [1] * len(starts)
    out = list(x)
    for s, e, a, step in zip(starts, ends, axes, steps):
        a = axis_of(a, len(x))
        dim = x[a]
        if dim is not None:
            part = slice(s, slice_end(e, dim, step), step)
            dim = len(range(*part.indices(dim)))
        out[a] = dim
    return v.dtype(), tuple(out)


def slice_end(end: int, dim: int, step: int) -> int | None:
    """An end as Python's slice wants it: with a negative step, one before the start is None."""
    return None if step < 0 and end < -dim else end


@rule("StridedSlice")
def strided_slice(v: View) -> Type:
    x = v.shape()
    begin, end, strides = v.ints(1, "begin"), v.ints(2, "end"), v.ints(3, "strides")
    if x is None or begin is None or end is None or None in x:
        return v.dtype(), None
    index = strided_index(begin, end, strides or [1] * len(begin), len(x), v.node.attrs)
    out: list[int | None] = []
    axis = 0
    for i in index:
        if i is None:
            out.append(1)
            continue
        if isinstance(i, slice):
            out.append(len(range(*i.indices(x[axis]))))
        axis += 1
    return v.dtype(), tuple(out)


def strided_index(begin, end, strides, rank: int, attrs) -> list:
    """TensorFlow's StridedSlice as a NumPy index: slices, ints and None, one per operand axis."""

    def bit(mask: str, k: int) -> bool:
        return bool(attrs.get(mask, 0) >> k & 1)

    new = sum(bit("new_axis_mask", k) for k in range(len(begin)) if not bit("ellipsis_mask", k))
    index: list = []
    used_ellipsis = False
    for k, (b, e, s) in enumerate(zip(begin, end, strides)):
        if bit("ellipsis_mask", k):
            index.extend([slice(None)] * (rank - (len(begin) - 1 - new)))
            used_ellipsis = True
        elif bit("new_axis_mask", k):
            index.append(None)
        elif bit("shrink_axis_mask", k):
            index.append(int(b))
        else:
            index.append(slice(None if bit("begin_mask", k) else int(b),
                               None if bit("end_mask", k) else int(e), int(s)))
    if not used_ellipsis:
        index.extend([slice(None)] * (rank - (len(begin) - new)))
    return index


@rule("Pad")
def pad(v: View) -> Type:
    x, pads = v.shape(), v.ints(1, "paddings")
    if x is None or pads is None:
        return v.dtype(), None if x is None else (None,) * len(x)
    if len(pads) != 2 * len(x):
        raise ValueError(f"{len(pads)} paddings for rank {len(x)}")
    return v.dtype(), tuple(None if d is None else d + pads[2 * k] + pads[2 * k + 1]
                            for k, d in enumerate(x))


@rule("Expand")
def expand(v: View) -> Type:
    dims = v.ints(1, "shape")
    return v.dtype(), None if dims is None else broadcast(v.shape(), tuple(dims))


@rule("Tile")
def tile(v: View) -> Type:
    x, repeats = v.shape(), v.ints(1, "repeats")
    if x is None or repeats is None:
        return v.dtype(), None if x is None else (None,) * len(x)
    return v.dtype(), tuple(None if d is None else d * r for d, r in zip(x, repeats))


@rule("Fill")
def fill(v: View) -> Type:
    dims = v.ints(0, "shape")
    rank = v.shape(0) if dims is None else None
    unknown = (None,) * rank[0] if rank and rank[0] is not None else None
    return str(v.attr("dtype", "f32")), unknown if dims is None else tuple(dims)


@rule("Range")
def range_(v: View) -> Type:
    start, limit, delta = (v.value(i) for i in range(3))
    if start is None or limit is None or delta is None:
        return v.dtype(), (None,)
    count = math.ceil((limit.item() - start.item()) / delta.item())
    return v.dtype(), (max(count, 0),)


@rule("Shape")
def shape(v: View) -> Type:
    x = v.shape()
    count = None if x is None else len(x[v.attr("start", 0) : v.attr("end")])
    return str(v.attr("output_type", "i64")), (count,)


@rule("Gather")
def gather(v: View) -> Type:
    x, idx = v.shape(0), v.shape(1)
    if x is None or idx is None:
        return v.dtype(), None
    axis, batch = axis_of(v.attr("axis", 0), len(x)), v.attr("batch_dims", 0)
    return v.dtype(), (*x[:axis], *idx[batch:], *x[axis + 1 :])


@rule("GatherNd")
def gather_nd(v: View) -> Type:
    x, idx = v.shape(0), v.shape(1)
    if x is None or idx is None or idx[-1] is None:
        return v.dtype(), None
    return v.dtype(), (*idx[:-1], *x[v.attr("batch_dims", 0) + idx[-1] :])


@rule("GatherElements")
def gather_elements(v: View) -> Type:
    return v.dtype(), v.shape(1)


@rule("OneHot")
def one_hot(v: View) -> Type:
    idx, depth = v.shape(), v.ints(1, "depth") if v.has(1) else [v.attr("depth")]
    if idx is None:
        return "f32", None
    axis = axis_of(v.attr("axis", -1), len(idx) + 1)
    return "f32", (*idx[:axis], depth[0] if depth else None, *idx[axis:])


@rule("TopK")
def top_k(v: View) -> list[Type]:
    x, k = v.shape(), v.ints(1, "k") if v.has(1) else [v.attr("k")]
    if x is not None:
        axis = axis_of(v.attr("axis", -1), len(x))
        x = (*x[:axis], k[0] if k else None, *x[axis + 1 :])
    return [(v.dtype(), x), ("i64", x)][: len(v.node.outputs)]
