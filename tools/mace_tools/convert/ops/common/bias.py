"""The bias and the activation with which convolutions and FullyConnected end.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.activations import activate


def finish(y, xs, attrs):
    if len(xs) > 2 and xs[2] is not None:
        y = y + xs[2]
    return activate(y.astype(xs[0].dtype), attrs)
