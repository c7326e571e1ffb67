"""Unstack: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, require
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> list[Type]:
    x, count = v.shape(), len(v.node.outputs)
    if x is not None:
        axis = axis_of(v.attr("axis"), len(x))
        require(x[axis] in (count, None), f"extent {x[axis]} does not make {count} outputs")
        x = (*x[:axis], *x[axis + 1 :])
    return [(v.dtype(), x)] * count


def evaluate(xs, attrs):
    axis = attrs["axis"]
    return [np.take(xs[0], k, axis) for k in range(xs[0].shape[axis])]
