"""LocalResponseNorm: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.same_shape import as_input
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    require(v.shape() != (), "x must have a dimension")
    require(v.attr("depth_radius") >= 0 and v.attr("size") >= 0, "a negative size")
    return as_input(v)


def evaluate(xs, attrs):
    x, radius = xs[0], attrs["depth_radius"]
    size = attrs["size"] or 2 * radius + 1
    before, after = (size - 1) // 2, size // 2
    squares = np.pad(np.square(x), [(0, 0)] * (x.ndim - 1) + [(before, after)])
    total = sum(squares[..., k : k + x.shape[-1]] for k in range(size))
    scale = attrs["bias"] + attrs["alpha"] * total
    return (x / scale ** attrs["beta"]).astype(x.dtype)
