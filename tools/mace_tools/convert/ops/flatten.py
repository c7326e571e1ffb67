"""Flatten: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, product
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x = v.shape()
    if x is None:
        return v.dtype(), (None, None)
    axis = v.attr("axis")
    axis = len(x) if axis == len(x) else axis_of(axis, len(x))
    return v.dtype(), (product(x[:axis]), product(x[axis:]))


def evaluate(xs, attrs):
    axis, shape = attrs["axis"], xs[0].shape
    axis = axis + len(shape) if axis < 0 else axis
    rows, columns = int(np.prod(shape[:axis])), int(np.prod(shape[axis:]))
    return xs[0].reshape(rows, columns)
