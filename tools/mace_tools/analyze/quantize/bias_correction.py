"""Bias correction: rounding weights shifts the mean of each output channel, which the bias takes
back.

SPDX-License-Identifier: Apache-2.0

The shift is the error of the weights times the mean of the inputs (M. Nagel et al., Data-Free
Quantization through Weight Equalization and Bias Correction, 2019), whose mean is observed here.
"""

import numpy as np

from mace_tools.graph.ir import Node


def shift(node: Node, error: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The mean of what the weights' `error` adds to each output channel; `mean` is that of each
    operand, [groups, taps]."""
    if node.op == "DepthwiseConv2d":  # [M, C, kh, kw], outputs c * M + m
        rows = error.reshape(error.shape[0], error.shape[1], -1)
        return np.einsum("mck,ck->cm", rows, mean).reshape(-1)
    rows = error.reshape(len(mean), error.shape[0] // len(mean), -1)
    return np.einsum("gok,gk->go", rows, mean).reshape(-1)
