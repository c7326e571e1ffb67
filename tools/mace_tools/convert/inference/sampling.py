"""Inference of ops that interpolate, and of attention.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math

from mace_tools.convert.inference import Type, View, rule
from mace_tools.convert.inference.checks import (
    broadcast,
    check_vector,
    fits,
    require,
    same,
    with_rank,
)
from mace_tools.graph.ir import Shape

_MOST_SAMPLES = 256


@rule("GridSample")
def grid_sample(v: View) -> Type:
    x, grid = v.shape(0), v.shape(1)
    require(x is None or 3 <= len(x) <= 5, f"x {x} must be [N, d1, ..., dk, C] with k from 1 to 3")
    require(grid is None or len(grid) >= 2, f"grid {grid} must be [M, ..., k]")
    if x is not None and grid is not None:
        require(same(grid[-1], len(x) - 2), f"grid {grid} must end with {len(x) - 2}")
        require(v.has(2) or same(grid[0], x[0]), f"grid {grid} needs one row for each of {x}")
    if v.has(2):
        check_vector(v, 2, None if grid is None else grid[0])
    if grid is None:
        return "f32", None
    y = (*grid[:-1], None if x is None else x[-1])
    require(x is None or 0 not in x[1:-1] or 0 in y, f"x {x} has no elements to sample")
    return "f32", y


@rule("RoiAlign")
def roi_align(v: View) -> Type:
    x, rois = with_rank(v, 0, 4, "[N,H,W,C]"), with_rank(v, 1, 2, "[n,4]")
    require(same(rois[1], 4), "rois must be [n,4]")
    check_vector(v, 2, rois[0])
    height, width = v.attr("output_height"), v.attr("output_width")
    require(height >= 1 and width >= 1 and 0 <= v.attr("sampling_ratio") <= _MOST_SAMPLES
            and v.attr("spatial_scale") > 0, "an attribute is out of range")
    require(0 not in x[1:3], f"x {x} has no pixels")
    return "f32", (rois[0], height, width, x[3])


@rule("Attention")
def attention(v: View) -> Type:
    heads, shared = v.attr("heads"), v.attr("kv_heads")
    require(math.isfinite(v.attr("scale")) and math.isfinite(v.attr("softcap"))
            and v.attr("softcap") >= 0, "scale and softcap must be finite numbers")
    require(heads >= 0 and shared >= 0 and v.attr("left_window") >= -1
            and v.attr("right_window") >= -1, "a number of heads or a window is out of range")
    q = _heads(v.shape(0), heads)
    k, value = (_heads(x, shared or (heads if x is not None and len(x) == 3 else 0))
                for x in (v.shape(1), v.shape(2)))
    keys = v.attr("keys")
    require(keys >= -1 and all(keys <= x[2] for x in (k, value) if x[2] is not None),
            f"keys {keys} must be -1, or at most the rows of k {k} and v {value}")
    if keys >= 0:
        k, value = ((*x[:2], keys, x[3]) for x in (k, value))
    require(same(q[0], k[0]) and same(q[0], value[0]) and same(k[0], value[0])
            and same(k[1], value[1]) and same(k[2], value[2]) and same(q[3], k[3])
            and (k[1] is None or k[1] > 0 and (q[1] is None or q[1] % k[1] == 0)),
            f"q {q}, k {k} and v {value} do not fit together")
    if v.has(3):
        all_ = (q[0], q[1], q[2], k[2])
        mask = v.shape(3)
        require(mask is None or len(mask) <= 4 and fits(broadcast(mask, all_), all_)
                and all(m is None or d is None or m in (1, d)
                        for m, d in zip(reversed(mask), reversed(all_))),
                f"mask {mask} does not broadcast to {all_}")
    if v.shape(0) is None:
        return "f32", None
    if len(v.shape(0)) == 4:  # type: ignore[arg-type]
        return "f32", (*q[:3], value[3])
    wide = None if q[1] is None or value[3] is None else q[1] * value[3]
    return "f32", (q[0], q[2], wide)


@rule("RotaryEmbedding")
def rotary_embedding(v: View) -> list[Type]:
    count, heads = len(v.node.inputs) - 2, v.attr("heads")
    require(len(v.node.outputs) == count, f"it must have {count} outputs")
    require(len(heads) in (0, count), f"heads {heads} must be one number for each tensor")
    types: list[Type] = []
    for i in range(2, 2 + count):
        batch, of_x, rows, depth = _heads(v.shape(i), heads[i - 2] if heads else 0)
        size = v.attr("size") or depth
        require(size is None or size >= 0 and size % 2 == 0
                and (depth is None or size <= depth),
                f"size {size} must be an even number of the {depth} elements")
        _check_angles(v, (batch, of_x, rows), size)
        types.append(("f32", v.shape(i)))
    return types


def _check_angles(v: View, lead: tuple[int | None, ...], size: int | None) -> None:
    """Cosines and sines must broadcast, with `size` or half as many in the last axis."""
    angles = [v.shape(k) for k in range(2)]
    lasts = [None if a is None else a[-1] if a else -1 for a in angles]
    require(same(*lasts) and (size is None or all(n in (None, size, size // 2) for n in lasts)),
            f"cos and sin must end with {size} or half of it")
    for a in angles:
        require(a is None or len(a) <= 4 and all(
            m is None or d is None or m in (1, d)
            for m, d in zip(reversed(a[:-1]), reversed(lead))),
            f"{a} does not broadcast to {lead}")


def _heads(x: Shape | None, heads: int) -> tuple[int | None, ...]:
    """[batch, heads, rows, depth]"""
    if x is None:
        return (None, heads or None, None, None)
    if len(x) == 4:
        require(heads in (0, x[1]) or x[1] is None, f"{x} must have {heads} heads")
        return x
    require(len(x) == 3 and heads > 0 and (x[2] is None or x[2] % heads == 0),
            f"{x} must have {heads} heads")
    return (x[0], heads, x[1], None if x[2] is None else x[2] // heads)
