"""Bitcast: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.graph.ir import NUMPY


def infer(v: View) -> Type:
    to = str(v.attr("to"))
    size = 2 if to == "bf16" else NUMPY[to].itemsize  # NumPy has no bf16
    require(to != "bool" and size == NUMPY[v.dtype()].itemsize,
            f"the bits of {v.dtype()} are no elements of {to}")
    return to, v.shape()


def evaluate(xs, attrs):
    return np.ascontiguousarray(xs[0]).view(NUMPY[attrs["to"]]).reshape(xs[0].shape)
