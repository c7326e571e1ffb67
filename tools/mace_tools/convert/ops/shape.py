"""Shape: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.view import Type, View
from mace_tools.graph.ir import NUMPY


def infer(v: View) -> Type:
    x = v.shape()
    count = None if x is None else len(x[v.attr("start") : v.attr("end")])
    return str(v.attr("output_type")), (count,)


def evaluate(xs, attrs):
    part = xs[0].shape[attrs["start"] : attrs["end"]]
    return np.array(part, NUMPY[attrs["output_type"]])
