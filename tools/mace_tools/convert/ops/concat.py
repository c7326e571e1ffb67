"""Concat: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, require
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    shapes = [v.shape(i) for i in range(len(v.node.inputs))]
    known = [s for s in shapes if s is not None]
    if not known:
        return v.dtype(), None
    rank = len(known[0])
    require(all(len(s) == rank for s in known), "operands of Concat differ in rank")
    axis = axis_of(v.attr("axis"), rank)
    out: list[int | None] = []
    for k in range(rank):
        dims = [s[k] for s in known]
        fixed = {d for d in dims if d is not None}
        if k == axis:
            out.append(None if None in dims or len(known) < len(shapes) else sum(dims))
            continue
        require(len(fixed) <= 1, f"operands of Concat differ along axis {k}: {dims}")
        out.append(fixed.pop() if fixed else None)
    return v.dtype(), tuple(out)


def evaluate(xs, attrs):
    return np.concatenate(xs, attrs["axis"])
