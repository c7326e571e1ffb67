"""The audio front end of speech commands: spectrograms and the coefficients that follow them.

SPDX-License-Identifier: Apache-2.0

TensorFlow and TFLite share these. Formulas: the documentation of tf.raw_ops.AudioSpectrogram and
Mfcc; Davis and Mermelstein 1980 for the mel scale and the cosine transform.
"""

from dataclasses import dataclass

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.spectral import of_real, table

_MAX_FRAMES = 1 << 16


def spectrogram(b: Builder, x: str, window: int, stride: int, squared: bool) -> str:
    """The magnitudes [channels, windows, frequencies] of windows of samples [samples, channels], or
    their squares. Each window is filled with zeros to a power of two."""
    shape = b.extents(x)
    if len(shape) != 2 or shape[0] is None:
        raise Unsupported("the number of its samples is not known", "give input_shapes")
    if window < 2 or stride < 1 or shape[0] < window or shape[0] // stride > _MAX_FRAMES:
        raise Unsupported(f"windows of {window} samples every {stride} of {shape[0]}",
                          "give at least one window of 2 samples or more, and a stride above 0")
    starts = np.arange(0, shape[0] - window + 1, stride)
    places = b.add_const(starts[:, None] + np.arange(window), "i32", "places")
    frames = b.op("Gather", b.transpose(x, [1, 0]), places, axis=1)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    length = 1 << int(window - 1).bit_length()
    turns = of_real(hann[:, None] * table(length, window, length // 2 + 1, -1))
    pairs = b.op("MatMul", frames, b.add_const(turns, name="turns"))
    pairs = b.op("Reshape", pairs, dim=[0, 0, length // 2 + 1, 2])
    return b.op("Reduce", pairs, reduce_type="SUM_SQUARE" if squared else "L2", axis=[3],
                keepdims=0)


@dataclass
class Mel:
    """What Mfcc has of attributes: limits in Hz, the number of filters between them, and how many
    coefficients there are."""

    low: float = 20.0
    high: float = 4000.0
    filters: int = 40
    coefficients: int = 13


def mfcc(b: Builder, x: str, rate: float, mel: Mel) -> str:
    """The coefficients of squared magnitudes x [channels, windows, frequencies]. `rate`: of the
    samples, in Hz."""
    bins = b.extents(x)[-1]
    low, high, count, wanted = mel.low, mel.high, mel.filters, mel.coefficients
    if bins is None:
        raise Unsupported("the length of its spectrum is not known", "give input_shapes")
    if not (bins > 1 and rate > 0 and 0 <= low < high <= rate / 2 and 0 < count <= 4096
            and 0 < wanted <= count):
        raise Unsupported(
            f"{wanted} coefficients of {count} filters from {low} to {high} Hz of {bins} "
            f"frequencies at a rate of {rate}",
            "the limits must rise from 0 to at most half of the rate, and there may not be more "
            "coefficients than filters")
    filters = mel_filters(bins, rate, low, high, count)
    k = np.arange(wanted)[:, None]
    cosines = np.sqrt(2 / count) * np.cos(np.pi / count * k * (np.arange(count) + 0.5))
    y = b.op("MatMul", b.op("Unary", x, type="SQRT"), b.add_const(filters, "f32", "filters"))
    y = b.op("Eltwise", y, b.add_const(np.float32(1e-12)), type="MAX")
    return b.op("MatMul", b.op("Unary", y, type="LOG"), b.add_const(cosines.T, "f32", "cosines"))


def _mel(frequency: np.ndarray | float) -> np.ndarray:
    return 1127.0 * np.log1p(np.asarray(frequency) / 700.0)


def mel_filters(bins: int, rate: float, low: float, high: float, count: int) -> np.ndarray:
    """Triangles [bins, count] whose corners are evenly spaced on the mel scale. A frequency below
    the first centre is in the first triangle, and one above the last in the last."""
    step = 0.5 * rate / (bins - 1)
    mels = _mel(np.arange(bins) * step)
    first, last = int(1.5 + low / step), int(high / step)
    corners = _mel(low) + (_mel(high) - _mel(low)) / (count + 1) * np.arange(count + 2)
    filters = np.zeros((bins, count))
    for i in range(first, min(last, bins - 1) + 1):
        # The corner below it; the filter k rises from corner k to k + 1 and falls to k + 2.
        below = int(np.searchsorted(corners[1:-1], mels[i], "left"))
        falling = (corners[below + 1] - mels[i]) / (corners[below + 1] - corners[below])
        if below > 0:
            filters[i, below - 1] += falling
        if below < count:
            filters[i, below] += 1 - falling
    return filters
