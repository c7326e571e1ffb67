"""PRelu: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import require, same
from mace_tools.convert.ops.common.same_shape import as_input
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, alpha = v.shape(0), v.shape(1)
    if x is not None and alpha is not None:
        require(len(alpha) <= len(x) and all(
            a == 1 or same(a, d) for a, d in zip(reversed(alpha), reversed(x))),
            f"alpha {alpha} does not broadcast to x {x}")
    return as_input(v)


def evaluate(xs, attrs):
    return np.where(xs[0] < 0, xs[0] * xs[1], xs[0])
