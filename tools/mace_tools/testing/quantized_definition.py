"""TFLite's arithmetic of quantized values in NumPy, where LiteRT's kernels are not the reference.

SPDX-License-Identifier: Apache-2.0

Source: TFLite's quantization specification and gemmlowp's documentation of fixed-point numbers.
FullyConnected rounds twice, as TFLite Micro and LiteRT before April 2025 have it.
"""

import math
from typing import Any

import numpy as np


def fixed(factor: float) -> tuple[int, int]:
    """The factor mantissa * 2^(exponent - 31) nearest to a real one."""
    if factor == 0:
        return 0, 0
    fraction, exponent = math.frexp(factor)
    mantissa = math.floor(fraction * 2**31 + 0.5)
    if mantissa == 2**31:
        mantissa, exponent = 2**30, exponent + 1
    return (0, 0) if exponent < -31 else (mantissa, exponent)


def wrapped(x: np.ndarray) -> np.ndarray:
    """Modulo 2^32."""
    return x.astype(np.int64).astype(np.uint32).astype(np.int32).astype(np.int64)


def scaled(x: np.ndarray, factor: float) -> np.ndarray:
    """x times a factor, rounded twice: ties up, then ties away from zero."""
    mantissa, exponent = fixed(factor)
    left, right = max(exponent, 0), max(-exponent, 0)
    product = wrapped(x << left) * mantissa
    high = (product + (1 << 30)) >> 31
    rest = high & ((1 << right) - 1)
    return (high >> right) + (rest > (((1 << right) - 1) >> 1) + (high < 0))


def fully_connected(x: Any, w: Any, bias: np.ndarray, out: Any, fields: dict) -> np.ndarray:
    taps = w.data.astype(np.int64) - (w.zero if np.size(w.zero) == 1 else 0)
    return finished((x.data.astype(np.int64) - x.zero) @ taps.T + bias, x, w, out, fields)


def finished(sums: np.ndarray, x: Any, w: Any, out: Any, fields: dict) -> np.ndarray:
    """Quantized values of the result; the last axis of the sums is that of the filter's scales."""
    y = np.empty(sums.shape, np.int64)
    scales = np.broadcast_to(np.float32(w.scale), sums.shape[-1:])
    for o, scale in enumerate(scales):
        factor = float(np.float32(x.scale)) * float(scale) / float(np.float32(out.scale))
        y[..., o] = scaled(wrapped(sums[..., o]), factor) + out.zero
    least, most = limits(out, fields.get("FusedActivationFunction", 0))
    return np.minimum(np.maximum(y, least), most).astype(out.dtype)


def limits(out: Any, activation: int) -> tuple[int, int]:
    """The quantized values that a fused activation leaves."""
    info = np.iinfo(out.dtype)
    least, most = int(info.min), int(info.max)

    def quantized(value: float) -> int:
        units = np.float32(value) / np.float32(out.scale)
        return out.zero + int(math.copysign(math.floor(abs(float(units)) + 0.5), units))

    if activation in (1, 3):
        least = max(least, out.zero)
    if activation == 3:
        most = min(most, quantized(6))
    if activation == 2:
        least, most = max(least, quantized(-1)), min(most, quantized(1))
    return least, most
