"""MatMul: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import broadcast, require, same
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    a, b = v.shape(0), v.shape(1)
    require(a != () and b != (), "operands need a dimension")
    if a is None or b is None:
        return v.dtype(), None
    if len(a) >= 2 and v.attr("transpose_a"):
        a = (*a[:-2], a[-1], a[-2])
    if len(b) >= 2 and v.attr("transpose_b"):
        b = (*b[:-2], b[-1], b[-2])
    inner = (a[-1], b[-2] if len(b) > 1 else b[0])
    require(same(*inner), f"inner extents {inner[0]} and {inner[1]} differ")
    batch = broadcast(a[:-2], b[:-2]) or ()
    return v.dtype(), (*batch, *(a[-2:-1] if len(a) > 1 else ()), *(b[-1:] if len(b) > 1 else ()))


def evaluate(xs, attrs):
    a, b = xs
    a = np.swapaxes(a, -1, -2) if attrs["transpose_a"] and a.ndim > 1 else a
    b = np.swapaxes(b, -1, -2) if attrs["transpose_b"] and b.ndim > 1 else b
    return a @ b
