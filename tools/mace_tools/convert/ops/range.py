"""Range: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.ops.common.checks import check_single, require
from mace_tools.convert.ops.common.view import Type, View

_MAX = 2**48  # numbers that a Range may have


def infer(v: View) -> Type:
    for i in range(3):
        check_single(v, i)
    values = [v.value(i) for i in range(3)]
    if any(value is None for value in values):
        return v.dtype(), (None,)
    start, limit, delta = (value.item() for value in values)  # type: ignore[union-attr]
    wrong = f"from {start} to {limit} by {delta} is no finite range"
    require(delta != 0 and not any(map(math.isnan, (start, limit, delta))), wrong)
    if v.dtype() == "f32":
        count = (limit - start) / delta
        require(count < _MAX, wrong)
        count = math.ceil(max(count, 0))
    else:
        count = max(-((start - limit) // delta), 0)
        require(count < _MAX, wrong)
    return v.dtype(), (count,)


def evaluate(xs, attrs):
    start, limit, delta = (x.item() for x in xs)
    count = max(int(np.ceil((limit - start) / delta)), 0)
    return (start + delta * np.arange(count)).astype(xs[0].dtype)
