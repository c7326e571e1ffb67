"""ExpandDims: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axes_of
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, axes = v.shape(), v.attr("axis")
    if x is None:
        return v.dtype(), None
    where = set(axes_of(axes, len(x) + len(axes)))
    rest = iter(x)
    return v.dtype(), tuple(1 if k in where else next(rest) for k in range(len(x) + len(axes)))


def evaluate(xs, attrs):
    return np.expand_dims(xs[0], tuple(attrs["axis"]))
