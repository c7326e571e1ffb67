"""BatchToSpaceNd: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.blocks import batch_blocks

infer = batch_blocks


def evaluate(xs, attrs):
    block, k, x = attrs["block_shape"], len(attrs["block_shape"]), xs[0]
    batch = x.shape[0] // int(np.prod(block))
    y = x.reshape(*block, batch, *x.shape[1:])
    order = [k] + [a for i in range(k) for a in (k + 1 + i, i)]
    y = y.transpose(order + list(range(2 * k + 1, y.ndim)))
    y = y.reshape(batch, *[x.shape[1 + i] * block[i] for i in range(k)], *x.shape[1 + k :])
    crops = np.reshape(attrs["crops"], (-1, 2))
    cuts = [slice(c[0], y.shape[1 + i] - c[1]) for i, c in enumerate(crops)]
    return y[(slice(None), *cuts)]
