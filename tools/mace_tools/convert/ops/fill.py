"""Fill: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.graph.ir import NUMPY


def infer(v: View) -> Type:
    dims = v.ints(0, "")
    if dims is None:
        rank = v.shape(0)
        return str(v.attr("dtype")), (None,) * rank[0] if rank and rank[0] is not None else None
    require(min(dims, default=0) >= 0, f"shape {dims} has a negative extent")
    return str(v.attr("dtype")), tuple(dims)


def evaluate(xs, attrs):
    dims = ints(xs, 0, attrs, "shape")
    return np.full(dims, attrs["value"], NUMPY[attrs["dtype"]])
