"""Chooses the range of floats that 256 quantized values stand for, from a histogram.

SPDX-License-Identifier: Apache-2.0

Values outside are clipped, values inside are rounded: a smaller range clips more and rounds less.
All ranges contain 0, so that zero has a code.

    percentile  leaves out the same share at both ends
    mse         the least sum of squared differences, which clipping and rounding cause
    kl          the least relative entropy of the rounded distribution (S. Migacz, 8-bit Inference
                with TensorRT, 2017), for ranges of any two ends
"""

from collections.abc import Callable

import numpy as np

from mace_tools.analyze.quantize.histogram import Histogram
from mace_tools.config.quantization_options import Choices
from mace_tools.graph.ir import Quant

MIN, MAX, LEVELS = -128, 127, 256
# A scale of what is always 0, and the least scale: that of values that no float32 result shows.
_ZERO_SCALE, _MIN_SCALE = 1.0 / 256, 2.0**-60
_FRACTIONS = np.linspace(1.0, 0.2, 81)
Range = tuple[float, float]


def choose(found: Histogram, choices: Choices) -> Range:
    """The range for a tensor with these values; it contains 0."""
    low, high = min(found.low, 0.0), max(found.high, 0.0)
    if not found.counts.size or low == high:
        return 0.0, 0.0
    if choices.method == "percentile":
        return _percentile(found, choices.percentile)
    if choices.method == "minmax":
        return low, high
    error = {"mse": _squared_error, "kl": _relative_entropy}[choices.method]
    return _search(found, (low, high), error)


def quant_of(low: float, high: float) -> Quant:
    """Scale and zero point of a range that contains 0, which is represented exactly."""
    scale = np.float32((high - low) / (LEVELS - 1))
    if not scale > 0:
        return per_tensor(_ZERO_SCALE, MIN if low == 0 else 0)
    scale = max(scale, np.float32(_MIN_SCALE))
    zero = int(np.clip(np.rint(MIN - low / float(scale)), MIN, MAX))
    return per_tensor(float(scale), zero)


def per_tensor(scale: float, zero: int) -> Quant:
    return Quant(np.array([scale], np.float32), np.array([zero], np.int64))


def span_of(quant: Quant) -> Range:
    """The least and the largest number that has a code."""
    scale, zero = float(quant.scale[0]), int(quant.zero_point[0])
    return (MIN - zero) * scale, (MAX - zero) * scale


def _percentile(found: Histogram, percent: float) -> Range:
    """Each end that the values have loses its part of what is left out."""
    left_out = found.total * (1 - percent / 100)
    below = _count_below(found)
    edges = (np.arange(found.counts.size + 1) + found.first) * found.width
    ends = (found.low < 0) + (found.high > 0)
    low = edges[np.searchsorted(below, left_out / ends, side="right") - 1]
    high = edges[np.searchsorted(below, found.total - left_out / ends, side="left")]
    return (min(0.0, max(float(low), found.low)), max(0.0, min(float(high), found.high)))


def _count_below(found: Histogram) -> np.ndarray:
    """How many values are below each edge of a bin."""
    counts = found.counts.copy()
    at_zero = -found.first
    if 0 <= at_zero < counts.size:
        counts[at_zero] += found.zeros
    below = np.concatenate([[0], np.cumsum(counts)])
    return below + (found.zeros if at_zero < 0 else 0)


def _search(found: Histogram, whole: Range, error: Callable[[Histogram, Range], float]) -> Range:
    """Moves one end after the other to where the error is least; twice, because they depend on
    each other."""
    low, high = whole
    for _ in range(2):
        if whole[1] > 0:
            tried = [whole[1] * f for f in _FRACTIONS]
            high = tried[int(np.argmin([error(found, (low, h)) for h in tried]))]
        if whole[0] < 0:
            tried = [whole[0] * f for f in _FRACTIONS]
            low = tried[int(np.argmin([error(found, (e, high)) for e in tried]))]
    return low, high


def _squared_error(found: Histogram, tried: Range) -> float:
    centers = found.centers()
    low, high = tried
    step = (high - low) / (LEVELS - 1)
    if not step > 0:
        return float((found.counts * centers**2).sum())
    clipped = np.clip(centers, low, high)
    beyond = (centers - clipped) ** 2
    # Values within a bin are spread over it, so rounding moves them by up to half a step.
    return float((found.counts * np.where(beyond > 0, beyond, step**2 / 12)).sum())


def _relative_entropy(found: Histogram, tried: Range) -> float:
    """Of the histogram from its clipped form, whose bins within one code share their count."""
    low, high = tried
    step = (high - low) / (LEVELS - 1)
    if not step > 0:
        return np.inf
    centers, counts = found.centers(), found.counts.astype(np.float64)
    inside = (centers >= low) & (centers <= high)
    if not inside.any():
        return np.inf
    levels = np.rint((centers - low) / step).astype(np.int64)[inside]
    exact = counts[inside].copy()
    held = exact.copy()
    exact[0] += counts[centers < low].sum()
    exact[-1] += counts[centers > high].sum()
    used = held > 0
    sums = np.bincount(levels[used], held[used], LEVELS)
    bins = np.bincount(levels[used], minlength=LEVELS)
    spread = np.where(used, sums[levels] / np.maximum(bins[levels], 1), 0.0)
    p, q = exact / exact.sum(), spread / max(spread.sum(), 1e-300)
    here = p > 0
    return float((p[here] * np.log(p[here] / np.maximum(q[here], 1e-12))).sum())
