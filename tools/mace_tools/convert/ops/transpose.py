"""Transpose: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axes_of, require
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, dims = v.shape(), v.attr("dims")
    if x is None:
        return v.dtype(), (None,) * len(dims) if dims else None
    dims = dims or list(reversed(range(len(x))))
    require(len(dims) == len(x), f"dims {dims} must name every axis of {x} once")
    return v.dtype(), tuple(x[d] for d in axes_of(dims, len(x)))


def evaluate(xs, attrs):
    return np.transpose(xs[0], attrs["dims"] or None)
