"""TopK: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, require
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> list[Type]:
    x, k = v.shape(), v.ints(1, "k")
    require(k is None or len(k) == 1 and k[0] >= 0, f"k {k} must be one number, 0 or larger")
    if x is not None:
        axis = axis_of(v.attr("axis"), len(x))
        require(k is None or x[axis] is None or k[0] <= x[axis], f"k {k} is larger than {x[axis]}")
        x = (*x[:axis], k[0] if k else None, *x[axis + 1 :])
    return [(v.dtype(), x), ("i64", x)][: len(v.node.outputs)]


def evaluate(xs, attrs):
    k = ints(xs, 1, attrs, "k")[0] if len(xs) > 1 else attrs["k"]
    axis, key = attrs["axis"], xs[0]
    if attrs["largest"]:
        key = -key if key.dtype.kind == "f" else ~key  # the lowest integer has no negative
    order = np.argsort(key, axis=axis, kind="stable")
    order = np.take(order, np.arange(k), axis)
    return [np.take_along_axis(xs[0], order, axis), order.astype(np.int64)][: attrs["num_outputs"]]
