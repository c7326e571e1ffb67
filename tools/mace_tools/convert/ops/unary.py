"""Unary: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.ops.common.activations import erf
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    is_test = str(v.attr("type")).startswith("IS_")
    return "bool" if is_test else v.dtype(), v.shape()


_erfc = np.frompyfunc(math.erfc, 1, 1)
_UNARY = {
    "ABS": np.abs, "NEG": np.negative, "EXP": np.exp, "LOG": np.log, "SQRT": np.sqrt,
    "RSQRT": lambda x: 1 / np.sqrt(x), "SQUARE": np.square, "RECIPROCAL": lambda x: 1 / x,
    "FLOOR": np.floor, "CEIL": np.ceil, "ROUND": np.rint, "SIGN": np.sign, "SIN": np.sin,
    "COS": np.cos, "TAN": np.tan, "ASIN": np.arcsin, "ACOS": np.arccos, "ATAN": np.arctan,
    "SINH": np.sinh, "COSH": np.cosh, "ASINH": np.arcsinh, "ACOSH": np.arccosh,
    "ATANH": np.arctanh, "ERF": erf, "ERFC": lambda x: np.asarray(_erfc(x), x.dtype),
}  # fmt: skip


def evaluate(xs, attrs):
    kind = attrs["type"]
    if kind in ("IS_NAN", "IS_INF"):
        return np.isnan(xs[0]) if kind == "IS_NAN" else np.isinf(xs[0])
    with np.errstate(all="ignore"):
        return np.asarray(_UNARY[kind](xs[0]), xs[0].dtype)
