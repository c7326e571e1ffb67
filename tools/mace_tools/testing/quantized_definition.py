"""TFLite's arithmetic of codes in NumPy, where LiteRT's kernels are not the judge of it.

SPDX-License-Identifier: Apache-2.0

Source: TFLite's quantization specification and gemmlowp's documentation of fixed-point numbers.
FullyConnected is requantized in fixed point, as TFLite Micro and the stored outputs of models have
it; factors of convolutions are of double precision for uint8, too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def fixed(real: float) -> tuple[int, int]:
    """The factor mantissa * 2^(exponent - 31) nearest to a real one."""
    if real == 0:
        return 0, 0
    fraction, exponent = math.frexp(real)
    mantissa = math.floor(fraction * 2**31 + 0.5)
    if mantissa == 2**31:
        mantissa, exponent = 2**30, exponent + 1
    return (0, 0) if exponent < -31 else (mantissa, exponent)


def wrapped(x: np.ndarray) -> np.ndarray:
    """Modulo 2^32."""
    return x.astype(np.int64).astype(np.uint32).astype(np.int32).astype(np.int64)


def scaled(x: np.ndarray, real: float) -> np.ndarray:
    """x times a factor, rounded twice: ties up, then ties away from zero."""
    mantissa, exponent = fixed(real)
    left, right = max(exponent, 0), max(-exponent, 0)
    product = wrapped(x << left) * mantissa
    high = (product + (1 << 30)) >> 31
    rest = high & ((1 << right) - 1)
    return (high >> right) + (rest > (((1 << right) - 1) >> 1) + (high < 0))


def conv(x: Any, w: Any, bias: np.ndarray, out: Any, fields: dict, depthwise: bool) -> np.ndarray:
    """CONV_2D, or DEPTHWISE_CONV_2D with a filter of [1, h, w, channels * multiplier]."""
    taps = w.data.astype(np.int64) - (w.zero if np.size(w.zero) == 1 else 0)
    codes = x.data.astype(np.int64) - x.zero
    if depthwise:
        filters, inputs = taps.shape[3], 1
        per = filters // codes.shape[3]
        taps = taps[0].transpose(2, 0, 1)[..., None]
    else:
        filters, inputs = taps.shape[0], taps.shape[3]
        per = filters // (codes.shape[3] // inputs)
    size = taps.shape[1:3]
    step = [fields.get("StrideH", 1), fields.get("StrideW", 1)]
    gap = [fields.get("DilationHFactor", 1), fields.get("DilationWFactor", 1)]
    codes, extent = _padded(codes, size, step, gap, fields.get("Padding", 0) == 0)
    sums = np.zeros((codes.shape[0], *extent, filters), np.int64)
    for r in range(size[0]):
        for c in range(size[1]):
            part = codes[:, r * gap[0] :, c * gap[1] :][:, :: step[0], :: step[1]]
            part = part[:, : extent[0], : extent[1]]
            for o in range(filters):
                first = o // per * inputs
                sums[..., o] += part[..., first : first + inputs] @ taps[o, r, c]
    return finished(sums + bias, x, w, out, fields)


def _padded(codes: np.ndarray, size: Any, step: list[int], gap: list[int], same: bool
            ) -> tuple[np.ndarray, list[int]]:
    """With zeros around, and the extents of the result."""
    extents, pads = [], [(0, 0)]
    for n, k, s, d in zip(codes.shape[1:3], size, step, gap):
        reach = (k - 1) * d + 1
        extents.append(-(-n // s) if same else -(-(n - reach + 1) // s))
        more = max((extents[-1] - 1) * s + reach - n, 0) if same else 0
        pads.append((more // 2, more - more // 2))
    return np.pad(codes, [*pads, (0, 0)]), extents


def fully_connected(x: Any, w: Any, bias: np.ndarray, out: Any, fields: dict) -> np.ndarray:
    taps = w.data.astype(np.int64) - (w.zero if np.size(w.zero) == 1 else 0)
    return finished((x.data.astype(np.int64) - x.zero) @ taps.T + bias, x, w, out, fields)


def finished(sums: np.ndarray, x: Any, w: Any, out: Any, fields: dict) -> np.ndarray:
    """Codes of the result; the last axis of the sums is that of the filter's scales."""
    y = np.empty(sums.shape, np.int64)
    scales = np.broadcast_to(np.float32(w.scale), sums.shape[-1:])
    for o, scale in enumerate(scales):
        real = float(np.float32(x.scale)) * float(scale) / float(np.float32(out.scale))
        y[..., o] = scaled(wrapped(sums[..., o]), real) + out.zero
    least, most = limits(out, fields.get("FusedActivationFunction", 0))
    return np.minimum(np.maximum(y, least), most).astype(out.dtype)


def limits(out: Any, activation: int) -> tuple[int, int]:
    """The codes that a fused activation leaves."""
    info = np.iinfo(out.dtype)
    least, most = int(info.min), int(info.max)

    def code(real: float) -> int:
        units = np.float32(real) / np.float32(out.scale)
        return out.zero + int(math.copysign(math.floor(abs(float(units)) + 0.5), units))

    if activation in (1, 3):
        least = max(least, out.zero)
    if activation == 3:
        most = min(most, code(6))
    if activation == 2:
        least, most = max(least, code(-1)), min(most, code(1))
    return least, most
