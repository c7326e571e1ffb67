"""ScatterElements: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, check_elements, fits, require
from mace_tools.convert.ops.common.same_shape import as_input
from mace_tools.convert.ops.common.scattered import scattered
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = (*[lambda x: x] * 3,)


def infer(v: View) -> Type:
    x, idx = v.shape(0), v.shape(1)
    if x is not None:
        check_elements(x, idx, axis_of(v.attr("axis"), len(x)))
    require(fits(v.shape(2), idx), "updates of another shape")
    return as_input(v)


def evaluate(xs, attrs):
    index = list(np.ogrid[tuple(slice(d) for d in xs[1].shape)])
    index[attrs["axis"]] = xs[1]
    return scattered(xs[0], tuple(index), xs[2], attrs["reduction"])
