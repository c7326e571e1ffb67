"""Logical: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import broadcast, require
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    is_not = v.attr("type") == "NOT"
    require(v.has(1) != is_not, "NOT takes one input, the others take two")
    return "bool", v.shape() if is_not else broadcast(v.shape(0), v.shape(1))


def evaluate(xs, attrs):
    if attrs["type"] == "NOT":
        return np.logical_not(xs[0])
    table = {"AND": np.logical_and, "OR": np.logical_or, "XOR": np.logical_xor}
    return table[attrs["type"]](xs[0], xs[1])
