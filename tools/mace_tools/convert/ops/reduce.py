"""Reduce: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.reduced import reduced
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    axes = v.ints(1, "axis")
    if axes is None:
        x = v.shape()
        return v.dtype(), None if x is None or not v.attr("keepdims") else (None,) * len(x)
    return v.dtype(), reduced(v.shape(), axes, bool(v.attr("keepdims")))


def _log_sum_exp(x, **how):
    high = np.max(x, axis=how["axis"], keepdims=True)
    y = np.log(np.sum(np.exp(x - high), axis=how["axis"], keepdims=True)) + high
    return y if how["keepdims"] else np.squeeze(y, how["axis"])


_REDUCE = {
    "MEAN": np.mean, "MIN": np.min, "MAX": np.max, "PROD": np.prod, "SUM": np.sum,
    "L1": lambda x, **k: np.sum(np.abs(x), **k),
    "L2": lambda x, **k: np.sqrt(np.sum(np.square(x), **k)),
    "LOG_SUM": lambda x, **k: np.log(np.sum(x, **k)),
    "LOG_SUM_EXP": _log_sum_exp,
    "SUM_SQUARE": lambda x, **k: np.sum(np.square(x), **k),
    "ALL": np.all, "ANY": np.any,
}  # fmt: skip


def evaluate(xs, attrs):
    axes = ints(xs, 1, attrs, "axis")
    axis = tuple(axes) if axes else tuple(range(xs[0].ndim))
    result = _REDUCE[attrs["reduce_type"]](xs[0], axis=axis, keepdims=bool(attrs["keepdims"]))
    return np.asarray(result, xs[0].dtype)
