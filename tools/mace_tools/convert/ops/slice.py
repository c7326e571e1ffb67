"""Slice: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.checks import axes_of, require
from mace_tools.convert.ops.common.strides import count_of, slice_end
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x = v.shape()
    starts, ends = v.ints(1, "starts"), v.ints(2, "ends")
    axes, steps = v.ints(3, "axes"), v.ints(4, "steps")
    if x is None:
        return v.dtype(), None
    if starts is None or ends is None or axes is None or steps is None:
        cut = set(axes_of(axes, len(x))) if axes else set(range(len(x)))
        return v.dtype(), tuple(None if k in cut else d for k, d in enumerate(x))
    axes, steps = axes or list(range(len(starts))), steps or [1] * len(starts)
    require(len(starts) == len(ends) == len(axes) == len(steps),
            f"starts {starts}, ends {ends}, axes {axes} and steps {steps} differ in length")
    require(0 not in steps, "a step must not be 0")
    out = list(x)
    for s, e, a, step in zip(starts, ends, axes_of(axes, len(x)), steps):
        out[a] = count_of(x[a], s, e, step)
    return v.dtype(), tuple(out)


def evaluate(xs, attrs):
    starts, ends = ints(xs, 1, attrs, "starts"), ints(xs, 2, attrs, "ends")
    axes = ints(xs, 3, attrs, "axes") or list(range(len(starts)))
    steps = ints(xs, 4, attrs, "steps") or [1] * len(starts)
    index = [slice(None)] * xs[0].ndim
    for s, e, a, step in zip(starts, ends, axes, steps):
        index[a] = slice(s, slice_end(e, xs[0].shape[a], step), step)
    return xs[0][tuple(index)]
