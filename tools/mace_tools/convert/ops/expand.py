"""Expand: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import broadcast, require
from mace_tools.convert.ops.common.extents import numbers
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    dims = v.ints(1, "shape")
    if dims is None:
        part = numbers(v.graph, v.node.inputs[1])
        return v.dtype(), None if part is None else broadcast(v.shape(), tuple(part))
    require(dims is None or min(dims, default=0) >= 0, f"shape {dims} has a negative extent")
    return v.dtype(), None if dims is None else broadcast(v.shape(), tuple(dims))


def evaluate(xs, attrs):
    dims = ints(xs, 1, attrs, "shape")
    return np.broadcast_to(xs[0], np.broadcast_shapes(xs[0].shape, tuple(dims)))
