"""BiasAdd: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.activations import activate
from mace_tools.convert.ops.common.same_shape import per_channel

infer = per_channel


def evaluate(xs, attrs):
    return activate(xs[0] + xs[1], attrs)
