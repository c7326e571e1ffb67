"""DepthToSpace: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.blocks import times
from mace_tools.convert.ops.common.checks import require, with_rank
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    n, h, w, c = with_rank(v, 0, 4, "[N,H,W,C]")
    b = v.attr("block_size")
    require(b >= 1 and (c is None or c % (b * b) == 0),
            f"{c} channels are no multiple of block_size {b} squared")
    return v.dtype(), (n, times(h, b), times(w, b), None if c is None else c // (b * b))


def evaluate(xs, attrs):
    n, h, w, c = xs[0].shape
    b = attrs["block_size"]
    if attrs["mode"] == "DCR":
        y = xs[0].reshape(n, h, w, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    else:
        y = xs[0].reshape(n, h, w, c // (b * b), b, b).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, h * b, w * b, c // (b * b))
