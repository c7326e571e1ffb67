"""Quantized values of weights: symmetric, with a scale for each output channel that makes the
squared error least.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.graph.ir import Node, Quant

MAX = 127  # -128 is not used, so that quantized values are symmetric
# 1 LSB of a weight is 1/127: near 1 the error changes with every fraction of it.
_RATIOS = np.concatenate([np.linspace(1.004, 0.98, 25), np.linspace(0.97, 0.6, 12)])
_LARGEST_BIAS = 2.0**30
_MIN_SCALE = 2.0**-100


def axis_of(node: Node, shape: tuple[int, ...]) -> int | None:
    """The axis of output channels; None: the engine takes one scale only."""
    if node.op == "DepthwiseConv2d":
        return 1 if shape[0] == 1 else None
    return 0


def scales(w: np.ndarray, axis: int | None) -> np.ndarray:
    """The scale of each channel. That of a channel of zeros is 0."""
    rows = (w.reshape(1, -1) if axis is None else np.moveaxis(w, axis, 0).reshape(w.shape[axis], -1)
            ).astype(np.float32)
    largest = np.abs(rows).max(1, initial=0) / MAX
    best, least = largest.copy(), np.full(len(rows), np.inf, np.float32)
    for ratio in _RATIOS:
        scale = np.maximum(largest * np.float32(ratio), np.float32(_MIN_SCALE))[:, None]
        quantized = np.clip(np.rint(rows / scale), -MAX, MAX)
        error = np.square(quantized * scale - rows).sum(1)
        better = error < least
        best[better], least[better] = scale[better, 0], error[better]
    return np.where(largest > 0, best, 0).astype(np.float32)


def fitting_bias(scale: np.ndarray, x_scale: float, bias: np.ndarray | None) -> np.ndarray:
    """Scales above 0 with which the quantized values of the bias fit 32 bits."""
    floor = np.zeros(scale.shape, np.float64)
    if bias is not None:
        size = np.abs(bias.astype(np.float64)) / (_LARGEST_BIAS * x_scale)
        floor = size if scale.size == bias.size else np.full(scale.shape, size.max(initial=0))
    wide = np.maximum(scale.astype(np.float64), floor)
    return np.where(wide > _MIN_SCALE, wide, 1.0 / MAX).astype(np.float32)


def quantized(w: np.ndarray, scale: np.ndarray, axis: int | None) -> tuple[np.ndarray, Quant]:
    """The int8 values and their quantization parameters."""
    shape = [1] * w.ndim
    if axis is not None:
        shape[axis] = -1
    found = np.clip(np.rint(w / scale.reshape(shape)), -MAX, MAX).astype(np.int8)
    return found, Quant(scale, np.zeros(scale.size, np.int64), axis)


def quantized_bias(bias: np.ndarray, x_scale: float, w_scale: np.ndarray) -> np.ndarray:
    """The quantized values of a bias, at the product of the two scales."""
    return np.rint(bias.astype(np.float64) / (x_scale * w_scale.astype(np.float64))
                   ).astype(np.int32)
