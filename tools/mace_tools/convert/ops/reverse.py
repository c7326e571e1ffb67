"""Reverse: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axes_of
from mace_tools.convert.ops.common.same_shape import as_input
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    if v.shape() is not None:
        axes_of(v.attr("axis"), len(v.shape()))
    return as_input(v)


def evaluate(xs, attrs):
    return np.flip(xs[0], tuple(attrs["axis"]))
