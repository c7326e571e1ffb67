"""NumPy evaluation of ops with windows and channels. 4-D operands are NHWC.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.convert.inference.spatial import (
    CEIL,
    EXPLICIT,
    FULL,
    SAME,
    SAME_LOWER,
    window_extent,
)
from mace_tools.convert.reference import op
from mace_tools.convert.reference.elementwise import activate
from mace_tools.graph.op_schema import all_ops


def window(x, kernel, attrs, fill):
    """The operand, padded so that all windows lie inside, and the output extents."""
    pads, extents = [], []
    for k in range(2):
        n, before, _ = _windows(x, kernel, attrs, k)
        need = (n - 1) * attrs["strides"][k] + (kernel[k] - 1) * attrs["dilations"][k] + 1
        pads.append((before, max(need - x.shape[1 + k] - before, 0)))
        extents.append(n)
    return np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=fill), extents


def _windows(x, kernel, attrs, k):
    """Along a spatial axis: how many windows there are, and the padding before and after."""
    size, stride = x.shape[1 + k], attrs["strides"][k]
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


def _finish(y, xs, attrs):
    if len(xs) > 2 and xs[2] is not None:
        y = y + xs[2]
    return activate(y.astype(xs[0].dtype), attrs)


@op("Conv2d")
def conv2d(xs, attrs):
    x, w = xs[0], xs[1]
    group = attrs["group"]
    parts = []
    for g, wg in enumerate(np.split(w, group)):
        channels = slice(g * w.shape[1], (g + 1) * w.shape[1])
        parts.append(sum(t[..., channels] @ wg[:, :, i, j].T
                         for i, j, t in taps(x, w.shape[2:], attrs)))
    return _finish(np.concatenate(parts, -1), xs, attrs)


@op("DepthwiseConv2d")
def depthwise(xs, attrs):
    x, w = xs[0], xs[1]
    y = sum(t[..., None] * w[:, :, i, j].T for i, j, t in taps(x, w.shape[2:], attrs))
    return _finish(y.reshape(*y.shape[:3], -1), xs, attrs)


@op("Deconv2d")
def deconv2d(xs, attrs):
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
    return _finish(_crop_deconv(full, xs, attrs), xs, attrs)


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


@op("Pooling")
def pooling(xs, attrs):
    x, kind = xs[0], attrs["pooling_type"]
    kernel = x.shape[1:3] if attrs["global"] else attrs["kernels"]
    if attrs["global"]:
        attrs = {**all_ops()["Pooling"].defaults(), "activation": attrs["activation"]}
    if kind == 2:
        low = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
        parts = [t for _, _, t in taps(x, kernel, attrs, low)]
        return activate(np.maximum.reduce(parts).astype(x.dtype), attrs)
    values = np.square(x) if kind == 3 else x
    total = sum(t for _, _, t in taps(values, kernel, attrs))
    y = total / _divisor(x, kernel, attrs)
    return activate((np.sqrt(y) if kind == 3 else y).astype(x.dtype), attrs)


def _divisor(x, kernel, attrs):
    """The number of elements of each average: those in x, or also those in its padding. A last
    window may reach behind both."""
    counts = []
    for k in range(2):
        n, before, after = _windows(x, kernel, attrs, k)
        at = (np.arange(n)[:, None] * attrs["strides"][k] - before
              + np.arange(kernel[k]) * attrs["dilations"][k])
        low, high = (before, after) if attrs["count_include_pad"] else (0, 0)
        counts.append(((at >= -low) & (at < x.shape[1 + k] + high)).sum(1))
    return (counts[0][:, None] * counts[1]).astype(x.dtype)[None, :, :, None]


@op("FullyConnected")
def fully_connected(xs, attrs):
    x, w = xs[0], xs[1]
    if x.shape[-1] != w.shape[1]:
        x = x.reshape(x.shape[0], -1)
    return _finish(x @ w.T, xs, attrs)


@op("MatMul")
def matmul(xs, attrs):
    a, b = xs
    a = np.swapaxes(a, -1, -2) if attrs["transpose_a"] and a.ndim > 1 else a
    b = np.swapaxes(b, -1, -2) if attrs["transpose_b"] and b.ndim > 1 else b
    return a @ b


@op("DepthToSpace")
def depth_to_space(xs, attrs):
    n, h, w, c = xs[0].shape
    b = attrs["block_size"]
    if attrs["mode"] == "DCR":
        y = xs[0].reshape(n, h, w, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    else:
        y = xs[0].reshape(n, h, w, c // (b * b), b, b).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, h * b, w * b, c // (b * b))


@op("SpaceToDepth")
def space_to_depth(xs, attrs):
    n, h, w, c = xs[0].shape
    b = attrs["block_size"]
    y = xs[0].reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    return y.reshape(n, h // b, w // b, b * b * c)


@op("SpaceToBatchNd")
def space_to_batch(xs, attrs):
    block, k = attrs["block_shape"], len(attrs["block_shape"])
    pads = np.reshape(attrs["paddings"], (-1, 2)).tolist()
    x = np.pad(xs[0], [(0, 0), *pads, *[(0, 0)] * (xs[0].ndim - 1 - k)])
    split = [d for i in range(k) for d in (x.shape[1 + i] // block[i], block[i])]
    y = x.reshape(x.shape[0], *split, *x.shape[1 + k :])
    order = [2 + 2 * i for i in range(k)] + [0] + [1 + 2 * i for i in range(k)]
    y = y.transpose(order + list(range(1 + 2 * k, y.ndim)))
    return y.reshape(-1, *y.shape[k + 1 :])


@op("BatchToSpaceNd")
def batch_to_space(xs, attrs):
    block, k, x = attrs["block_shape"], len(attrs["block_shape"]), xs[0]
    batch = x.shape[0] // int(np.prod(block))
    y = x.reshape(*block, batch, *x.shape[1:])
    order = [k] + [a for i in range(k) for a in (k + 1 + i, i)]
    y = y.transpose(order + list(range(2 * k + 1, y.ndim)))
    y = y.reshape(batch, *[x.shape[1 + i] * block[i] for i in range(k)], *x.shape[1 + k :])
    crops = np.reshape(attrs["crops"], (-1, 2))
    cuts = [slice(c[0], y.shape[1 + i] - c[1]) for i, c in enumerate(crops)]
    return y[(slice(None), *cuts)]


@op("ChannelShuffle")
def channel_shuffle(xs, attrs):
    x, g = xs[0], attrs["group"]
    y = x.reshape(*x.shape[:-1], g, x.shape[-1] // g)
    return np.swapaxes(y, -1, -2).reshape(x.shape)
