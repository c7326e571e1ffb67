"""Eltwise: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.activations import activate
from mace_tools.convert.ops.common.checks import broadcast, require
from mace_tools.convert.ops.common.view import Type, View

_FLOATS = ("f32", "f16", "bf16")


def infer(v: View) -> Type:
    require(v.attr("activation") == "NOOP" or v.dtype() in _FLOATS or v.tensor(0).quant is not None,
            "its activation needs floats")
    return v.dtype(), broadcast(v.shape(0), v.shape(1))


def _divide(a, b):
    if a.dtype.kind == "f":
        return a / b
    inexact = np.remainder(a, b) != 0
    return a // b + (inexact & ((a < 0) != (b < 0)))  # towards zero


def _power(a, b):
    if a.dtype.kind == "f":
        return np.power(a, b)
    inverse = np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b & 1), 0))
    return np.where(b < 0, inverse, np.power(a, np.maximum(b, 0))).astype(a.dtype)


_ELTWISE = {
    "SUM": np.add, "SUB": np.subtract, "PROD": np.multiply, "DIV": _divide, "MIN": np.minimum,
    "MAX": np.maximum, "POW": _power, "SQR_DIFF": lambda a, b: np.square(a - b),
    "FLOOR_DIV": np.floor_divide, "MOD": np.mod, "FMOD": np.fmod,
}  # fmt: skip


def evaluate(xs, attrs):
    with np.errstate(all="ignore"):
        result = _ELTWISE[attrs["type"]](xs[0], xs[1])
    return activate(np.asarray(result, xs[0].dtype), attrs)
