"""BatchNorm: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.activations import activate
from mace_tools.convert.ops.common.same_shape import per_channel

infer = per_channel


def evaluate(xs, attrs):
    x, scale, offset, mean, var = xs
    y = (x - mean) * (scale / np.sqrt(var + attrs["epsilon"])) + offset
    return activate(y.astype(x.dtype), attrs)
