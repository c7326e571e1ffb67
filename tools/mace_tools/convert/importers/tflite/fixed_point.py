"""Arithmetic of int8 kernels of TensorFlow Lite, exact, by operators on integers of 64 bits.

SPDX-License-Identifier: Apache-2.0

For operators that the engine has no quantized kernel for. A quantized value less its zero point is
found again from the float that Dequantize makes of it, which is nearer to it than to any
other.
"""

import math

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.graph.ir import Quant

_WORD = 1 << 32
_HALF = 1 << 31


def scale_of(quant: Quant | None, what: str, zero: bool = False) -> np.float32:
    """The scale of a tensor that has one, and no zero point unless `zero` allows it.

    Errors: ValueError for any other tensor."""
    if quant is None or quant.scale.size != 1:
        raise ValueError(f"{what} does not have one scale")
    if not zero and quant.zero_point.any():
        raise ValueError(f"{what} has the zero point {int(quant.zero_point.reshape(-1)[0])}, "
                         "which must be 0")
    scale = np.float32(quant.scale.reshape(-1)[0])
    if not (np.isfinite(scale) and scale > 0):
        raise ValueError(f"{what} has the scale {scale}, which must be above 0")
    return scale


def differences(b: Builder, x: str, what: str) -> str:
    """Quantized values less their zero point, as floats that are integers."""
    scale = b.add_const(scale_of(b.quant(x), what, zero=True), "f32", "scale")
    return b.op("Unary", b.op("Eltwise", b.op("Dequantize", x), scale, type="DIV"), type="ROUND")


def quantized(b: Builder, integers: str, quant: Quant, dtype: str, what: str) -> str:
    """Quantized values of integers, which are quantized values less their zero point; those beyond
    saturate."""
    scale = b.add_const(scale_of(quant, what, zero=True), "f32", "scale")
    floats = b.op("Eltwise", b.op("Cast", integers, to="f32"), scale, type="PROD")
    y = b.op("Quantize", floats, to=dtype)
    b.set_quant(y, quant)
    return y


def multiplier(factor: np.float32) -> tuple[int, int]:
    """(m, e) with m / 2^31 * 2^e next to a number above 0, m in [2^30, 2^31]; (0, 0) for numbers
    that are too small."""
    fraction, exponent = math.frexp(float(factor))
    m = math.floor(fraction * _HALF + 0.5)
    if m == _HALF:
        m, exponent = m // 2, exponent + 1
    return (m, exponent) if exponent >= -31 else (0, 0)


def wrapped(b: Builder, x: str) -> str:
    """What 32 bits hold of integers of 64 bits."""
    half, mask = (b.add_const(np.int64(n), name="word") for n in (_HALF, _WORD - 1))
    low = b.op("Bitwise", b.op("Eltwise", x, half, type="SUM"), mask, type="AND")
    return b.op("Eltwise", low, half, type="SUB")


def scaled(b: Builder, x: str, factor: np.float32) -> str:
    """Sums, i64 with values of 32 bits, times a number, rounded twice: to the nearest, halves up,
    and after a shift to the right to the nearest, halves away from zero."""
    m, e = multiplier(factor)
    if e > 0:
        x = wrapped(b, b.op("Eltwise", x, b.add_const(np.int64(1 << min(e, 32)), name="power"),
                            type="PROD"))
    y = b.op("Eltwise", x, b.add_const(np.int64(m), name="multiplier"), type="PROD")
    y = _floor(b, b.op("Eltwise", y, b.add_const(np.int64(_HALF // 2), name="half"), type="SUM"),
               _HALF)
    if e >= 0:
        return y
    zero = b.add_const(np.int64(0), name="zero")
    below = b.op("Cast", b.op("Compare", y, zero, type="LESS"), to="i64")
    half = b.add_const(np.int64(1 << (-e - 1)), name="half")
    y = b.op("Eltwise", b.op("Eltwise", y, half, type="SUM"), below, type="SUB")
    return _floor(b, y, 1 << -e)


def _floor(b: Builder, x: str, divisor: int) -> str:
    return b.op("Eltwise", x, b.add_const(np.int64(divisor), name="power"), type="FLOOR_DIV")


def limited(b: Builder, x: str, low: int, high: int) -> str:
    """Integers of 64 bits within [low, high]."""
    bounds = (b.add_const(np.int64(n), name="limit") for n in (low, high))
    return b.op("Eltwise", b.op("Eltwise", x, next(bounds), type="MAX"), next(bounds), type="MIN")
