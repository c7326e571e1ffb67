"""Deconv2d: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.bias import finish
from mace_tools.convert.ops.common.checks import check_vector, require, with_rank
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.convert.ops.common.windows import (
    EXPLICIT,
    FULL,
    SAME,
    SAME_LOWER,
    check_groups,
    filter_of,
    pads_of,
)

RANDOM_SHAPES = (lambda x: (*x, 1, 3, 3, 2)[:4], lambda x: (3, (*x, 1, 3, 3, 2)[3], 2, 2),
                 lambda x: (3,), lambda x: (4,))


def infer(v: View) -> Type:
    w, x = filter_of(v, 4), with_rank(v, 0, 4, "[N,H,W,C]")
    check_groups(v, x, w)
    check_vector(v, 2, w[0])
    require(not v.has(2) or v.tensor(0).quant is not None or v.dtype(2) == v.dtype(),
            "its bias must be of the type of x")
    pads, more = pads_of(v), v.attr("output_padding")
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


def evaluate(xs, attrs):
    x, w = xs[0], xs[1]
    group = attrs["group"]
    n, h, wd, _ = x.shape
    (sh, sw), (dh, dw) = attrs["strides"], attrs["dilations"]
    kh, kw = w.shape[2:]
    full = np.zeros((n, (h - 1) * sh + (kh - 1) * dh + 1, (wd - 1) * sw + (kw - 1) * dw + 1,
                     w.shape[0]), x.dtype)
    for xg, wg, out in zip(np.split(x, group, -1), np.split(w, group),
                           np.split(full, group, -1)):
        for i in range(kh):
            for j in range(kw):
                out[:, i * dh : i * dh + (h - 1) * sh + 1 : sh,
                    j * dw : j * dw + (wd - 1) * sw + 1 : sw] += xg @ wg[:, :, i, j].T
    return finish(_crop_deconv(full, xs, attrs), xs, attrs)


def _crop_deconv(full, xs, attrs):
    padding, more = attrs["padding"], attrs["output_padding"]
    values = attrs["padding_values"]
    given = attrs["output_shape"]
    if len(xs) > 3 and xs[3] is not None:
        given = [int(v) for v in xs[3]][1:3]
    for k in range(2):
        size, stride, whole = xs[0].shape[1 + k], attrs["strides"][k], full.shape[1 + k]
        if padding in (SAME, SAME_LOWER):
            extent = given[k] if given else size * stride
            total = max(whole + more[k] - extent, 0)
            before = total // 2 if padding == SAME else total - total // 2
        else:
            before, after = (values[k], values[k + 2]) if padding == EXPLICIT else (0, 0)
            if padding == FULL:
                before = after = whole - (size - 1) * stride - 1
            extent = given[k] if given else whole - before - after + more[k]
        full = np.take(np.pad(full, [(0, before + extent) if a == 1 + k else (0, 0)
                                     for a in range(4)]), range(before, before + extent), 1 + k)
    return full
