"""How Resize maps the elements of its output to those of its input.

SPDX-License-Identifier: Apache-2.0

NEAREST computes positions in float32, as the engine and the source frameworks do: where one is next
to a whole number or a tie, its last bit decides which element is taken.
Source: ONNX Resize-19, tf.image.resize, TFLite RESIZE_NEAREST_NEIGHBOR.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mace_tools.convert.ops.common.checks import require

MAX_RESIZED = 2**24


def resized(extent: int, scale: float) -> int:
    """The extent after scaling by Resize, computed in float32 as in the engine."""
    out = np.floor(np.float32(extent) * np.float32(scale))
    require(scale > 0 and out <= MAX_RESIZED, f"scale {scale} is out of range")
    return int(out)


# That of ONNX Runtime, with which ONNX models agree in every tie up to 16.
_TIE_TOLERANCE = np.float32(1e-6)


@dataclass(frozen=True)
class Axis:
    """How one axis is resized; `scale` may differ from `out / extent`."""

    extent: int
    out: int
    scale: float
    start: float = 0.0  # of the part that TF_CROP_AND_RESIZE takes
    end: float = 1.0
    beyond: float = 0.0  # what is outside, there
    by_step: bool = False  # positions are multiples of extent / out, as in TensorFlow

    def back(self, i: np.ndarray) -> np.ndarray:
        real = i.dtype.type
        return i * (real(self.extent) / real(self.out)) if self.by_step else i / real(self.scale)


def _align_corners(i: np.ndarray, a: Axis) -> np.ndarray:
    if a.out == 1 or a.out == a.extent:
        return i
    last, steps = i.dtype.type(a.extent - 1), i.dtype.type(a.out - 1)
    return i * (last / steps) if a.by_step else i * last / steps


def _symmetric(i: np.ndarray, a: Axis) -> np.ndarray:
    """The middle stays the middle, where the scale is not the ratio of the sizes."""
    real = i.dtype.type
    ratio = real(a.out) / (real(a.scale) * real(a.extent))
    offset = real(a.extent) / real(2) * (real(1) - ratio)
    return (float(offset) + (i.astype(float) + 0.5) / float(real(a.scale)) - 0.5).astype(real)


def _crop(i: np.ndarray, a: Axis) -> np.ndarray:
    start, end, last = (i.dtype.type(v) for v in (a.start, a.end, a.extent - 1))
    if a.out == 1:
        return (start + end) / 2 * last + i
    return start * last + i * (end - start) * last / i.dtype.type(a.out - 1)


_COORDINATES: dict[str, Callable[[np.ndarray, Axis], np.ndarray]] = {
    "HALF_PIXEL": lambda i, a: a.back(i + 0.5) - 0.5,
    "PYTORCH_HALF_PIXEL": lambda i, a: a.back(i + 0.5) - 0.5 if a.out > 1 else i,
    "ASYMMETRIC": lambda i, a: a.back(i),
    "ALIGN_CORNERS": _align_corners,
    "TF_HALF_PIXEL_NN": lambda i, a: a.back(i + 0.5),
    "HALF_PIXEL_SYMMETRIC": _symmetric,
    "TF_CROP_AND_RESIZE": _crop,
}


def positions(coordinate: str, axis: Axis, kind: type = np.float32) -> np.ndarray:
    """The input position of output element 0, 1, ..."""
    return _COORDINATES[coordinate](np.arange(axis.out, dtype=kind), axis)


def nearest(coordinate: str, rounding: str, axis: Axis) -> np.ndarray:
    """The input element that output element 0, 1, ... takes."""
    at = positions(coordinate, axis)
    low = np.floor(at)
    if rounding == "CEIL":
        low = np.ceil(at)
    elif rounding != "FLOOR":
        rest = at - low
        tie = np.abs(rest - 0.5) <= (0 if axis.by_step else _TIE_TOLERANCE)
        low = low + np.where(tie, rounding == "ROUND_PREFER_CEIL", rest > 0.5)
    return np.clip(low, 0, axis.extent - 1).astype(np.int32)


def _cubic(d: np.ndarray, a: float) -> np.ndarray:
    """Keys' cubic convolution (1981): the weight at distance d."""
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = (((d - 5) * d + 8) * d - 4) * a
    return np.where(d < 1, near, np.where(d < 2, far, d.dtype.type(0)))


def weights(axis: Axis, attrs: Mapping[str, Any], antialias: bool = False,
            kind: type = np.float64) -> np.ndarray:
    """The matrix [out, extent] that resizes one axis by LINEAR or CUBIC, computed in `kind`; its
    rows add up to 1. With antialias the filter is stretched by max(1, 1 / scale)."""
    is_cubic, steps = attrs["mode"] == "CUBIC", attrs.get("cubic_steps")
    at = positions(attrs["coordinate"], axis, kind)
    base = np.floor(at)
    if steps:
        at = base + np.rint((at - base) * steps) / steps
    stretch = max(kind(1), 1 / kind(axis.scale)) if antialias else kind(1)
    reach = int(np.ceil((2 if is_cubic else 1) * stretch)) + 1
    taps = base[:, None].astype(int) + np.arange(-reach, reach + 1)
    # The order of these sums and products decides ties of uint8; it is that of ONNX Runtime.
    distance = np.abs((taps.astype(kind) - (at[:, None] + 0.5) + 0.5) * (1 / stretch))
    weight = _cubic(distance, attrs["cubic_coeff"]) if is_cubic else np.maximum(1 - distance, 0)
    if attrs.get("exclude_outside"):
        weight = weight * ((taps >= 0) & (taps < axis.extent))
    total = np.cumsum(weight, 1)[:, -1:]
    total = np.where(total == 0, kind(1), total)  # 0: TF_CROP_AND_RESIZE, far outside
    weight = weight / total if is_cubic else weight * (1 / total)
    result = np.zeros((axis.out, axis.extent), kind)
    np.add.at(result, (np.arange(axis.out)[:, None], taps.clip(0, axis.extent - 1)), weight)
    return result
