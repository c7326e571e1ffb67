"""Inference of ops that select by indices, fill, or compute with shapes.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math

from mace_tools.convert.inference import Type, View, rule
from mace_tools.convert.inference.checks import (
    axis_of,
    check_elements,
    check_single,
    check_vector,
    fits,
    product,
    require,
    same,
    with_rank,
)
from mace_tools.graph.ir import Shape

_MOST = 2**48  # numbers that a Range may have


@rule("Fill")
def fill(v: View) -> Type:
    dims = v.ints(0, "")
    if dims is None:
        rank = v.shape(0)
        return str(v.attr("dtype")), (None,) * rank[0] if rank and rank[0] is not None else None
    require(min(dims, default=0) >= 0, f"shape {dims} has a negative extent")
    return str(v.attr("dtype")), tuple(dims)


@rule("Range")
def range_(v: View) -> Type:
    for i in range(3):
        check_single(v, i)
    values = [v.value(i) for i in range(3)]
    if any(value is None for value in values):
        return v.dtype(), (None,)
    start, limit, delta = (value.item() for value in values)  # type: ignore[union-attr]
    wrong = f"from {start} to {limit} by {delta} is no finite range"
    require(delta != 0 and not any(map(math.isnan, (start, limit, delta))), wrong)
    if v.dtype() == "f32":
        count = (limit - start) / delta
        require(count < _MOST, wrong)
        count = math.ceil(max(count, 0))
    else:
        count = max(-((start - limit) // delta), 0)
        require(count < _MOST, wrong)
    return v.dtype(), (count,)


@rule("Shape")
def shape(v: View) -> Type:
    x = v.shape()
    count = None if x is None else len(x[v.attr("start") : v.attr("end")])
    return str(v.attr("output_type")), (count,)


def _check_batch(x: Shape, idx: Shape, batch: int, most: int) -> None:
    """The leading axes that x and idx share."""
    require(0 <= batch <= most and batch <= len(idx) and batch <= len(x)
            and all(same(a, b) for a, b in zip(x[:batch], idx[:batch])),
            f"batch_dims {batch} must count equal leading axes of {x} and {idx}")


@rule("Gather")
def gather(v: View) -> Type:
    x, idx = v.shape(0), v.shape(1)
    if x is None or idx is None:
        return v.dtype(), None
    axis, batch = axis_of(v.attr("axis"), len(x)), v.attr("batch_dims")
    _check_batch(x, idx, batch, axis)
    return v.dtype(), (*x[:axis], *idx[batch:], *x[axis + 1 :])


@rule("GatherNd")
def gather_nd(v: View) -> Type:
    x, idx, batch = v.shape(0), v.shape(1), v.attr("batch_dims")
    require(idx != (), "idx must have a dimension")
    if x is None or idx is None or idx[-1] is None:
        return v.dtype(), None
    _check_batch(x, idx, batch, len(idx) - 1)
    require(idx[-1] <= len(x) - batch, f"idx {idx} does not index the axes of {x}")
    return v.dtype(), (*idx[:-1], *x[batch + idx[-1] :])


@rule("GatherElements")
def gather_elements(v: View) -> Type:
    x, idx = v.shape(0), v.shape(1)
    if x is not None:
        check_elements(x, idx, axis_of(v.attr("axis"), len(x)))
    return v.dtype(), idx


@rule("OneHot")
def one_hot(v: View) -> Type:
    idx, depth = v.shape(), v.ints(1, "depth")
    require(depth is None or len(depth) == 1 and depth[0] >= 0, f"depth {depth} must be a number")
    if idx is None:
        return "f32", None
    axis = axis_of(v.attr("axis"), len(idx) + 1)
    return "f32", (*idx[:axis], depth[0] if depth else None, *idx[axis:])


@rule("TopK")
def top_k(v: View) -> list[Type]:
    x, k = v.shape(), v.ints(1, "k")
    require(k is None or len(k) == 1 and k[0] >= 0, f"k {k} must be one number, 0 or larger")
    if x is not None:
        axis = axis_of(v.attr("axis"), len(x))
        require(k is None or x[axis] is None or k[0] <= x[axis], f"k {k} is larger than {x[axis]}")
        x = (*x[:axis], k[0] if k else None, *x[axis + 1 :])
    return [(v.dtype(), x), ("i64", x)][: len(v.node.outputs)]


@rule("Proposal")
def proposal(v: View) -> Type:
    positive = ("feat_stride", "base_size", "pre_nms_top_n", "post_nms_top_n")
    scales, ratios = v.attr("scales"), v.attr("ratios")
    require(all(v.attr(name) > 0 for name in positive) and v.attr("min_size") >= 0
            and bool(scales) and bool(ratios) and min(scales) > 0 and min(ratios) > 0,
            "sizes, scales and ratios must all be given and positive")
    anchors = len(scales) * len(ratios)
    x = v.shape(0)
    require(fits(x, (1, None, None, 2 * anchors)), f"scores must be [1,H,W,{2 * anchors}]")
    _, h, w, _ = x or (None,) * 4
    require(fits(v.shape(1), (1, h, w, 4 * anchors)), f"deltas must be [1,H,W,{4 * anchors}]")
    info = v.shape(2)
    require(info is None or None in info or math.prod(info) == 3, "im_info must have 3 elements")
    return "f32", (v.attr("post_nms_top_n"), 5)


@rule("PsroiAlign")
def psroi_align(v: View) -> Type:
    g, dim = v.attr("group_size"), v.attr("output_dim")
    x, rois = v.shape(0), v.shape(1)
    require(g >= 1 and dim >= 1 and v.attr("spatial_scale") > 0, "attributes must be positive")
    require(fits(x, (None, None, None, dim * g * g)), f"x must have {dim * g * g} channels")
    require(fits(rois, (None, 5)), "rois must be [n,5]")
    return "f32", (None if rois is None else rois[0], g, g, dim)


@rule("LshProjection")
def lsh_projection(v: View) -> Type:
    x = v.shape()
    require(x is None or len(x) > 0 and x[0] != 0, f"x {x} has no features")
    functions, bits = with_rank(v, 1, 2, "[hash functions, bits of each]")
    require(bits is None or bits <= 32, f"{bits} bits for each hash function")
    check_vector(v, 2, None if x is None else x[0])
    if v.attr("type") == "DENSE":
        return "i32", (product((functions, bits)),)
    require(bits != 32 or functions is None or functions <= 1,
            f"SPARSE with 32 bits for each of {functions} hash functions")
    return "i32", (functions,)
