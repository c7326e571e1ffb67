"""Gather: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.batch_dims import check_batch, check_start
from mace_tools.convert.ops.common.checks import axis_of
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, idx = v.shape(0), v.shape(1)
    if x is None or idx is None:
        return v.dtype(), None
    axis, batch = axis_of(v.attr("axis"), len(x)), v.attr("batch_dims")
    check_batch(x, idx, batch, axis)
    return v.dtype(), (*x[:axis], *idx[batch:], *x[axis + 1 :])


def evaluate(xs, attrs):
    axis, batch = attrs["axis"], attrs["batch_dims"]
    check_start(xs[1], attrs)
    idx = np.where(xs[1] < 0, xs[1] + xs[0].shape[axis], xs[1])
    if not batch:
        return np.take(xs[0], idx, axis)
    rows = np.ndindex(xs[0].shape[:batch])
    axis = axis % xs[0].ndim - batch
    parts = [np.take(xs[0][r], idx[r], axis) for r in rows]
    return np.stack(parts).reshape(*xs[0].shape[:batch], *parts[0].shape)
