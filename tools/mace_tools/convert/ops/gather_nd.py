"""GatherNd: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.batch_dims import check_batch, check_start
from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, idx, batch = v.shape(0), v.shape(1), v.attr("batch_dims")
    require(idx != (), "idx must have a dimension")
    if x is None or idx is None or idx[-1] is None:
        return v.dtype(), None
    check_batch(x, idx, batch, len(idx) - 1)
    require(idx[-1] <= len(x) - batch, f"idx {idx} does not index the axes of {x}")
    return v.dtype(), (*idx[:-1], *x[batch + idx[-1] :])


def evaluate(xs, attrs):
    batch = attrs["batch_dims"]
    x, idx = xs
    check_start(idx, attrs)
    if not batch:
        return x[tuple(np.moveaxis(idx, -1, 0))]
    parts = [x[r][tuple(np.moveaxis(idx[r], -1, 0))] for r in np.ndindex(x.shape[:batch])]
    return np.stack(parts).reshape(*x.shape[:batch], *parts[0].shape)
