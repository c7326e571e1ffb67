"""Cumsum: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.same_shape import along_axis

infer = along_axis


def evaluate(xs, attrs):
    axis = attrs["axis"]
    x = np.flip(xs[0], axis) if attrs["reverse"] else xs[0]
    product = attrs["product"]
    y = (np.cumprod if product else np.cumsum)(x, axis, dtype=x.dtype)
    if attrs["exclusive"]:
        first = np.full_like(np.take(y, [0], axis), product) if y.shape[axis] else y
        y = np.concatenate([first, np.delete(y, -1, axis)], axis) if y.shape[axis] else y
    return np.flip(y, axis) if attrs["reverse"] else y
