"""Resize: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import require, with_rank
from mace_tools.convert.ops.common.resizing import MAX_RESIZED, Axis, nearest, resized, weights
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, size, scales = with_rank(v, 0, 4, "[N,H,W,C]"), v.ints(1, "size"), v.attr("scales")
    require(0 <= v.attr("cubic_steps") <= MAX_RESIZED, "cubic_steps is out of range")
    hw: list[int | None] = [None, None]
    if size:
        hw = list(size)
    elif size is not None:
        require(len(scales) == 2, "it needs a size, or scales of two numbers")
        hw = [None if d is None else resized(d, scales[k]) for k, d in enumerate(x[1:3])]
    require(len(hw) == 2 and all(d is None or 1 <= d <= MAX_RESIZED for d in (*hw, *x[1:3])),
            f"cannot resize {x} to {hw}")
    return v.dtype(), (x[0], *hw, x[3])


def evaluate(xs, attrs):
    x, size = xs[0], ints(xs, 1, attrs, "size")
    by_step = bool(attrs["by_step"] or attrs["cubic_steps"])
    for k in range(2):
        extent = x.shape[1 + k]
        out = size[k] if size else resized(extent, attrs["scales"][k])
        axis = Axis(extent, out, out / extent if size else attrs["scales"][k], by_step=by_step)
        if attrs["mode"] == "NEAREST":
            x = np.take(x, nearest(attrs["coordinate"], attrs["nearest_mode"], axis), 1 + k)
        else:
            kind = np.float32 if attrs["cubic_steps"] else np.float64
            matrix = weights(axis, attrs, kind=kind)
            x = np.moveaxis(np.moveaxis(x, 1 + k, -1) @ matrix.T, -1, 1 + k)
    return x.astype(xs[0].dtype)
