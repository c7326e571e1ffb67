"""SpaceToBatchNd: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.blocks import batch_blocks

infer = batch_blocks


def evaluate(xs, attrs):
    block, k = attrs["block_shape"], len(attrs["block_shape"])
    pads = np.reshape(attrs["paddings"], (-1, 2)).tolist()
    x = np.pad(xs[0], [(0, 0), *pads, *[(0, 0)] * (xs[0].ndim - 1 - k)])
    split = [d for i in range(k) for d in (x.shape[1 + i] // block[i], block[i])]
    y = x.reshape(x.shape[0], *split, *x.shape[1 + k :])
    order = [2 + 2 * i for i in range(k)] + [0] + [1 + 2 * i for i in range(k)]
    y = y.transpose(order + list(range(1 + 2 * k, y.ndim)))
    return y.reshape(-1, *y.shape[k + 1 :])
