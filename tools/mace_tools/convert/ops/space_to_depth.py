"""SpaceToDepth: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.blocks import times
from mace_tools.convert.ops.common.checks import require, with_rank
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    n, h, w, c = with_rank(v, 0, 4, "[N,H,W,C]")
    b = v.attr("block_size")
    require(b >= 1 and all(d is None or d % b == 0 for d in (h, w)),
            f"block_size {b} does not divide {h} x {w}")
    return v.dtype(), (n, *(None if d is None else d // b for d in (h, w)), times(c, b * b))


def evaluate(xs, attrs):
    n, h, w, c = xs[0].shape
    b = attrs["block_size"]
    y = xs[0].reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    return y.reshape(n, h // b, w // b, b * b * c)
