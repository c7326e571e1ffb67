"""Changes the weights of a model as little as a rounding can, which shows how far its results
depend on roundings.

SPDX-License-Identifier: Apache-2.0

It needs NumPy only, because the processes of exporters load it without the rest of the package.
"""

from dataclasses import dataclass

import numpy as np

# Bits of the significand behind the point, by the type of which an ulp is the change.
_BITS = {"f32": 23, "f16": 10, "bf16": 7}
# Steps between 0 and the largest magnitude, of floats that are stored as such integers.
_STEPS = {"i8": 127, "i4": 7}
KINDS = (*_BITS, *_STEPS)
_OWN_BITS = {2: 10, 4: 23, 8: 52}


@dataclass(frozen=True)
class Nudge:
    """Moves floats by an ulp of the type `kind`, or of their own if that is larger, up or down by
    `seed`; a matrix of floats by a step of the integers `kind`; and matrices of 8-bit integers by
    1. Zeros stay. `min_dims`: arrays with fewer dimensions stay, too."""

    kind: str = "f32"
    seed: int = 0
    min_dims: int = 0

    def of(self, array: np.ndarray, number: int) -> np.ndarray:
        """`number` tells the arrays of a model apart."""
        if array.ndim < self.min_dims:
            return array
        if array.dtype.kind == "f":
            return self._floats(array, self._signs(array, number))
        if array.dtype in (np.int8, np.uint8) and array.ndim >= 2:
            ends = np.iinfo(array.dtype)
            moved = array.astype(np.int16) + self._signs(array, number)
            return np.clip(moved, ends.min, ends.max).astype(array.dtype)
        return array

    def _signs(self, array: np.ndarray, number: int) -> np.ndarray:
        random = np.random.default_rng([self.seed, number])
        return random.integers(0, 2, array.shape, np.int8) * np.int8(2) - np.int8(1)

    def _floats(self, array: np.ndarray, signs: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            wide = array.astype(np.float64)
            fixed = (wide == 0) | ~np.isfinite(wide)
            if self.kind in _STEPS and array.ndim >= 2:
                sizes = np.abs(np.where(fixed, 0, wide))
                step = sizes.max(initial=0.0) / _STEPS[self.kind]
            else:
                bits = min(_BITS.get(self.kind, 23), _OWN_BITS[array.dtype.itemsize])
                step = np.ldexp(1.0, np.frexp(wide)[1] - 1 - bits)
            return np.where(fixed, wide, wide + signs * step).astype(array.dtype)
