"""Constants of element types of few bits that NumPy lacks: int4, uint4, int2, uint2, and
floats of 8, 6 and 4 bits.

SPDX-License-Identifier: Apache-2.0

Source: the OCP Microscaling Formats (MX) Specification 1.0, and "Float stored in 8 bits" of ONNX.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Integer:
    """`held`: the type of NumPy that holds it."""

    bits: int
    held: type

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the largest value."""
        low = -(1 << (self.bits - 1)) if self.held is np.int8 else 0
        return low, low + (1 << self.bits) - 1


@dataclass(frozen=True)
class Float:
    """The value of exponent e and fraction f is 2^(e - bias) (1 + f), or 2^(1 - bias) f for e = 0.

    `special`: the largest exponent is for infinity and NaN as in IEEE 754 ("ieee"), the largest
    number is NaN ("nan"), NaN has the bits of -0 ("zero"), or there is neither ("")."""

    exponent: int
    fraction: int
    bias: int
    special: str = ""
    signed: bool = True

    @property
    def bits(self) -> int:
        return self.signed + self.exponent + self.fraction


INTEGERS = {"int4": Integer(4, np.int8), "uint4": Integer(4, np.uint8),
            "int2": Integer(2, np.int8), "uint2": Integer(2, np.uint8)}
FLOATS = {"float8e4m3fn": Float(4, 3, 7, "nan"), "float8e4m3fnuz": Float(4, 3, 8, "zero"),
          "float8e5m2": Float(5, 2, 15, "ieee"), "float8e5m2fnuz": Float(5, 2, 16, "zero"),
          "float8e8m0": Float(8, 0, 127, "nan", signed=False), "float4e2m1": Float(2, 1, 1),
          "float6e2m3": Float(2, 3, 1), "float6e3m2": Float(3, 2, 3)}  # fmt: skip
TYPES: dict[str, Integer | Float] = {**INTEGERS, **FLOATS}


def packed_bytes(kind: str, count: int) -> int:
    """The bytes of so many elements, one after the other from the lowest bits on."""
    return -(-count * TYPES[kind].bits // 8)


def unpacked(kind: str, raw: bytes, count: int) -> np.ndarray:
    """The elements in `raw`, which has packed_bytes(kind, count)."""
    width = TYPES[kind].bits
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")[: count * width]
    wide = np.pad(bits.reshape(count, width), ((0, 0), (0, 8 - width)))
    return numbers(kind, np.packbits(wide, axis=1, bitorder="little").reshape(-1))


def numbers(kind: str, bits: np.ndarray) -> np.ndarray:
    """What the low bits of bytes stand for: integers, or float32."""
    form = TYPES[kind]
    bits = bits & np.uint8((1 << form.bits) - 1)
    if isinstance(form, Float):
        return _floats(form)[bits]
    if form.held is np.uint8:
        return bits
    sign = np.int16(1 << (form.bits - 1))
    return ((bits.astype(np.int16) ^ sign) - sign).astype(np.int8)


def _floats(form: Float) -> np.ndarray:
    """The value of every code."""
    bits = np.arange(1 << form.bits)
    exponent = bits >> form.fraction & ((1 << form.exponent) - 1)
    fraction = (bits & ((1 << form.fraction) - 1)) / (1 << form.fraction)
    small = (exponent == 0) & (form.fraction > 0)
    values = np.where(small, fraction, 1 + fraction) * 2.0 ** (
        np.where(small, 1, exponent) - form.bias)
    largest = (1 << (form.bits - form.signed)) - 1
    magnitude = bits & largest
    if form.special == "ieee":
        at_end = exponent == (1 << form.exponent) - 1
        values = np.where(at_end, np.where(fraction == 0, np.inf, np.nan), values)
    elif form.special == "nan":
        values = np.where(magnitude == largest, np.nan, values)
    if form.signed:
        values = np.where(bits > largest, -values, values)
    if form.special == "zero":
        values = np.where(bits == largest + 1, np.nan, values)
    return values.astype(np.float32)
