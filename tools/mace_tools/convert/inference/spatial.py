"""Inference of ops with windows, and of those that move pixels. 4-D operands are NHWC.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math

import numpy as np

from mace_tools.convert.inference import Type, View, rule
from mace_tools.convert.inference.checks import check_vector, product, require, same, with_rank
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Shape

PADDING = op_schema.numbers("Conv2d", "padding")
VALID, SAME, FULL, SAME_LOWER, EXPLICIT = (
    PADDING[name] for name in ("VALID", "SAME", "FULL", "SAME_LOWER", "EXPLICIT"))
AVERAGE, MAX, L2 = (
    op_schema.numbers("Pooling", "pooling_type")[name] for name in ("AVERAGE", "MAX", "L2"))
CEIL = op_schema.numbers("Pooling", "round_mode")["CEIL"]
_MAX_RESIZED = 2**24


def window_extent(
    size: int | None, kernel: int, stride: int, dilation: int, padding: int,
    before: int, after: int, ceil: bool = False,
) -> int | None:
    """How many windows fit along one axis (mace/ops/common/window.h)."""
    if size is None:
        return None
    if padding in (SAME, SAME_LOWER):
        return -(-size // stride)
    reach = (kernel - 1) * dilation + 1
    if padding == FULL:
        before = after = reach - 1
    room = size + before + after - reach
    require(room >= 0, f"the window ({reach}) is larger than the padded extent "
                       f"({size + before + after})")
    count = (room // stride if not ceil else -(-room // stride)) + 1
    if ceil and (count - 1) * stride >= size + before:
        count -= 1
    require(size > 0 or count == 0, "the operand has no pixels, and the output would have some")
    return count


def _pads(v: View) -> list[int]:
    """Top, left, bottom, right of the attributes, which are checked, too."""
    for name in ("strides", "dilations"):
        require(len(v.attr(name)) == 2 and min(v.attr(name)) >= 1,
                f"{name} {v.attr(name)} must be two numbers, 1 or larger")
    pads = v.attr("padding_values")
    if v.attr("padding") != EXPLICIT:
        require(not pads, "padding_values are only for explicit padding")
        return [0] * 4
    require(len(pads) == 4 and min(pads) >= 0, f"padding_values {pads} must be four numbers")
    return list(pads)


def _spatial(v: View, kernel: list[int], ceil: bool = False) -> list[int | None]:
    x, pads = with_rank(v, 0, 4, "[N,H,W,C]"), _pads(v)
    require(min(kernel) >= 1, f"kernel {kernel} must be 1 or larger")
    strides, dilations = v.attr("strides"), v.attr("dilations")
    return [window_extent(x[1 + k], kernel[k], strides[k], dilations[k], v.attr("padding"),
                          pads[k], pads[k + 2], ceil) for k in range(2)]


def _filter(v: View, rank: int) -> Shape:
    w = with_rank(v, 1, rank, f"a filter of {rank} dimensions")
    require(0 not in w, f"filter {w} has an extent of 0")
    return w


def _check_groups(v: View, x: Shape, w: Shape) -> None:
    group = v.attr("group")
    wants = f"{w[1]}" if group == 1 else f"{w[1]} times {group}"
    require(group < 1 or None in (w[1], x[3]) or w[1] * group == x[3],
            f"the filter wants {wants} channels, the operand has {x[3]}")
    whole = all(d is None or d % group == 0 for d in (w[0], x[3])) if group >= 1 else False
    require(whole and (x[3] is None or same(w[1], x[3] // group)),
            f"filter {w} does not fit x {x} and group {group}")


@rule("Conv2d", "DepthwiseConv2d")
def conv(v: View) -> Type:
    w, x = _filter(v, 4), with_rank(v, 0, 4, "[N,H,W,C]")
    if v.node.op == "DepthwiseConv2d":
        require(same(w[1], x[3]), f"the filter wants {w[1]} channels, the operand has {x[3]}")
        channels = product(w[:2])
    else:
        _check_groups(v, x, w)
        channels = w[0]
    check_vector(v, 2, channels)
    if w[2] is None or w[3] is None:
        return v.dtype(), (x[0], None, None, channels)
    return v.dtype(), (x[0], *_spatial(v, [w[2], w[3]]), channels)


@rule("Deconv2d")
def deconv(v: View) -> Type:
    w, x = _filter(v, 4), with_rank(v, 0, 4, "[N,H,W,C]")
    _check_groups(v, x, w)
    check_vector(v, 2, w[0])
    require(not v.has(2) or v.tensor(0).quant is not None or v.dtype(2) == v.dtype(),
            "its bias must be of the type of x")
    pads, more = _pads(v), v.attr("output_padding")
    require(len(more) == 2 and min(more) >= 0, f"output_padding {more} must be two numbers")
    given = v.ints(3, "output_shape")
    if v.has(3) and given is not None:
        require(len(given) == 4, f"output shape {given} must be [N,H,W,C]")
        given = given[1:3]
    require(not given or len(given) == 2 and min(given) >= 1, f"output_shape {given} must be [h,w]")
    out = [_transposed(v, k, x[1 + k], w[2 + k], pads, more[k]) if given == []
           else given[k] if given else None for k in range(2)]
    for k in range(2):
        require(x[1 + k] != 0 or not out[k], "x has no pixels, and the output would have some")
    return v.dtype(), (x[0], *out, w[0])


def _transposed(
    v: View, k: int, size: int | None, kernel: int | None, pads: list[int], more: int
) -> int | None:
    """The extent of a transposed convolution along one axis."""
    stride, padding = v.attr("strides")[k], v.attr("padding")
    if size is None or kernel is None:
        return None
    if padding in (SAME, SAME_LOWER):
        return size * stride
    reach = (kernel - 1) * v.attr("dilations")[k] + 1
    cut = 2 * (reach - 1) if padding == FULL else pads[k] + pads[k + 2]
    extent = (size - 1) * stride + reach - cut + more
    require(extent >= 1, f"the padding leaves {extent} outputs")
    return extent


@rule("Pooling")
def pooling(v: View) -> Type:
    n, h, w, c = with_rank(v, 0, 4, "[N,H,W,C]")
    if v.attr("global"):
        require(h != 0 and w != 0, "the operand has no pixels")
        return v.dtype(), (n, 1, 1, c)
    kernels = v.attr("kernels")
    require(len(kernels) == 2, f"kernels {kernels} must be two numbers")
    return v.dtype(), (n, *_spatial(v, kernels, v.attr("round_mode") == CEIL), c)


def resized(extent: int, scale: float) -> int:
    """The extent after scaling by Resize, computed in float32 as in the engine."""
    out = np.floor(np.float32(extent) * np.float32(scale))
    require(scale > 0 and out <= _MAX_RESIZED, f"scale {scale} is out of range")
    return int(out)


@rule("Resize")
def resize(v: View) -> Type:
    x, size, scales = with_rank(v, 0, 4, "[N,H,W,C]"), v.ints(1, "size"), v.attr("scales")
    require(0 <= v.attr("cubic_steps") <= _MAX_RESIZED, "cubic_steps is out of range")
    hw: list[int | None] = [None, None]
    if size:
        hw = list(size)
    elif size is not None:
        require(len(scales) == 2, "it needs a size, or scales of two numbers")
        hw = [None if d is None else resized(d, scales[k]) for k, d in enumerate(x[1:3])]
    require(len(hw) == 2 and all(d is None or 1 <= d <= _MAX_RESIZED for d in (*hw, *x[1:3])),
            f"cannot resize {x} to {hw}")
    return v.dtype(), (x[0], *hw, x[3])


@rule("DepthToSpace")
def depth_to_space(v: View) -> Type:
    n, h, w, c = with_rank(v, 0, 4, "[N,H,W,C]")
    b = v.attr("block_size")
    require(b >= 1 and (c is None or c % (b * b) == 0),
            f"{c} channels are no multiple of block_size {b} squared")
    return v.dtype(), (n, _times(h, b), _times(w, b), None if c is None else c // (b * b))


@rule("SpaceToDepth")
def space_to_depth(v: View) -> Type:
    n, h, w, c = with_rank(v, 0, 4, "[N,H,W,C]")
    b = v.attr("block_size")
    require(b >= 1 and all(d is None or d % b == 0 for d in (h, w)),
            f"block_size {b} does not divide {h} x {w}")
    return v.dtype(), (n, *(None if d is None else d // b for d in (h, w)), _times(c, b * b))


def _times(extent: int | None, factor: int) -> int | None:
    return None if extent is None else extent * factor


@rule("SpaceToBatchNd", "BatchToSpaceNd")
def batch_blocks(v: View) -> Type:
    x, block, to_batch = v.shape(), v.attr("block_shape"), v.node.op == "SpaceToBatchNd"
    edges = v.attr("paddings" if to_batch else "crops")
    require(len(edges) == 2 * len(block) and min((*block, 1)) >= 1 and min(edges, default=0) >= 0,
            f"block_shape {block} and edges {edges} must hold one and two numbers for an axis")
    require(len(block) >= 1 and (x is None or len(block) < len(x)), f"block_shape {block} for {x}")
    if x is None:
        return v.dtype(), None
    count, out = math.prod(block), list(x)
    out[0] = _times(x[0], count) if to_batch else _divided(x[0], count)
    for k, b in enumerate(block):
        d, both = x[k + 1], edges[2 * k] + edges[2 * k + 1]
        if d is None:
            continue
        out[k + 1] = _divided(d + both, b) if to_batch else d * b - both
        require(out[k + 1] >= 0, f"crops {edges} are larger than {d * b}")
    return v.dtype(), tuple(out)


def _divided(extent: int | None, count: int) -> int | None:
    require(extent is None or extent % count == 0, f"blocks of {count} do not divide {extent}")
    return None if extent is None else extent // count
