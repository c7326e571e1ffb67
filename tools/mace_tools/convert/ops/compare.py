"""Compare: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import broadcast
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    return "bool", broadcast(v.shape(0), v.shape(1))


_COMPARE = {
    "EQUAL": np.equal, "NOT_EQUAL": np.not_equal, "LESS": np.less, "LESS_EQUAL": np.less_equal,
    "GREATER": np.greater, "GREATER_EQUAL": np.greater_equal,
}  # fmt: skip


def evaluate(xs, attrs):
    return _COMPARE[attrs["type"]](xs[0], xs[1])
