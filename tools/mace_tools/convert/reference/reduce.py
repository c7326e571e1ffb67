"""NumPy evaluation of reductions and normalizations.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.convert.reference import op
from mace_tools.convert.reference.elementwise import activate
from mace_tools.convert.reference.shapes import ints


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


@op("Reduce")
def reduce(xs, attrs):
    axes = ints(xs, 1, attrs, "axis")
    axis = tuple(axes) if axes else tuple(range(xs[0].ndim))
    result = _REDUCE[attrs["reduce_type"]](xs[0], axis=axis, keepdims=bool(attrs["keepdims"]))
    return np.asarray(result, xs[0].dtype)


@op("ArgMax")
def arg_max(xs, attrs):
    x, axis = xs[0], attrs["axis"]
    find = np.argmin if attrs["argmin"] else np.argmax
    if attrs["select_last"]:
        y = x.shape[axis] - 1 - find(np.flip(x, axis), axis=axis, keepdims=True)
    else:
        y = find(x, axis=axis, keepdims=True)
    y = y if attrs["keepdims"] else np.squeeze(y, axis)
    return y.astype(np.int32 if attrs["output_type"] == "i32" else np.int64)


@op("Cumsum")
def cumsum(xs, attrs):
    axis = attrs["axis"]
    x = np.flip(xs[0], axis) if attrs["reverse"] else xs[0]
    product = attrs["product"]
    y = (np.cumprod if product else np.cumsum)(x, axis, dtype=x.dtype)
    if attrs["exclusive"]:
        first = np.full_like(np.take(y, [0], axis), product) if y.shape[axis] else y
        y = np.concatenate([first, np.delete(y, -1, axis)], axis) if y.shape[axis] else y
    return np.flip(y, axis) if attrs["reverse"] else y


@op("Softmax")
def softmax(xs, attrs):
    axis = attrs["axis"]
    x = xs[0] - np.max(xs[0], axis, keepdims=True)
    total = np.sum(np.exp(x), axis, keepdims=True)
    return x - np.log(total) if attrs["use_log"] else np.exp(x) / total


@op("Hardmax")
def hardmax(xs, attrs):
    axis = attrs["axis"]
    best = np.expand_dims(np.argmax(xs[0], axis), axis)
    hot = np.zeros_like(xs[0])
    np.put_along_axis(hot, best, 1, axis)
    return hot


@op("BatchNorm")
def batch_norm(xs, attrs):
    x, scale, offset, mean, var = xs
    y = (x - mean) * (scale / np.sqrt(var + attrs["epsilon"])) + offset
    return activate(y.astype(x.dtype), attrs)


def _normalize(x, axes, epsilon):
    mean = np.mean(x, axes, keepdims=True)
    var = np.mean(np.square(x - mean), axes, keepdims=True)
    return (x - mean) / np.sqrt(var + epsilon)


@op("InstanceNorm")
def instance_norm(xs, attrs):
    x, scale, offset = xs
    y = _normalize(x, tuple(range(1, x.ndim - 1)), attrs["epsilon"]) * scale + offset
    return activate(y.astype(x.dtype), attrs)


@op("LayerNorm")
def layer_norm(xs, attrs):
    axis = attrs["axis"] % xs[0].ndim
    axes = tuple(range(axis, xs[0].ndim))
    if attrs["centered"]:
        y = _normalize(xs[0], axes, attrs["epsilon"])
    else:
        y = xs[0] / np.sqrt(np.mean(np.square(xs[0]), axes, keepdims=True) + attrs["epsilon"])
    y = y * xs[1] if len(xs) > 1 and xs[1] is not None else y
    y = y + xs[2] if len(xs) > 2 and xs[2] is not None else y
    return y.astype(xs[0].dtype)


@op("LocalResponseNorm")
def local_response_norm(xs, attrs):
    x, radius = xs[0], attrs["depth_radius"]
    size = attrs["size"] or 2 * radius + 1
    before, after = (size - 1) // 2, size // 2
    squares = np.pad(np.square(x), [(0, 0)] * (x.ndim - 1) + [(before, after)])
    total = sum(squares[..., k : k + x.shape[-1]] for k in range(size))
    scale = attrs["bias"] + attrs["alpha"] * total
    return (x / scale ** attrs["beta"]).astype(x.dtype)


@op("LpNorm")
def lp_norm(xs, attrs):
    x, axis = xs[0], attrs["axis"]
    if attrs["p"] == 1:
        norm = np.sum(np.abs(x), axis, keepdims=True)
    else:
        norm = np.sqrt(np.sum(np.square(x), axis, keepdims=True))
    norm = np.maximum(norm, attrs["epsilon"])
    return np.divide(x, norm, out=np.zeros_like(x), where=norm != 0)
