"""InstanceNorm: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.activations import activate
from mace_tools.convert.ops.common.normalize import normalize
from mace_tools.convert.ops.common.same_shape import per_channel

infer = per_channel


def evaluate(xs, attrs):
    x, scale, offset = xs
    y = normalize(x, tuple(range(1, x.ndim - 1)), attrs["epsilon"]) * scale + offset
    return activate(y.astype(x.dtype), attrs)
