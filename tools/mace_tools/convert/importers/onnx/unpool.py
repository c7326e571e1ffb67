"""Largest elements with their places, and the way back.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.operands import fixed_shape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError

MAX_TAPS = 256


def places(b: Builder, n: SourceNode, x: str, values: str) -> str:
    """Where in x each of the largest elements is, as MaxPool numbers them."""
    batch, channels, *extents = fixed_shape(b, x)
    out, rank = fixed_shape(b, values)[2:], len(extents)
    kernel = list(n.attr("kernel_shape"))
    strides, gaps = list(n.attr("strides") or [1] * rank), list(n.attr("dilations") or [1] * rank)
    auto, pads = n.attr("auto_pad", "NOTSET"), list(n.attr("pads") or [0] * 2 * rank)
    if auto not in ("NOTSET", "VALID") or math.prod(kernel) > MAX_TAPS:
        raise Unsupported(f"the places of auto_pad '{auto}' and windows {kernel}",
                          f"give pads, and windows of at most {MAX_TAPS} elements")
    reach = [(o - 1) * s + (k - 1) * g + 1 for o, s, k, g in zip(out, strides, kernel, gaps)]
    behind = [max(r - e - p, 0) for r, e, p in zip(reach, extents, pads)]
    low = -np.inf if b.dtype(x) in ("f32", "f16") else 0
    wide = b.op("Pad", x, constant_value=float(low),
                paddings=[0] * 4 + [v for pair in zip(pads, behind) for v in pair])
    axes, parts = list(range(2, rank + 2)), []
    steps = np.ones(rank, int)
    for k in range(rank - 1)[::-1]:
        steps[k] = steps[k + 1] * extents[k + 1]
    if n.flag("storage_order", 0):
        steps = np.array([math.prod(extents[:k]) for k in range(rank)])
    shifts = []
    for tap in np.ndindex(*kernel):
        first = [t * g for t, g in zip(tap, gaps)]
        ends = [f + (o - 1) * s + 1 for f, o, s in zip(first, out, strides)]
        parts.append(b.op("Slice", wide, starts=first, ends=ends, axes=axes, steps=strides))
        shifts.append(int(np.dot(first, steps)))
    best = b.op("ArgMax", b.op("Stack", *parts, axis=0), axis=0, keepdims=0)
    shift = b.op("Gather", b.add_const(np.array(shifts), "i64", "shifts"), best, axis=0)
    corners = np.zeros(out, np.int64)
    for k, (o, s) in enumerate(zip(out, strides)):
        along = (np.arange(o) * s - pads[k]) * steps[k]
        corners = corners + along.reshape([-1 if i == k else 1 for i in range(rank)])
    images = np.arange(batch * channels).reshape(batch, channels, *[1] * rank) * math.prod(extents)
    return b.op("Eltwise", shift, b.add_const(images + corners, "i64", "corners"), type="SUM")


@registry.op("MaxUnpool")
def max_unpool(b: Builder, n: SourceNode) -> str:
    """What was largest, at its place, and zeros elsewhere"""
    x, idx, size = [*n.inputs, ""][:3]
    batch, channels, *extents = fixed_shape(b, x)
    rank, kernel = len(extents), list(n.attr("kernel_shape"))
    strides, pads = list(n.attr("strides") or [1] * rank), list(n.attr("pads") or [0] * 2 * rank)
    out = [(e - 1) * s - pads[k] - pads[k + rank] + kernel[k]
           for k, (e, s) in enumerate(zip(extents, strides))]
    wanted = [batch, channels, *out]
    if size:
        given = b.const(size)
        if given is None:
            raise Unsupported("its output_shape is computed", "make it constant")
        wanted = [int(d) for d in given.reshape(-1)]
    total, count = batch * channels * math.prod(out), math.prod([batch, channels, *extents])
    empty = b.add_const(np.array([total]), "i64", "size")
    zeros = b.op("Fill", empty, value=0.0, dtype=b.dtype(x))
    flat = b.op("ScatterNd", zeros, b.op("Reshape", idx, dim=[count, 1]),
                b.op("Reshape", x, dim=[count]))
    y = b.op("Reshape", flat, dim=[batch, channels, *out])
    more = [w - o for w, o in zip(wanted[2:], out)]
    if len(wanted) != rank + 2 or wanted[:2] != [batch, channels] or min(more) < 0:
        raise ModelError(f"MaxUnpool '{n.name}': output_shape {wanted} does not hold "
                         f"{[batch, channels, *out]}")
    return b.op("Pad", y, paddings=[0] * 4 + [v for m in more for v in (0, m)]) if any(more) else y
