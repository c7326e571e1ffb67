"""Softmax: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.same_shape import along_axis

infer = along_axis


def evaluate(xs, attrs):
    axis = attrs["axis"]
    x = xs[0] - np.max(xs[0], axis, keepdims=True)
    total = np.sum(np.exp(x), axis, keepdims=True)
    return x - np.log(total) if attrs["use_log"] else np.exp(x) / total
