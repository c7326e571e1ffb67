"""LpNorm: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.same_shape import along_axis

infer = along_axis


def evaluate(xs, attrs):
    x, axis = xs[0], attrs["axis"]
    if attrs["p"] == 1:
        norm = np.sum(np.abs(x), axis, keepdims=True)
    else:
        norm = np.sqrt(np.sum(np.square(x), axis, keepdims=True))
    norm = np.maximum(norm, attrs["epsilon"])
    return np.divide(x, norm, out=np.zeros_like(x), where=norm != 0)
