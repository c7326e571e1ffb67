"""OneHot: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, require
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    idx, depth = v.shape(), v.ints(1, "depth")
    require(depth is None or len(depth) == 1 and depth[0] >= 0, f"depth {depth} must be a number")
    if idx is None:
        return "f32", None
    axis = axis_of(v.attr("axis"), len(idx) + 1)
    return "f32", (*idx[:axis], depth[0] if depth else None, *idx[axis:])


def evaluate(xs, attrs):
    depth = ints(xs, 1, attrs, "depth") if len(xs) > 1 else [attrs["depth"]]
    axis = attrs["axis"]
    hot = np.expand_dims(xs[0], axis)
    shape = [1] * hot.ndim
    shape[axis] = depth[0]
    match = hot == np.arange(depth[0]).reshape(shape)
    return np.where(match, attrs["on_value"], attrs["off_value"]).astype(
        np.float32)
