"""Slicing, joining, padding and indexing.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.shape import ints
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError


@registry.op("Concat")
def concat(b: Builder, n: SourceNode) -> str:
    return b.op("Concat", *n.inputs, axis=n.attr("axis", 1))


@registry.op("Split")
def split(b: Builder, n: SourceNode) -> list[str]:
    sizes, axis = ints(b, n, 1, "split"), n.attr("axis", 0)
    if n.attr("num_outputs", len(n.outputs)) != len(n.outputs):
        raise ModelError(f"Split '{n.name}': num_outputs is {n.attr('num_outputs')}, but it has "
                         f"{len(n.outputs)} outputs")
    if sizes is None and len(n.inputs) > 1 and n.inputs[1]:
        return b.ops("Split", n.inputs, len(n.outputs), axis=axis)
    extent = b.shape(n.inputs[0])[axis] if b.shape(n.inputs[0]) else None
    if sizes is None and extent is not None and extent % len(n.outputs):
        part = -(-extent // len(n.outputs))  # opset 18: the last part is smaller
        sizes = [part] * (len(n.outputs) - 1) + [extent - part * (len(n.outputs) - 1)]
    return b.ops("Split", n.inputs[:1], len(n.outputs), axis=axis, sizes=sizes or [])


@registry.op("Slice")
def slice_(b: Builder, n: SourceNode) -> str:
    parts = {name: ints(b, n, k, name)
             for k, name in enumerate(("starts", "ends", "axes", "steps"), 1)}
    given = [i for i in n.inputs[1:] if i]
    if any(b.const(i) is None for i in given):
        return b.op("Slice", *n.inputs)
    return b.op("Slice", n.inputs[0], **parts)


_PAD_MODES = {"constant": "CONSTANT", "reflect": "REFLECT", "edge": "EDGE", "wrap": ""}


def _interleaved(b: Builder, pads: str, axes: list[int] | None, rank: int) -> str:
    """Computed pads, those before all axes and then those behind them, as the engine has them:
    before and behind each axis."""
    axes = list(range(rank)) if axes is None else [axis % rank for axis in axes]
    count = len(axes)
    order = np.full((rank, 2), 2 * count)  # of an axis that is not padded: the 0 behind all
    order[axes, 0], order[axes, 1] = np.arange(count), np.arange(count, 2 * count)
    if count < rank:
        pads = b.op("Concat", pads, b.add_const(np.zeros(1, np.int64)), axis=0)
    return b.op("Gather", pads, b.add_const(order.reshape(-1).astype(np.int64)), axis=0)


@registry.op("Pad")
def pad(b: Builder, n: SourceNode) -> str:
    mode = n.attr("mode", "constant")
    if mode not in _PAD_MODES:
        raise Unsupported(f"Pad with mode '{mode}'", f"use {', '.join(_PAD_MODES)}")
    value = n.attr("value", 0.0)
    if len(n.inputs) > 2 and n.inputs[2]:
        if b.const(n.inputs[2]) is None:
            raise Unsupported("the padding value is computed", "make the value a constant")
        value = b.const(n.inputs[2]).item()
    attrs = {"pad_type": _PAD_MODES[mode], "constant_value": value}
    pads = ints(b, n, 1, "paddings" if n.attr("paddings") else "pads")
    rank = b.rank(n.inputs[0])
    axes = ints(b, n, 3, "axes")
    if pads is None and mode == "wrap":
        raise Unsupported("the pads of mode wrap are computed", "make them constant")
    if pads is None:
        if axes is None and len(n.inputs) > 3 and n.inputs[3]:
            raise Unsupported("the padded axes are computed", "make them constant")
        return b.op("Pad", n.inputs[0], _interleaved(b, n.inputs[1], axes, rank), **attrs)
    axes = list(range(rank)) if axes is None else axes
    pairs = np.zeros((rank, 2), int)
    pairs[axes] = np.reshape(pads, (2, len(axes))).T
    x = n.inputs[0]
    if (pairs < 0).any():
        x = _crop(b, x, pairs)
    if mode == "wrap":
        return _wrapped(b, x, np.maximum(pairs, 0))
    return b.op("Pad", x, paddings=np.maximum(pairs, 0), **attrs)


def _wrapped(b: Builder, x: str, pairs: np.ndarray) -> str:
    """x with elements of its other end at each end."""
    for axis, (before, after) in enumerate(pairs.tolist()):
        extent = b.extents(x)[axis]
        if not before and not after:
            continue
        if not extent:
            raise Unsupported(f"the extent of axis {axis} is {extent or 'not known'}",
                              "give input_shapes")
        idx = np.arange(-before, extent + after) % extent
        x = b.op("Gather", x, b.add_const(idx, "i32", "wrapped"), axis=axis)
    return x


def _crop(b: Builder, x: str, pairs: np.ndarray) -> str:
    """Negative padding removes elements."""
    far = np.iinfo(np.int64).max
    starts = [int(max(-before, 0)) for before in pairs[:, 0]]
    ends = [int(after) if after < 0 else int(far) for after in pairs[:, 1]]
    return b.op("Slice", x, starts=starts, ends=ends, axes=list(range(len(pairs))))


@registry.op("Gather")
def gather(b: Builder, n: SourceNode) -> str:
    return b.op("Gather", *n.inputs, axis=n.attr("axis", 0))


@registry.op("GatherElements")
def gather_elements(b: Builder, n: SourceNode) -> str:
    return b.op("GatherElements", *n.inputs, axis=n.attr("axis", 0))


@registry.op("GatherND")
def gather_nd(b: Builder, n: SourceNode) -> str:
    return b.op("GatherNd", *n.inputs, batch_dims=n.attr("batch_dims", 0))


@registry.op("OneHot")
def one_hot(b: Builder, n: SourceNode) -> str:
    idx, depth, values = n.inputs
    off_on = b.const(values)
    if off_on is None or b.const(depth) is None:
        raise Unsupported("depth or values are computed", "make them constant")
    count = int(b.const(depth).item())
    if b.dtype(idx) not in ("i32", "i64"):
        idx = b.op("Cast", idx, to="i64")
    zero, whole = (b.add_const(np.array(v), b.dtype(idx)) for v in (0, count))
    below = b.op("Compare", idx, zero, type="LESS")  # negative indices count from the end
    idx = b.op("Select", below, b.op("Eltwise", idx, whole, type="SUM"), idx)
    hot = b.op("OneHot", idx, depth=count, axis=n.attr("axis", -1),
               off_value=off_on[0].item(), on_value=off_on[1].item())
    kind = b.dtype(values)
    return hot if kind == b.dtype(hot) else b.op("Cast", hot, to=kind)


@registry.op("ReverseSequence")
def reverse_sequence(b: Builder, n: SourceNode) -> str:
    return b.op("ReverseSequence", *n.inputs, seq_axis=n.flag("time_axis", 0),
                batch_axis=n.flag("batch_axis", 1))
