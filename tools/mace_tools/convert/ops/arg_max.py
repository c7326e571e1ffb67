"""ArgMax: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, require
from mace_tools.convert.ops.common.reduced import reduced
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, axis = v.shape(), v.attr("axis")
    if x is not None:
        require(x[axis_of(axis, len(x))] != 0, f"axis {axis} of {x} has no elements")
    return str(v.attr("output_type")), reduced(x, [axis], bool(v.attr("keepdims")))


def evaluate(xs, attrs):
    x, axis = xs[0], attrs["axis"]
    find = np.argmin if attrs["argmin"] else np.argmax
    if attrs["select_last"]:
        y = x.shape[axis] - 1 - find(np.flip(x, axis), axis=axis, keepdims=True)
    else:
        y = find(x, axis=axis, keepdims=True)
    y = y if attrs["keepdims"] else np.squeeze(y, axis)
    return y.astype(np.int32 if attrs["output_type"] == "i32" else np.int64)
