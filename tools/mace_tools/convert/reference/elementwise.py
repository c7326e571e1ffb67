"""NumPy evaluation of ops that work element by element.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math

import numpy as np

from mace_tools.convert.reference import op
from mace_tools.graph.ir import NUMPY

_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805  # Klambauer et al., 2017


def erf(x):
    return np.asarray(_erf(x), x.dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def activate(x, attrs):
    """The activation that `attrs` name, applied in float32."""
    a, b = attrs["activation_coefficient"], attrs["hardsigmoid_beta"]
    kind = attrs["activation"]
    with np.errstate(over="ignore"):
        return _ACTIVATIONS[kind](x, a, b, attrs["max_limit"]).astype(x.dtype, copy=False)


_ACTIVATIONS = {
    "NOOP": lambda x, a, b, m: x,
    "RELU": lambda x, a, b, m: np.maximum(x, 0),
    "RELUX": lambda x, a, b, m: np.minimum(np.maximum(x, 0), m),
    "TANH": lambda x, a, b, m: np.tanh(x),
    "SIGMOID": lambda x, a, b, m: sigmoid(x),
    "LEAKYRELU": lambda x, a, b, m: np.where(x < 0, a * x, x),
    "ELU": lambda x, a, b, m: np.where(x < 0, a * np.expm1(x), x),
    "SELU": lambda x, a, b, m: SELU_SCALE * np.where(x < 0, SELU_ALPHA * np.expm1(x), x),
    "HARDSIGMOID": lambda x, a, b, m: np.clip(a * x + b, 0, 1),
    "HARDSWISH": lambda x, a, b, m: x * np.clip(x / 6 + 0.5, 0, 1),
    "SOFTPLUS": lambda x, a, b, m: np.logaddexp(x, 0),
    "SOFTSIGN": lambda x, a, b, m: x / (1 + np.abs(x)),
    "GELU": lambda x, a, b, m: 0.5 * x * (1 + erf(x / np.sqrt(2))),
    "GELU_TANH": lambda x, a, b, m: 0.5 * x * (
        1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "SWISH": lambda x, a, b, m: x * sigmoid((a or 1) * x),
}


@op("Activation")
def activation(xs, attrs):
    return activate(xs[0], attrs)


@op("PRelu")
def prelu(xs, attrs):
    return np.where(xs[0] < 0, xs[0] * xs[1], xs[0])


@op("Clip")
def clip(xs, attrs):
    x = xs[0]
    low = xs[1] if len(xs) > 1 and xs[1] is not None else attrs["min"]
    high = xs[2] if len(xs) > 2 and xs[2] is not None else attrs["max"]
    x = x if np.isneginf(low) else np.maximum(x, low)  # so that integers stay integers
    return (x if np.isposinf(high) else np.minimum(x, high)).astype(xs[0].dtype)


@op("BiasAdd")
def bias_add(xs, attrs):
    return activate(xs[0] + xs[1], attrs)


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


@op("Eltwise")
def eltwise(xs, attrs):
    with np.errstate(all="ignore"):
        result = _ELTWISE[attrs["type"]](xs[0], xs[1])
    return activate(np.asarray(result, xs[0].dtype), attrs)


_COMPARE = {
    "EQUAL": np.equal, "NOT_EQUAL": np.not_equal, "LESS": np.less, "LESS_EQUAL": np.less_equal,
    "GREATER": np.greater, "GREATER_EQUAL": np.greater_equal,
}  # fmt: skip


@op("Compare")
def compare(xs, attrs):
    return _COMPARE[attrs["type"]](xs[0], xs[1])


@op("Logical")
def logical(xs, attrs):
    if attrs["type"] == "NOT":
        return np.logical_not(xs[0])
    table = {"AND": np.logical_and, "OR": np.logical_or, "XOR": np.logical_xor}
    return table[attrs["type"]](xs[0], xs[1])


_UNARY = {
    "ABS": np.abs, "NEG": np.negative, "EXP": np.exp, "LOG": np.log, "SQRT": np.sqrt,
    "RSQRT": lambda x: 1 / np.sqrt(x), "SQUARE": np.square, "RECIPROCAL": lambda x: 1 / x,
    "FLOOR": np.floor, "CEIL": np.ceil, "ROUND": np.rint, "SIGN": np.sign, "SIN": np.sin,
    "COS": np.cos, "TAN": np.tan, "ASIN": np.arcsin, "ACOS": np.arccos, "ATAN": np.arctan,
    "SINH": np.sinh, "COSH": np.cosh, "ASINH": np.arcsinh, "ACOSH": np.arccosh,
    "ATANH": np.arctanh, "ERF": erf, "ERFC": lambda x: np.asarray(_erfc(x), x.dtype),
}  # fmt: skip


@op("Unary")
def unary(xs, attrs):
    kind = attrs["type"]
    if kind in ("IS_NAN", "IS_INF"):
        return np.isnan(xs[0]) if kind == "IS_NAN" else np.isinf(xs[0])
    with np.errstate(all="ignore"):
        return np.asarray(_UNARY[kind](xs[0]), xs[0].dtype)


_BITS = {"AND": np.bitwise_and, "OR": np.bitwise_or, "XOR": np.bitwise_xor}


@op("Bitwise")
def bitwise(xs, attrs):
    kind = attrs["type"]
    if kind in _BITS:
        return _BITS[kind](*xs)
    most = 8 * xs[0].dtype.itemsize - 1
    beyond = (xs[1] < 0) | (xs[1] > most)
    by = np.where(beyond, most, xs[1])
    if kind == "SHIFT_RIGHT":
        return np.right_shift(xs[0], by).astype(xs[0].dtype)
    return np.where(beyond, 0, np.left_shift(xs[0], by)).astype(xs[0].dtype)


@op("Bitcast")
def bitcast(xs, attrs):
    return np.ascontiguousarray(xs[0]).view(NUMPY[attrs["to"]]).reshape(xs[0].shape)


@op("Select")
def select(xs, attrs):
    return np.where(xs[0], xs[1], xs[2])


@op("Cast")
def cast(xs, attrs):
    with np.errstate(all="ignore"):
        return xs[0].astype(NUMPY[attrs["to"]])


@op("Identity")
def identity(xs, attrs):
    return xs[0]
