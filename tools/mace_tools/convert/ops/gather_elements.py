"""GatherElements: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, check_elements
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, idx = v.shape(0), v.shape(1)
    if x is not None:
        check_elements(x, idx, axis_of(v.attr("axis"), len(x)))
    return v.dtype(), idx


def evaluate(xs, attrs):
    axis = attrs["axis"]
    idx = np.where(xs[1] < 0, xs[1] + xs[0].shape[axis], xs[1])
    return np.take_along_axis(xs[0], idx, axis)
