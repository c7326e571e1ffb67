"""ScatterNd: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import fits, require
from mace_tools.convert.ops.common.same_shape import as_input
from mace_tools.convert.ops.common.scattered import scattered
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, idx = v.shape(0), v.shape(1)
    require(idx != (), "idx must have a dimension")
    if x is not None and idx is not None and idx[-1] is not None:
        require(idx[-1] <= len(x), f"idx {idx} does not index the axes of {x}")
        require(fits(v.shape(2), (*idx[:-1], *x[idx[-1] :])), "updates of another shape")
    return as_input(v)


def evaluate(xs, attrs):
    return scattered(xs[0], tuple(np.moveaxis(xs[1], -1, 0)), xs[2], attrs["reduction"])
