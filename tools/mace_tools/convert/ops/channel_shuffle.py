"""ChannelShuffle: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.same_shape import as_input
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, group = v.shape(), v.attr("group")
    require(x != () and group >= 1, f"group {group} must be 1 or larger, x must have a dimension")
    require(not x or x[-1] is None or x[-1] % group == 0, f"group {group} does not divide {x}")
    return as_input(v)


def evaluate(xs, attrs):
    x, g = xs[0], attrs["group"]
    y = x.reshape(*x.shape[:-1], g, x.shape[-1] // g)
    return np.swapaxes(y, -1, -2).reshape(x.shape)
