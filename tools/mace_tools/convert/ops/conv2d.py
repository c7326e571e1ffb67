"""Conv2d: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.bias import finish
from mace_tools.convert.ops.common.windows import conv, taps

infer = conv


def evaluate(xs, attrs):
    x, w = xs[0], xs[1]
    group = attrs["group"]
    parts = []
    for g, wg in enumerate(np.split(w, group)):
        channels = slice(g * w.shape[1], (g + 1) * w.shape[1])
        parts.append(sum(t[..., channels] @ wg[:, :, i, j].T
                         for i, j, t in taps(x, w.shape[2:], attrs)))
    return finish(np.concatenate(parts, -1), xs, attrs)
