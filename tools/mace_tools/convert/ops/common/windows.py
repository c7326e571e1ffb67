"""Ops with windows: padding, output sizes, and elements under each tap. 4-D operands are NHWC.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence

import numpy as np

from mace_tools.convert.ops.common.checks import check_vector, product, require, same, with_rank
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Node, Shape

PADDING = op_schema.numbers("Conv2d", "padding")
VALID, SAME, FULL, SAME_LOWER, EXPLICIT = (
    PADDING[name] for name in ("VALID", "SAME", "FULL", "SAME_LOWER", "EXPLICIT"))
AVERAGE, MAX, L2 = (
    op_schema.numbers("Pooling", "pooling_type")[name] for name in ("AVERAGE", "MAX", "L2"))
CEIL = op_schema.numbers("Pooling", "round_mode")["CEIL"]


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
    span = size + before + after - reach
    require(span >= 0, f"the window ({reach}) is larger than the padded extent "
            f"({size + before + after})")
    count = (span // stride if not ceil else -(-span // stride)) + 1
    if ceil and (count - 1) * stride >= size + before:
        count -= 1
    require(size > 0 or count == 0, "the operand has no pixels, and the output would have some")
    return count


def pads_of(v: View) -> list[int]:
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


def spatial(v: View, kernel: list[int], ceil: bool = False) -> list[int | None]:
    x, pads = with_rank(v, 0, 4, "[N,H,W,C]"), pads_of(v)
    require(min(kernel) >= 1, f"kernel {kernel} must be 1 or larger")
    strides, dilations = v.attr("strides"), v.attr("dilations")
    return [window_extent(x[1 + k], kernel[k], strides[k], dilations[k], v.attr("padding"),
                          pads[k], pads[k + 2], ceil) for k in range(2)]


def filter_of(v: View, rank: int) -> Shape:
    w = with_rank(v, 1, rank, f"a filter of {rank} dimensions")
    require(0 not in w, f"filter {w} has an extent of 0")
    return w


def check_groups(v: View, x: Shape, w: Shape) -> None:
    group = v.attr("group")
    wants = f"{w[1]}" if group == 1 else f"{w[1]} times {group}"
    require(group < 1 or None in (w[1], x[3]) or w[1] * group == x[3],
            f"the filter wants {wants} channels, the operand has {x[3]}")
    whole = all(d is None or d % group == 0 for d in (w[0], x[3])) if group >= 1 else False
    require(whole and (x[3] is None or same(w[1], x[3] // group)),
            f"filter {w} does not fit x {x} and group {group}")


def conv(v: View) -> Type:
    w, x = filter_of(v, 4), with_rank(v, 0, 4, "[N,H,W,C]")
    if v.node.op == "DepthwiseConv2d":
        require(same(w[1], x[3]), f"the filter wants {w[1]} channels, the operand has {x[3]}")
        channels = product(w[:2])
    else:
        check_groups(v, x, w)
        channels = w[0]
    check_vector(v, 2, channels)
    if w[2] is None or w[3] is None:
        return v.dtype(), (x[0], None, None, channels)
    return v.dtype(), (x[0], *spatial(v, [w[2], w[3]]), channels)


def window(x, kernel, attrs, fill):
    """The operand, padded so that all windows lie inside, and the output extents."""
    pads, extents = [], []
    for k in range(2):
        n, before, _ = windows_along(x.shape, kernel, attrs, k)
        need = (n - 1) * attrs["strides"][k] + (kernel[k] - 1) * attrs["dilations"][k] + 1
        pads.append((before, max(need - x.shape[1 + k] - before, 0)))
        extents.append(n)
    return np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=fill), extents


def windows_of(
    node: Node, shape: Sequence[int], kernel: Sequence[int]
) -> list[tuple[int, int, int]]:
    """As windows_along, along both spatial axes of a node's operand of this shape."""
    attrs = {**op_schema.all_ops()[node.op].defaults(), **node.attrs}
    return [windows_along(shape, kernel, attrs, k) for k in range(2)]


def windows_along(shape, kernel, attrs, k):
    """Along a spatial axis: how many windows there are, and the padding before and after."""
    size, stride = shape[1 + k], attrs["strides"][k]
    reach = (kernel[k] - 1) * attrs["dilations"][k] + 1
    padding, values = attrs["padding"], attrs["padding_values"]
    ceil = attrs.get("round_mode") == CEIL  # only Pooling has it
    before, after = (values[k], values[k + 2]) if padding == EXPLICIT else (0, 0)
    n = window_extent(size, kernel[k], stride, attrs["dilations"][k], padding, before, after, ceil)
    if padding == FULL:
        before = after = reach - 1
    elif padding in (SAME, SAME_LOWER):
        total = max((n - 1) * stride + reach - size, 0)
        before = total // 2 if padding == SAME else total - total // 2
        after = total - before
    return n, before, after


def taps(x, kernel, attrs, fill=0):
    """For each kernel position (i, j), the operand's elements at this position, [N, OH, OW, C]."""
    padded, (oh, ow) = window(x, kernel, attrs, fill)
    sh, sw = attrs["strides"]
    dh, dw = attrs["dilations"]
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            rows = slice(i * dh, i * dh + (oh - 1) * sh + 1, sh)
            columns = slice(j * dw, j * dw + (ow - 1) * sw + 1, sw)
            yield i, j, padded[:, rows, columns, :]
