"""Bias correction: rounding weights shifts the mean of each output channel, which the bias takes
back.

SPDX-License-Identifier: Apache-2.0

The shift is the error of the weights times the mean of the inputs (M. Nagel et al., Data-Free
Quantization through Weight Equalization and Bias Correction, 2019), whose mean is observed here.
"""

from __future__ import annotations

import numpy as np

from mace_tools.ir import Node


def shift(node: Node, error: np.ndarray, mean: np.ndarray) -> np.ndarray | None:
    """The mean of what the weights' `error` adds to each output channel; `mean` are those of the
    inputs' last axis. None: it cannot be told from these."""
    if node.op == "FullyConnected":
        return error @ mean if error.shape[1] == mean.size else None
    taps = error.sum((2, 3))
    if node.op == "DepthwiseConv2d":  # [M, C], outputs c * M + m
        return (taps * mean).T.reshape(-1) if taps.shape[1] == mean.size else None
    groups = int(node.attr("group"))
    if taps.shape[1] * groups != mean.size or taps.shape[0] % groups:
        return None
    per_group = taps.reshape(groups, -1, taps.shape[1])
    return np.einsum("goi,gi->go", per_group, mean.reshape(groups, -1)).reshape(-1)
