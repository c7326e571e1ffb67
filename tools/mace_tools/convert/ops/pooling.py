"""Pooling: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.activations import activate
from mace_tools.convert.ops.common.checks import require, with_rank
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.convert.ops.common.windows import CEIL, spatial, taps, windows_along
from mace_tools.graph.op_schema import all_ops


def infer(v: View) -> Type:
    n, h, w, c = with_rank(v, 0, 4, "[N,H,W,C]")
    if v.attr("global"):
        require(h != 0 and w != 0, "the operand has no pixels")
        return v.dtype(), (n, 1, 1, c)
    kernels = v.attr("kernels")
    require(len(kernels) == 2, f"kernels {kernels} must be two numbers")
    return v.dtype(), (n, *spatial(v, kernels, v.attr("round_mode") == CEIL), c)


def evaluate(xs, attrs):
    x, kind = xs[0], attrs["pooling_type"]
    kernel = x.shape[1:3] if attrs["global"] else attrs["kernels"]
    if attrs["global"]:
        attrs = {**all_ops()["Pooling"].defaults(), "activation": attrs["activation"]}
    if kind == 2:
        low = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
        parts = [t for _, _, t in taps(x, kernel, attrs, low)]
        return activate(np.maximum.reduce(parts).astype(x.dtype), attrs)
    values = np.square(x) if kind == 3 else x
    total = sum(t for _, _, t in taps(values, kernel, attrs))
    y = total / _divisor(x, kernel, attrs)
    return activate((np.sqrt(y) if kind == 3 else y).astype(x.dtype), attrs)


def _divisor(x, kernel, attrs):
    """The number of elements of each average: those in x, or also those in its padding. A last
    window may reach behind both."""
    counts = []
    for k in range(2):
        n, before, after = windows_along(x.shape, kernel, attrs, k)
        at = (np.arange(n)[:, None] * attrs["strides"][k] - before
              + np.arange(kernel[k]) * attrs["dilations"][k])
        low, high = (before, after) if attrs["count_include_pad"] else (0, 0)
        counts.append(((at >= -low) & (at < x.shape[1 + k] + high)).sum(1))
    return (counts[0][:, None] * counts[1]).astype(x.dtype)[None, :, :, None]
