"""FarmHash's Fingerprint64 in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np

_K0, _K1, _K2 = (np.uint64(k) for k in (0xC3A5C85C97CB3127, 0xB492B66FBE98F273,
                                        0x9AE16A3B2F90404F))


def fingerprint64(messages: np.ndarray) -> np.ndarray:
    """FarmHash's Fingerprint64 of each row, u8 [N, bytes], as u64 [N]; modulo 2^64 throughout.

    Source: FarmHash 1.1 (github.com/google/farmhash)."""
    size = messages.shape[1]
    mix = _up_to_16 if size <= 16 else _up_to_32 if size <= 32 else _up_to_64
    with np.errstate(over="ignore"):
        return (mix if size <= 64 else _from_65)(np.ascontiguousarray(messages), size)


def _word(s: np.ndarray, at: int, kind: Any = "<u8") -> np.ndarray:
    part = np.ascontiguousarray(s[:, at : at + np.dtype(kind).itemsize])
    return part.view(kind)[:, 0].astype(np.uint64)


def _rotated(v: np.ndarray, bits: int) -> np.ndarray:
    return v >> np.uint64(bits) | v << np.uint64(64 - bits)


def _shifted(v: np.ndarray) -> np.ndarray:
    return v ^ (v >> np.uint64(47))


def _mixed(u: np.ndarray, v: np.ndarray, factor: Any) -> np.ndarray:
    return _shifted((v ^ _shifted((u ^ v) * factor)) * factor) * factor


def _factor(size: int) -> np.uint64:
    return _K2 + np.uint64(2 * size)


def _up_to_16(s: np.ndarray, size: int) -> np.ndarray:
    factor = _factor(size)
    if size >= 8:
        a, b = _word(s, 0) + _K2, _word(s, size - 8)
        return _mixed(_rotated(b, 37) * factor + a, (_rotated(a, 25) + b) * factor, factor)
    if size >= 4:
        a, b = _word(s, 0, "<u4"), _word(s, size - 4, "<u4")
        return _mixed(np.uint64(size) + (a << np.uint64(3)), b, factor)
    if size == 0:
        return np.full(len(s), _K2)
    first, middle, last = (s[:, k].astype(np.uint64) for k in (0, size >> 1, size - 1))
    y, z = first + (middle << np.uint64(8)), np.uint64(size) + (last << np.uint64(2))
    return _shifted(y * _K2 ^ z * _K0) * _K2


def _up_to_32(s: np.ndarray, size: int) -> np.ndarray:
    factor = _factor(size)
    a, b = _word(s, 0) * _K1, _word(s, 8)
    c, d = _word(s, size - 8) * factor, _word(s, size - 16) * _K2
    return _mixed(_rotated(a + b, 43) + _rotated(c, 30) + d, a + _rotated(b + _K2, 18) + c, factor)


def _up_to_64(s: np.ndarray, size: int) -> np.ndarray:
    factor = _factor(size)
    a, b = _word(s, 0) * _K2, _word(s, 8)
    c, d = _word(s, size - 8) * factor, _word(s, size - 16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    z = _mixed(y, a + _rotated(b + _K2, 18) + c, factor)
    e, f = _word(s, 16) * factor, _word(s, 24)
    g, h = (y + _word(s, size - 32)) * factor, (z + _word(s, size - 24)) * factor
    return _mixed(_rotated(e + f, 43) + _rotated(g, 30) + h, e + _rotated(f + a, 18) + g, factor)


def _hashed_32(s: np.ndarray, at: int, a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """Two words for 32 bytes and two seeds."""
    last = _word(s, at + 24)
    a = a + _word(s, at)
    b = _rotated(b + a + last, 21)
    both = a + _word(s, at + 8) + _word(s, at + 16)
    return [both + last, b + _rotated(both, 44) + a]


def _from_65(s: np.ndarray, size: int) -> np.ndarray:
    zero = np.zeros(len(s), np.uint64)
    x, y = np.uint64(81) * _K2 + _word(s, 0), zero + np.uint64(81) * _K1 + np.uint64(113)
    z = _shifted(y * _K2 + np.uint64(113)) * _K2
    v, w, last = [zero, zero], [zero, zero], size - 64
    for at in (*range(0, last, 64), last):
        factor: Any = _K1
        extra = np.uint64(1)
        if at == last:
            factor, extra = _K1 + ((z & np.uint64(0xFF)) << np.uint64(1)), np.uint64(9)
            w[0] = w[0] + np.uint64((size - 1) & 63)
            v[0] = v[0] + w[0]
            w[0] = w[0] + v[0]
        x = _rotated(x + y + v[0] + _word(s, at + 8), 37) * factor
        y = _rotated(y + v[1] + _word(s, at + 48), 42) * factor
        x = x ^ w[1] * extra
        y = y + v[0] * extra + _word(s, at + 40)
        z = _rotated(z + w[0], 33) * factor
        v = _hashed_32(s, at, v[1] * factor, x + w[0])
        w = _hashed_32(s, at + 32, z + w[1], y + _word(s, at + 16))
        x, z = z, x
    return _mixed(_mixed(v[0], w[0], factor) + _shifted(y) * _K0 + z,
                  _mixed(v[1], w[1], factor) + x, factor)
