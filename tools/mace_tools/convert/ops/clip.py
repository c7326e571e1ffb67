"""Clip: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import check_single
from mace_tools.convert.ops.common.same_shape import as_input
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    check_single(v, 1)
    check_single(v, 2)
    return as_input(v)


def evaluate(xs, attrs):
    x = xs[0]
    low = xs[1] if len(xs) > 1 and xs[1] is not None else attrs["min"]
    high = xs[2] if len(xs) > 2 and xs[2] is not None else attrs["max"]
    x = x if np.isneginf(low) else np.maximum(x, low)  # so that integers stay integers
    return (x if np.isposinf(high) else np.minimum(x, high)).astype(xs[0].dtype)
