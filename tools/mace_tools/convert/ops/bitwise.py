"""Bitwise: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import broadcast
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    return v.dtype(), broadcast(v.shape(0), v.shape(1))


_BITS = {"AND": np.bitwise_and, "OR": np.bitwise_or, "XOR": np.bitwise_xor}


def evaluate(xs, attrs):
    kind = attrs["type"]
    if kind in _BITS:
        return _BITS[kind](*xs)
    most = 8 * xs[0].dtype.itemsize - 1
    beyond = (xs[1] < 0) | (xs[1] > most)
    by = np.where(beyond, most, xs[1])
    if kind == "SHIFT_RIGHT":
        return np.right_shift(xs[0], by).astype(xs[0].dtype)
    return np.where(beyond, 0, np.left_shift(xs[0], by)).astype(xs[0].dtype)
