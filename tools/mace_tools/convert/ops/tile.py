"""Tile: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, repeats = v.shape(), v.ints(1, "repeats")
    if x is None or repeats is None:
        return v.dtype(), None if x is None else (None,) * len(x)
    require(len(repeats) == len(x) and min(repeats, default=0) >= 0,
            f"repeats {repeats} must hold a number for each axis of {x}")
    return v.dtype(), tuple(None if d is None else d * r for d, r in zip(x, repeats))


def evaluate(xs, attrs):
    return np.tile(xs[0], ints(xs, 1, attrs, "repeats"))
