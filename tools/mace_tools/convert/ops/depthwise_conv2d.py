"""DepthwiseConv2d: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.bias import finish
from mace_tools.convert.ops.common.windows import conv, taps

infer = conv


def evaluate(xs, attrs):
    x, w = xs[0], xs[1]
    y = sum(t[..., None] * w[:, :, i, j].T for i, j, t in taps(x, w.shape[2:], attrs))
    return finish(y.reshape(*y.shape[:3], -1), xs, attrs)
