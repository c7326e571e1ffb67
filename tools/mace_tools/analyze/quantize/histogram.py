"""Histograms that grow with what they are given, so that one pass over the samples is enough.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

MAX_BINS = 4096


class Histogram:
    """Bin k counts the values in [k * width, (k + 1) * width). The width is a power of two, which
    doubles when the values no longer fit, so the order of the values does not matter."""

    def __init__(self) -> None:
        self.width = 0.0  # until a value other than 0 comes
        self.first = 0
        self.counts = np.zeros(0, np.int64)
        self.zeros = 0  # exact zeros, which ReLUs make many of
        self.low, self.high = math.inf, -math.inf

    @property
    def total(self) -> int:
        return int(self.counts.sum()) + self.zeros

    def add(self, values: np.ndarray) -> None:
        """REQUIRES: all values are finite."""
        values = values.ravel()
        if not values.size:
            return
        low, high = float(values.min()), float(values.max())
        self.low, self.high = min(self.low, low), max(self.high, high)
        if low == high == 0:
            self.zeros += values.size
            return
        self._fit()
        places = np.floor(values * np.float32(1 / self.width)).astype(np.int32)
        at_zero = int(values.size - np.count_nonzero(values))
        begin = int(places.min())
        found = np.bincount(places - begin)
        if at_zero:
            found[-begin] -= at_zero
            self.zeros += at_zero
        self._count(begin, found)

    def _fit(self) -> None:
        """Makes the bins wide enough for [low, high]."""
        span = max(self.high, 0.0) - min(self.low, 0.0)
        # A power of two with at least half of the bins in use; 1 / width stays a normal number.
        wanted = 2.0 ** max(-120, math.ceil(math.log2(span / (MAX_BINS - 2))))
        if self.width == 0:
            self.width = wanted
        while self.width < wanted:
            self._halve()

    def _halve(self) -> None:
        """Joins pairs of bins."""
        self.width *= 2
        if not self.counts.size:
            return
        ahead = self.first % 2
        padded = np.pad(self.counts, (ahead, (ahead + self.counts.size) % 2))
        self.counts = padded.reshape(-1, 2).sum(1)
        self.first = (self.first - ahead) // 2

    def _count(self, begin: int, found: np.ndarray) -> None:
        if not self.counts.size:
            self.first = begin
        first = min(self.first, begin)
        end = max(self.first + self.counts.size, begin + found.size)
        counts = np.zeros(end - first, np.int64)
        counts[self.first - first:][:self.counts.size] = self.counts
        counts[begin - first:][:found.size] += found
        self.first, self.counts = first, counts

    def centers(self) -> np.ndarray:
        """The middle of each bin, within the range of the values."""
        middle = (np.arange(self.counts.size) + self.first + 0.5) * self.width
        return np.clip(middle, self.low, self.high)
