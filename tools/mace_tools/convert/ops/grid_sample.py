"""GridSample: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

import numpy as np

from mace_tools.convert.ops.common.checks import check_vector, require, same
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = (lambda x: (*x, 2, 2, 3)[:3], lambda x: ((*x, 2)[0], 2, 1), lambda x: (*x, 2)[:1])


def infer(v: View) -> Type:
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


def evaluate(xs, attrs):
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
