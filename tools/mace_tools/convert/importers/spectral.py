"""Fourier transforms as products with constant tables; complex numbers are pairs of floats.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported

MAX_ELEMENTS = 1 << 24  # of a table


def table(length: int, inputs: int, outputs: int, sign: int) -> np.ndarray:
    """exp(sign 2 pi i j k / length) for j < inputs, k < outputs, in float64."""
    if inputs * outputs > MAX_ELEMENTS:
        raise Unsupported(f"a Fourier transform of {inputs} to {outputs} numbers, whose table "
                          "would be too large", "compute it in the app")
    # Whole turns are taken off the integers, so that large angles lose nothing.
    turns = np.outer(np.arange(inputs), np.arange(outputs)) % length
    return np.exp(sign * 2j * np.pi * turns / length)


def of_real(complex_table: np.ndarray) -> np.ndarray:
    """The table [n, 2 m] that makes pairs of real numbers."""
    pairs = np.stack([complex_table.real, complex_table.imag], -1)
    return pairs.reshape(len(pairs), -1).astype(np.float32)


def of_pairs(complex_table: np.ndarray) -> np.ndarray:
    """The table [2 n, 2 m] that makes pairs of pairs."""
    real = np.stack([complex_table.real, complex_table.imag], -1)
    imaginary = np.stack([-complex_table.imag, complex_table.real], -1)
    both = np.stack([real, imaginary], 1)
    return both.reshape(2 * len(complex_table), -1).astype(np.float32)


def inverse_of_half(length: int, bins: int) -> np.ndarray:
    """The table [2 bins, length] from the first half of a spectrum to real numbers."""
    back = table(length, bins, length, 1) / length
    twice = np.full(bins, 2.0)
    twice[0] = 1
    if length % 2 == 0 and bins == length // 2 + 1:
        twice[-1] = 1
    rows = back * twice[:, None]
    return np.stack([rows.real, -rows.imag], 1).reshape(2 * bins, -1).astype(np.float32)


def fitted(b: Builder, x: str, axis: int, length: int) -> str:
    """x with this extent: cut, or with zeros behind."""
    extent = b.extents(x)[axis]
    if extent is None:
        raise Unsupported("the extent of the axis is not known", "give input_shapes")
    if extent > length:
        return b.op("Slice", x, starts=[0], ends=[length], axes=[axis])
    if extent == length:
        return x
    pads = [0, 0] * b.rank(x)
    pads[2 * axis + 1] = length - extent
    return b.op("Pad", x, paddings=pads)


def magnitudes(b: Builder, pairs: str) -> str:
    """The absolute values of complex numbers [..., 2]."""
    return b.op("Reduce", pairs, reduce_type="L2", axis=[b.rank(pairs) - 1], keepdims=0)
