"""Activation: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.activations import activate
from mace_tools.convert.ops.common.same_shape import as_input

infer = as_input


def evaluate(xs, attrs):
    return activate(xs[0], attrs)
