"""Whether the columns of a tensor keep their order when the model is quantized.

SPDX-License-Identifier: Apache-2.0

One scale for numbers that differ in size, such as coordinates and scores, makes the small ones
equal, which no error of the whole tensor shows.
"""

import numpy as np

MIN_CORRELATION = 0.9
_MIN_VALUES = 32  # of a column, to tell
_MAX_COLUMNS = 4096


class Columns:
    """The correlation of each index along the second and the last axis with the same of the
    reference, summed up over samples."""

    def __init__(self) -> None:
        self._sums: dict[int, np.ndarray] = {}  # by axis: of values, products, and their number

    def add(self, found: np.ndarray, reference: np.ndarray) -> None:
        for axis in {1, reference.ndim - 1} if reference.ndim >= 2 else ():
            count = reference.shape[axis]
            if not 2 <= count <= _MAX_COLUMNS or found.shape != reference.shape:
                continue
            a, r = (np.moveaxis(x, axis, -1).reshape(-1, count).astype(np.float64)
                    for x in (found, reference))
            sums = np.stack([np.full(count, len(a)), a.sum(0), r.sum(0), (a * a).sum(0),
                             (r * r).sum(0), (a * r).sum(0)])
            old = self._sums.get(axis)
            if old is None or old.shape == sums.shape:
                self._sums[axis] = sums if old is None else old + sums

    def lost(self) -> dict[int, list[int]]:
        """By axis, the indices that do not follow the reference."""
        found = {axis: _lost(sums) for axis, sums in self._sums.items()}
        return {axis: which for axis, which in found.items() if which}


def _lost(sums: np.ndarray) -> list[int]:
    n, a, r, aa, rr, ar = sums
    spread_a, spread_r = n * aa - a * a, n * rr - r * r
    varies = (n >= _MIN_VALUES) & (spread_r > 1e-6 * n * rr)
    with np.errstate(all="ignore"):
        correlation = (n * ar - a * r) / np.sqrt(spread_a * spread_r)
    is_like = (spread_a > 1e-9 * n * aa) & (correlation >= MIN_CORRELATION)
    return [int(k) for k in np.flatnonzero(varies & ~is_like)]
