"""LayerNorm: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, fits, require
from mace_tools.convert.ops.common.normalize import normalize
from mace_tools.convert.ops.common.same_shape import as_input
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x = v.shape()
    if x is not None:
        rest = x[axis_of(v.attr("axis"), len(x)) :]
        for i in (1, 2):
            require(not v.has(i) or fits(v.shape(i), rest), f"operand {i} must be {rest}")
    return as_input(v)


def evaluate(xs, attrs):
    axis = attrs["axis"] % xs[0].ndim
    axes = tuple(range(axis, xs[0].ndim))
    if attrs["centered"]:
        y = normalize(xs[0], axes, attrs["epsilon"])
    else:
        y = xs[0] / np.sqrt(np.mean(np.square(xs[0]), axes, keepdims=True) + attrs["epsilon"])
    y = y * xs[1] if len(xs) > 1 and xs[1] is not None else y
    y = y + xs[2] if len(xs) > 2 and xs[2] is not None else y
    return y.astype(xs[0].dtype)
