"""NumPy evaluation of ops that interpolate, and of attention.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import itertools

import numpy as np

from mace_tools.convert.reference import op


def _mirrored(v, low, high):
    span = high - low
    if span <= 0:
        return np.full_like(v, low)
    away = np.mod(np.abs(v - low), 2 * span)
    return np.where(away > span, high - (away - span), low + away)


def _taps(v, extent, attrs):
    """Elements and weights along one axis; elements outside are -1."""
    last, corners, padding = extent - 1, attrs["align_corners"], attrs["padding"]
    ends = (0, last) if corners else (-0.5, last + 0.5)
    if not attrs["pixels"]:
        v = (v + 1) / 2 * last if corners else ((v + 1) * extent - 1) / 2
    if attrs["mode"] != "CUBIC" and padding != "ZEROS":
        v = np.clip(_mirrored(v, *ends) if padding == "REFLECTION" else v, 0, last)
    v = np.clip(np.nan_to_num(v, nan=-4.0), -1e9, 1e9)

    def element(i):
        if padding == "REFLECTION":
            i = np.where((i < 0) | (i > last), _mirrored(i, *ends), i)
        elif padding == "ZEROS":
            return np.where((i < 0) | (i > last), -1, i).astype(int)
        return np.clip(np.rint(i), 0, last).astype(int)

    if attrs["mode"] == "NEAREST":
        return [(element(np.rint(v)), np.ones_like(v))]
    first = np.floor(v)
    t, a = v - first, -0.75
    if attrs["mode"] == "LINEAR":
        return [(element(first), 1 - t), (element(first + 1), t)]

    def weight(d):
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        return np.where(d <= 1, near, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a)

    return [(element(first + k), weight(np.abs(t - k))) for k in (-1, 0, 1, 2)]


@op("GridSample")
def grid_sample(xs, attrs):
    x, grid = xs[0], xs[1].astype(np.float64)
    images = xs[2] if len(xs) > 2 and xs[2] is not None else np.arange(len(grid))
    axes = range(x.ndim - 2)
    taps = [_taps(grid[..., x.ndim - 3 - k], x.shape[k + 1], attrs) for k in axes]
    result = np.zeros((*grid.shape[:-1], x.shape[-1]))
    rows = images.reshape(-1, *[1] * (grid.ndim - 2))
    for chosen in itertools.product(*taps):
        inside = np.all([index >= 0 for index, _ in chosen], axis=0)
        weight = np.prod([w for _, w in chosen], axis=0) * inside
        result += x[(rows, *(index for index, _ in chosen))] * weight[..., None]
    return result.astype(x.dtype)


def _neighbours(v, extent):
    """Two pixels and their weights for each position."""
    inside = (v >= -1) & (v <= extent)
    v = np.maximum(v, 0)
    low = np.minimum(v.astype(int), extent - 1)
    high = np.minimum(low + 1, extent - 1)
    part = np.where(low == extent - 1, 0, v - low)
    return [(low, (1 - part) * inside), (high, part * inside)]


@op("RoiAlign")
def roi_align(xs, attrs):
    x, rois, images = xs
    bins = attrs["output_height"], attrs["output_width"]
    result = np.zeros((len(rois), *bins, x.shape[3]), x.dtype)
    shift = 0.5 if attrs["half_pixel"] else 0.0
    for r, (x1, y1, x2, y2) in enumerate(rois.astype(np.float64) * attrs["spatial_scale"] - shift):
        sides = []
        for k, (start, end) in enumerate(((y1, y2), (x1, x2))):
            size = end - start if attrs["half_pixel"] else max(end - start, 1.0)
            step = size / bins[k]
            count = attrs["sampling_ratio"] or int(np.clip(np.ceil(step), 0, 256))
            at = np.arange(bins[k])[:, None] + (np.arange(count) + 0.5) / max(count, 1)
            sides.append(_neighbours(start + step * at, x.shape[k + 1]))
        parts = [x[images[r]][h[:, :, None, None], w] * (wh[:, :, None, None] * ww)[..., None]
                 for (h, wh), (w, ww) in itertools.product(*sides)]
        if 0 in parts[0].shape:
            continue
        of_bins = np.stack(parts).transpose(1, 3, 0, 2, 4, 5)
        if attrs["mode"] == "MAX":
            result[r] = of_bins.max((2, 3, 4))
        else:
            result[r] = of_bins.sum(2).mean((2, 3))
    return result


@op("Attention")
def attention(xs, attrs):
    mask = xs[3] if len(xs) > 3 else None
    heads, shared = attrs["heads"], attrs["kv_heads"] or attrs["heads"]
    q, k, v = (x if x.ndim == 4 else _by_heads(x, count)
               for x, count in zip(xs[:3], (heads, shared, shared)))
    keys = attrs["keys"] if attrs["keys"] >= 0 else None
    k, v = (np.repeat(x[:, :, :keys], q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = (q @ k.swapaxes(2, 3)) * (attrs["scale"] or 1 / np.sqrt(max(q.shape[3], 1)))
    if attrs["softcap"]:
        scores = attrs["softcap"] * np.tanh(scores / attrs["softcap"])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    rows, columns = scores.shape[2:]
    first = np.arange(rows)[:, None] + (columns - rows if attrs["at_end"] else 0)
    distance = np.arange(columns) - first
    left, right = attrs["left_window"], attrs["right_window"]
    hidden = ((right >= 0) & (distance > right)) | ((left >= 0) & (distance < -left))
    scores = np.where(hidden, -np.inf, scores)
    most = np.max(scores, -1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isneginf(most), 0, most))
    total = weights.sum(-1, keepdims=True)
    y = (weights @ v) / np.where(total == 0, 1, total)
    y = y.astype(xs[0].dtype)
    return y if xs[0].ndim == 4 else y.swapaxes(1, 2).reshape(y.shape[0], y.shape[2], -1)


def _by_heads(x, count):
    return x.reshape(*x.shape[:2], count, -1).swapaxes(1, 2)


@op("RotaryEmbedding")
def rotary_embedding(xs, attrs):
    return [_turned(x, xs[0], xs[1], (attrs["heads"] or [0] * len(xs))[i], attrs)
            for i, x in enumerate(xs[2:])]


def _turned(given, cos, sin, heads, attrs):
    x = given if given.ndim == 4 else _by_heads(given, heads)
    size, y = attrs["size"] or x.shape[3], x.copy()
    first, second = ((slice(0, size, 2), slice(1, size, 2)) if attrs["interleaved"]
                     else (slice(0, size // 2), slice(size // 2, size)))
    a, b = x[..., first], x[..., second]
    whole = cos.shape[-1] == size
    cos = (cos[..., first], cos[..., second]) if whole else (cos, cos)
    sin = (sin[..., first], sin[..., second]) if whole else (sin, sin)
    y[..., first], y[..., second] = a * cos[0] - b * sin[0], b * cos[1] + a * sin[1]
    return y if given.ndim == 4 else y.swapaxes(1, 2).reshape(given.shape)
