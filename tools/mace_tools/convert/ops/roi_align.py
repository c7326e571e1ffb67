"""RoiAlign: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

import numpy as np

from mace_tools.convert.ops.common.checks import check_vector, require, same, with_rank
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = (lambda x: (*x, 2, 2, 2, 2)[:4], lambda x: (3, 4), lambda x: (3,))
_MAX_SAMPLES = 256


def infer(v: View) -> Type:
    x, rois = with_rank(v, 0, 4, "[N,H,W,C]"), with_rank(v, 1, 2, "[n,4]")
    require(same(rois[1], 4), "rois must be [n,4]")
    check_vector(v, 2, rois[0])
    height, width = v.attr("output_height"), v.attr("output_width")
    require(height >= 1 and width >= 1 and 0 <= v.attr("sampling_ratio") <= _MAX_SAMPLES
            and v.attr("spatial_scale") > 0, "an attribute is out of range")
    require(0 not in x[1:3], f"x {x} has no pixels")
    return "f32", (rois[0], height, width, x[3])


def _neighbours(v, extent):
    """Two pixels and their weights for each position."""
    inside = (v >= -1) & (v <= extent)
    v = np.maximum(v, 0)
    low = np.minimum(v.astype(int), extent - 1)
    high = np.minimum(low + 1, extent - 1)
    part = np.where(low == extent - 1, 0, v - low)
    return [(low, (1 - part) * inside), (high, part * inside)]


def evaluate(xs, attrs):
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
