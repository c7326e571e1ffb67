"""NumPy evaluation of reductions, normalizations and resizing.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.infer.spatial import resized
from mace_tools.reference import op
from mace_tools.reference.elementwise import activate
from mace_tools.reference.shapes import ints


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


def _source(out, size, scale, kind):
    """The position in the operand of output position 0, 1, ... (ONNX Resize)."""
    o = np.arange(out, dtype=np.float64)
    if kind == "ALIGN_CORNERS":
        return o * (size - 1) / (out - 1) if out > 1 else o * 0
    if kind == "HALF_PIXEL" or (kind == "PYTORCH_HALF_PIXEL" and out > 1):
        return (o + 0.5) / scale - 0.5
    if kind == "PYTORCH_HALF_PIXEL":
        return o * 0
    if kind == "TF_HALF_PIXEL_NN":
        return (o + 0.5) / scale
    return o / scale


def _stepped_source(out, size, kind):
    """The same in float32 as in TensorFlow, because the last bit may decide between two steps."""
    o, one, half = np.arange(out, dtype=np.float32), np.float32(1), np.float32(0.5)
    step = np.float32(size) / np.float32(out)
    if kind == "ALIGN_CORNERS":
        step = (np.float32(size) - one) / (np.float32(out) - one) if out > 1 else 0 * one
    return (o + half) * step - half if kind == "HALF_PIXEL" else o * step


_NEAREST = {
    "FLOOR": np.floor, "CEIL": np.ceil,
    "ROUND_PREFER_FLOOR": lambda s: np.ceil(s - 0.5),
    "ROUND_PREFER_CEIL": lambda s: np.floor(s + 0.5),
}  # fmt: skip


def _weights(s, size, attrs):
    """The matrix [out, size] that resizes one axis."""
    matrix = np.zeros((len(s), size))
    mode = attrs["mode"]
    if mode == "NEAREST":
        nearest = attrs["nearest_mode"]
        near = np.clip(_NEAREST[nearest](s), 0, size - 1).astype(int)
        matrix[np.arange(len(s)), near] = 1
        return matrix
    base = np.floor(s).astype(int)
    if mode == "LINEAR":
        s = np.clip(s, 0, size - 1)
        base = np.floor(s).astype(int)
        taps = [(0, 1 - (s - base)), (1, s - base)]
    else:
        steps = attrs["cubic_steps"]
        at = np.rint((s - base) * steps) / steps if steps else s - base
        taps = _cubic(at, attrs["cubic_coeff"])
    total = np.zeros(len(s))
    for k, weight in taps:
        inside = (base + k >= 0) & (base + k < size)
        if attrs["exclude_outside"]:
            weight = np.where(inside, weight, 0)
        np.add.at(matrix, (np.arange(len(s)), np.clip(base + k, 0, size - 1)), weight)
        total += weight
    return matrix / total[:, None]


def _cubic(t, a):
    """Keys' cubic convolution (1981): weights of the four neighbours."""
    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    return [(-1, far(t + 1)), (0, near(t)), (1, near(1 - t)), (2, far(2 - t))]


@op("Resize")
def resize(xs, attrs):
    x, size = xs[0], ints(xs, 1, attrs, "size")
    scales = attrs["scales"] if not size else None
    for k in range(2):
        extent = x.shape[1 + k]
        out = size[k] if size else resized(extent, scales[k])
        scale = scales[k] if scales else out / extent
        kind = attrs["coordinate"]
        s = _source(out, extent, scale, kind)
        if attrs["cubic_steps"] and not scales:
            s = _stepped_source(out, extent, kind)
        x = np.moveaxis(np.moveaxis(x, 1 + k, -1) @ _weights(s, extent, attrs).T, -1, 1 + k)
    return x.astype(xs[0].dtype)
