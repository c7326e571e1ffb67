"""Cast: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.view import Type, View
from mace_tools.graph.ir import NUMPY


def infer(v: View) -> Type:
    return str(v.attr("to")), v.shape()


def evaluate(xs, attrs):
    with np.errstate(all="ignore"):
        return xs[0].astype(NUMPY[attrs["to"]])
