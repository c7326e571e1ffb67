"""Attention: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.ops.common.checks import broadcast, fits, require, same
from mace_tools.convert.ops.common.heads import by_heads, heads_of
from mace_tools.convert.ops.common.kv_cache import check_position, floats_of, without_scales
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = (*[lambda x: (*x, 2, 2, 3, 4)[:4]] * 3, lambda x: (*x, 2, 2, 3)[2:3],
                 lambda x: (1,), *[lambda x: (*x, 2, 2)[1:2]] * 2)


def infer(v: View) -> Type:
    heads, shared = v.attr("heads"), v.attr("kv_heads")
    require(math.isfinite(v.attr("scale")) and math.isfinite(v.attr("softcap"))
            and v.attr("softcap") >= 0, "scale and softcap must be finite numbers")
    require(heads >= 0 and shared >= 0 and v.attr("left_window") >= -1
            and v.attr("right_window") >= -1, "a number of heads or a window is out of range")
    q = heads_of(v.shape(0), heads)
    require(v.attr("sink_keys") >= 0, "sink_keys must not be negative")
    k, value = (without_scales(heads_of(x, shared or (heads if len(x or ()) == 3 else 0)), v, i)
                for i, x in ((1, v.shape(1)), (2, v.shape(2))))
    _check_decoding(v, q)
    keys = v.attr("keys")
    require(keys >= -1 and all(keys <= x[2] for x in (k, value) if x[2] is not None),
            f"keys {keys} must be -1, or at most the rows of k {k} and v {value}")
    if keys >= 0:
        k, value = ((*x[:2], keys, x[3]) for x in (k, value))
    require(same(q[0], k[0]) and same(q[0], value[0]) and same(k[0], value[0])
            and same(k[1], value[1]) and same(k[2], value[2]) and same(q[3], k[3])
            and (k[1] is None or k[1] > 0 and (q[1] is None or q[1] % k[1] == 0)),
            f"q {q}, k {k} and v {value} do not fit together")
    if v.has(3):
        all_ = (q[0], q[1], q[2], k[2])
        mask = v.shape(3)
        require(mask is None or len(mask) <= 4 and fits(broadcast(mask, all_), all_)
                and all(m is None or d is None or m in (1, d)
                        for m, d in zip(reversed(mask), reversed(all_))),
                f"mask {mask} does not broadcast to {all_}")
    if v.shape(0) is None:
        return "f32", None
    if len(v.shape(0)) == 4:  # type: ignore[arg-type]
        return "f32", (*q[:3], value[3])
    wide = None if q[1] is None or value[3] is None else q[1] * value[3]
    return "f32", (q[0], q[2], wide)


def _check_decoding(v: View, q: tuple[int | None, ...]) -> None:
    require(not v.has(4) or (v.attr("keys") < 0 and not v.attr("at_end")),
            "keys and at_end must not be given beside a position")
    check_position(v, 4, q[0])
    for i, what in ((5, "slopes"), (6, "sinks")):
        require(not v.has(i) or v.shape(i) is None
                or len(v.shape(i)) == 1 and same(v.shape(i)[0], q[1]),  # type: ignore[arg-type,index]
                f"{what} must have one value per head")


def evaluate(xs, attrs):
    mask, position, slopes, sinks = (xs[i] if len(xs) > i else None for i in range(3, 7))
    heads, shared = attrs["heads"], attrs["kv_heads"] or attrs["heads"]
    q, k, v = (x if x.ndim == 4 else by_heads(x, count)
               for x, count in zip((xs[0], *map(floats_of, xs[1:3])), (heads, shared, shared)))
    keys = attrs["keys"] if attrs["keys"] >= 0 else None
    k, v = (np.repeat(x[:, :, :keys], q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = (q @ k.swapaxes(2, 3)) * (attrs["scale"] or 1 / np.sqrt(max(q.shape[3], 1)))
    if attrs["softcap"]:
        scores = attrs["softcap"] * np.tanh(scores / attrs["softcap"])
    rows, columns = scores.shape[2:]
    before = columns - rows if attrs["at_end"] else 0
    before = np.reshape(before if position is None else position, (-1, 1, 1, 1))
    distance = np.arange(columns) - np.arange(rows)[:, None] - before
    if slopes is not None:
        scores = scores + slopes[:, None, None] * distance
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    left, right = attrs["left_window"], attrs["right_window"]
    left_out = (distance < -left) & (np.arange(columns) >= attrs["sink_keys"])
    hidden = ((right >= 0) & (distance > right)) | ((left >= 0) & left_out)
    if position is not None:
        hidden |= np.arange(columns) >= before + rows
        v = np.where(hidden.all((1, 2))[:, None, :, None], 0, v)
    scores = np.where(hidden, -np.inf, scores)
    if sinks is not None:
        scores = np.concatenate(
            [scores, np.broadcast_to(sinks[:, None, None], (*scores.shape[:3], 1))], -1)
    most = np.max(scores, -1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isneginf(most), 0, most))
    total = weights.sum(-1, keepdims=True)
    y = (weights[..., :columns] @ v) / np.where(total == 0, 1, total)
    y = y.astype(xs[0].dtype)
    return y if xs[0].ndim == 4 else y.swapaxes(1, 2).reshape(y.shape[0], y.shape[2], -1)
