"""Squeeze: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axes_of, require
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, axes = v.shape(), v.attr("axis")
    if x is None or (not axes and None in x):
        return v.dtype(), None
    gone = set(axes_of(axes, len(x))) if axes else {k for k, d in enumerate(x) if d == 1}
    require(all(x[k] in (1, None) for k in gone), f"axes {axes} to squeeze are not all 1 in {x}")
    return v.dtype(), tuple(d for k, d in enumerate(x) if k not in gone)


def evaluate(xs, attrs):
    return np.squeeze(xs[0], tuple(attrs["axis"]) if attrs["axis"] else None)
