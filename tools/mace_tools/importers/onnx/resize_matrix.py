"""Resizes axes by products with constant matrices, where the engine's Resize cannot.

SPDX-License-Identifier: Apache-2.0

Row i of an axis' matrix holds the weights of the input's elements in output element i.
Source: ONNX Resize-18: with antialias the filter is stretched by max(1, 1 / scale).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mace_tools.importers.builder import Builder
from mace_tools.ir import NUMPY


@dataclass(frozen=True)
class Axis:
    """How one axis is resized; `scale` may differ from `out / extent`."""

    extent: int
    out: int
    scale: float
    start: float = 0.0  # of the part that TF_CROP_AND_RESIZE takes
    end: float = 1.0
    beyond: float = 0.0  # what is outside, there


# The input position of output element i, as coordinate_transformation_mode of Resize defines it.
_COORDINATES: dict[str, Callable[[np.ndarray, Axis], np.ndarray]] = {
    "HALF_PIXEL": lambda i, a: (i + 0.5) / a.scale - 0.5,
    "PYTORCH_HALF_PIXEL": lambda i, a: (i + 0.5) / a.scale - 0.5 if a.out > 1 else 0 * i,
    "ASYMMETRIC": lambda i, a: i / a.scale,
    "ALIGN_CORNERS": lambda i, a: i * ((a.extent - 1) / (a.out - 1) if a.out > 1 else 0),
    "HALF_PIXEL_SYMMETRIC": lambda i, a: (
        a.extent / 2 * (1 - a.out / (a.extent * a.scale)) + (i + 0.5) / a.scale - 0.5),
    "TF_HALF_PIXEL_NN": lambda i, a: (i + 0.5) / a.scale,
    "TF_CROP_AND_RESIZE": lambda i, a: (
        a.start * (a.extent - 1) + i * (a.end - a.start) * (a.extent - 1) / (a.out - 1)
        if a.out > 1 else 0.5 * (a.start + a.end) * (a.extent - 1) + 0 * i),
}

# The element that a position between two means.
_NEAREST: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "ROUND_PREFER_FLOOR": lambda v: np.ceil(v - 0.5),
    "ROUND_PREFER_CEIL": lambda v: np.floor(v + 0.5),
    "FLOOR": np.floor,
    "CEIL": np.ceil,
}


def by_matrices(b: Builder, x: str, axes: Mapping[int, Axis], attrs: Mapping[str, Any],
                antialias: bool) -> str:
    """Resizes these axes of x; `attrs` are those of the engine's Resize."""
    rank, source = b.rank(x), x
    if attrs["mode"] == "NEAREST":
        for k, axis in axes.items():
            places = _NEAREST[attrs["nearest_mode"]](positions(axis, attrs))
            places = places.clip(0, axis.extent - 1).astype(np.int32)
            x = b.op("Gather", x, b.add_const(places, "i32", "places"), axis=k)
        return _with_edges(b, source, x, axes, attrs)
    for k, axis in axes.items():
        weights = matrix(axis, attrs, antialias).astype(NUMPY[b.dtype(x)])
        if k == rank - 2:
            x = b.op("MatMul", b.add_const(weights, name="weights"), x)
            continue
        order = [i for i in range(rank) if i != k] + [k]
        x = b.op("MatMul", b.transpose(x, order), b.add_const(weights.T.copy(), name="weights"))
        x = b.transpose(x, np.argsort(order).tolist())
    return _with_edges(b, source, x, axes, attrs)


def positions(axis: Axis, attrs: Mapping[str, Any]) -> np.ndarray:
    return _COORDINATES[attrs["coordinate"]](np.arange(axis.out, dtype=np.float64), axis)


def _with_edges(b: Builder, source: str, y: str, axes: Mapping[int, Axis],
                attrs: Mapping[str, Any]) -> str:
    """y, in which TF_CROP_AND_RESIZE gives a number of its own to what is outside."""
    if attrs["coordinate"] != "TF_CROP_AND_RESIZE":
        return y
    rank, inside = b.rank(source), np.ones((), bool)
    for k, axis in axes.items():
        at = positions(axis, attrs)
        here = (at >= 0) & (at <= axis.extent - 1)
        inside = inside & here.reshape([-1 if i == k else 1 for i in range(rank)])
    if inside.all():
        return y
    beyond = b.add_const(np.array(next(iter(axes.values())).beyond), b.dtype(y))
    return b.op("Select", b.add_const(inside, "bool", "inside"), y, beyond)


def matrix(axis: Axis, attrs: Mapping[str, Any], antialias: bool) -> np.ndarray:
    """The weights [out, extent] of linear or cubic interpolation; rows add up to 1."""
    at = positions(axis, attrs)
    shrink = min(1.0, axis.scale) if antialias else 1.0
    reach = int(np.ceil((2 if attrs["mode"] == "CUBIC" else 1) / shrink)) + 1
    taps = np.floor(at)[:, None].astype(int) + np.arange(-reach, reach + 1)
    distance = np.abs((taps - at[:, None]) * shrink)
    weights = _cubic(distance, attrs["cubic_coeff"]) if attrs["mode"] == "CUBIC" else np.clip(
        1 - distance, 0, None)
    if attrs.get("exclude_outside"):
        weights = weights * ((taps >= 0) & (taps < axis.extent))
    weights = weights / weights.sum(1, keepdims=True)
    result = np.zeros((axis.out, axis.extent))
    np.add.at(result, (np.arange(axis.out)[:, None], taps.clip(0, axis.extent - 1)), weights)
    return result


def _cubic(d: np.ndarray, a: float) -> np.ndarray:
    """Keys' kernel."""
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))
