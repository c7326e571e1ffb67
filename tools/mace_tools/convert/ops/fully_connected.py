"""FullyConnected: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.bias import finish
from mace_tools.convert.ops.common.checks import check_vector, product, require, same, with_rank
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x = v.shape(0)
    out, columns = with_rank(v, 1, 2, "[O,K]")
    require(out != 0 and columns != 0, "the weight has an extent of 0")
    check_vector(v, 2, out)
    if x is None:
        return v.dtype(), None
    require(len(x) >= 1, "x must have a dimension")
    rows = product(x[1:])
    if len(x) <= 2 or x[-1] is not None and x[-1] == columns:
        require(same(x[-1], columns), f"x {x} does not split into rows of {columns}")
        return v.dtype(), (*x[:-1], out)
    if x[-1] is None or columns is None:
        return v.dtype(), None  # of two dimensions, or as many as x has
    require(same(rows, columns), f"x {x} does not split into rows of {columns}")
    return v.dtype(), (x[0], out)


def evaluate(xs, attrs):
    x, w = xs[0], xs[1]
    if x.shape[-1] != w.shape[1]:
        x = x.reshape(x.shape[0], -1)
    return finish(x @ w.T, xs, attrs)
