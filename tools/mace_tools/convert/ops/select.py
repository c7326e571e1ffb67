"""Select: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import broadcast
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    return v.dtype(1), broadcast(v.shape(0), broadcast(v.shape(1), v.shape(2)))


def evaluate(xs, attrs):
    return np.where(xs[0], xs[1], xs[2])
