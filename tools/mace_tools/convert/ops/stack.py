"""Stack: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, fits, require
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x = v.shape()
    for i in range(1, len(v.node.inputs)):
        require(fits(x, v.shape(i)), f"operands of Stack differ: {x} and {v.shape(i)}")
    if x is None:
        return v.dtype(), None
    axis = axis_of(v.attr("axis"), len(x) + 1)
    return v.dtype(), (*x[:axis], len(v.node.inputs), *x[axis:])


def evaluate(xs, attrs):
    return np.stack(xs, attrs["axis"])
