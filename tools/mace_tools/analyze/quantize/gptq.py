"""Rounds weights so that the layer's result changes least, not the weights themselves: what
rounding one weight adds, the weights that are not yet rounded take back.

SPDX-License-Identifier: Apache-2.0

E. Frantar et al., GPTQ: Accurate Post-Training Quantization for Generative Pre-trained
Transformers, 2022, with the covariance of the inputs in place of their second moments, because the
bias takes back the mean.
"""

import numpy as np

from mace_tools.analyze.quantize.weights import MAX
from mace_tools.graph.ir import Node

_DAMPING = 0.01  # of the mean variance, so that the covariance can be inverted


def quantized(node: Node, w: np.ndarray, scale: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """The quantized values of weights with a scale for each output channel, or one for all."""
    rows, scales = _grouped(node, w, scale)
    found = solve(rows, scales[:, :, None], covariance, (-MAX, MAX))
    return _ungrouped(node, found, w.shape).astype(np.int8)


def solve(rows: np.ndarray, scales: np.ndarray, covariance: np.ndarray,
          limits: tuple[int, int], damping: float = _DAMPING) -> np.ndarray:
    """The quantized values of `rows`, [groups, outputs of each, taps], with scales above or below 0
    that can be broadcast to them and covariances [groups, taps, taps]. The larger the `damping`,
    the nearer the weights stay to their own values."""
    inverse, order = _factor(covariance, damping)
    rows = np.take_along_axis(rows, order[:, None, :], 2)
    scales = np.take_along_axis(np.broadcast_to(scales, rows.shape), order[:, None, :], 2)
    found = np.zeros_like(rows)
    for k in range(rows.shape[2]):
        code = np.clip(np.rint(rows[:, :, k] / scales[:, :, k]), *limits)
        found[:, :, k] = code
        error = (rows[:, :, k] - code * scales[:, :, k]) / inverse[:, k, k][:, None]
        rows[:, :, k:] -= error[:, :, None] * inverse[:, k, None, k:]
    return np.take_along_axis(found, np.argsort(order, 1)[:, None, :], 2)


def _factor(covariance: np.ndarray, damping: float) -> tuple[np.ndarray, np.ndarray]:
    """The upper Cholesky factor of the inverse, with the most variable operands first, and their
    order."""
    variances = np.einsum("gkk->gk", covariance)
    order = np.argsort(-variances, 1, kind="stable")
    sorted_ = np.take_along_axis(np.take_along_axis(covariance, order[:, :, None], 1),
                                 order[:, None, :], 2)
    added = np.maximum(damping * variances.mean(1), 1e-30)
    # Differences of rounded sums may be a little below 0 where they are none.
    values, vectors = np.linalg.eigh(sorted_ / added[:, None, None])
    inverse = (vectors / (1 + np.clip(values, 0, 1e8))[:, None, :]) @ vectors.transpose(0, 2, 1)
    return np.linalg.cholesky(inverse).transpose(0, 2, 1), order


def _grouped(node: Node, w: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[groups, outputs of each, taps] and the scales [groups, outputs of each]."""
    w = w.astype(np.float64)
    if node.op == "DepthwiseConv2d":  # [M, C, kh, kw]
        rows = w.reshape(w.shape[0], w.shape[1], -1).transpose(1, 0, 2)
        scales = np.broadcast_to(scale.reshape(-1, 1), (w.shape[1], w.shape[0]))
        return np.ascontiguousarray(rows), scales.astype(np.float64)
    groups = int(node.attr("group")) if node.op == "Conv2d" else 1
    return (np.ascontiguousarray(w.reshape(groups, w.shape[0] // groups, -1)),
            np.broadcast_to(scale, w.shape[:1]).reshape(groups, -1).astype(np.float64))


def _ungrouped(node: Node, rows: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if node.op == "DepthwiseConv2d":
        return rows.transpose(1, 0, 2).reshape(shape)
    return rows.reshape(shape)
