"""ReverseSequence: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axes_of, check_vector
from mace_tools.convert.ops.common.same_shape import as_input
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x = v.shape()
    if x is not None:
        _, batch = axes_of([v.attr("seq_axis"), v.attr("batch_axis")], len(x))
        check_vector(v, 1, x[batch])
    return as_input(v)


def evaluate(xs, attrs):
    x, lengths = xs
    seq, batch = attrs["seq_axis"], attrs["batch_axis"]
    view = np.moveaxis(x.copy(), (batch, seq), (0, 1))
    for row, n in zip(view, lengths):
        row[:n] = row[:n][::-1].copy()
    return np.moveaxis(view, (0, 1), (batch, seq))
