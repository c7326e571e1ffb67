"""Inference of ops that select parts of a tensor, or pad it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mace_tools.convert.inference import Type, View, rule
from mace_tools.convert.inference.checks import axes_of, require
from mace_tools.graph.ir import Shape


@rule("Slice")
def slice_(v: View) -> Type:
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
        out[a] = _count(x[a], s, e, step)
    return v.dtype(), tuple(out)


def _count(extent: int | None, start: int | None, end: int | None, step: int) -> int | None:
    if extent is None:
        return None
    end = None if end is None else slice_end(end, extent, step)
    return len(range(*slice(start, end, step).indices(extent)))


def slice_end(end: int, dim: int, step: int) -> int | None:
    """An end for Python's slice: with a negative step, the position before the first one is
    None."""
    return None if step < 0 and end < -dim else end


@rule("StridedSlice")
def strided_slice(v: View) -> Type:
    x = v.shape()
    begin, end, strides = v.ints(1, "begin"), v.ints(2, "end"), v.ints(3, "strides")
    if x is None:
        return v.dtype(), None
    if begin is None or end is None or strides is None:
        return v.dtype(), _open_slice(v, x)
    strides = strides or [1] * len(begin)
    require(len(begin) == len(end) == len(strides),
            f"begin {begin}, end {end} and strides {strides} differ in length")
    masks = {name: v.attr(name) for name in _MASKS}
    _check_entries(begin, strides, masks, x)
    out: list[int | None] = []
    axis = 0
    for i in strided_index(begin, end, strides, len(x), masks):
        if i is None:
            out.append(1)
            continue
        if isinstance(i, slice):
            out.append(_count(x[axis], i.start, i.stop, 1 if i.step is None else i.step))
        else:
            extent = x[axis]
            require(extent is None or -extent <= i < extent, f"element {i} of extent {extent}")
        axis += 1
    return v.dtype(), tuple(out)


def _open_slice(v: View, x: Shape) -> Shape | None:
    """The result with computed bounds: each range has an unknown extent."""
    given = v.shape(1) if v.has(1) else (len(v.ints(1, "begin") or ()),)
    if given is None or len(given) != 1 or given[0] is None:
        return None
    zeros = [0] * given[0]
    masks = {name: v.attr(name) for name in _MASKS}
    _check_entries(zeros, [1] * given[0], masks, x)
    out: list[int | None] = []
    axis = 0
    for i in strided_index(zeros, zeros, [1] * given[0], len(x), masks):
        if i is None:
            out.append(1)
            continue
        if isinstance(i, slice):
            out.append(x[axis] if i == slice(None) else None)
        axis += 1
    return tuple(out)


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _check_entries(
    begin: Sequence[int], strides: Sequence[int], masks: Mapping[str, int], x: Shape
) -> None:
    """Checks a list of entries: at most one ellipsis, no more axes than x has."""
    bits = [{name for name in _MASKS if masks[name] >> k & 1} for k in range(len(begin))]
    ellipses = sum("ellipsis_mask" in b for b in bits)
    used = sum(not b & {"ellipsis_mask", "new_axis_mask"} for b in bits)
    require(ellipses <= 1 and used <= len(x),
            f"begin {list(begin)} names {used} axes and {ellipses} ellipses for {x}")
    for stride, b in zip(strides, bits):
        require(stride != 0 or bool(b & {"ellipsis_mask", "new_axis_mask"}),
                "a stride must not be 0")


def strided_index(
    begin: Sequence[int], end: Sequence[int], strides: Sequence[int], rank: int,
    masks: Mapping[str, Any],
) -> list:
    """TensorFlow's StridedSlice as a NumPy index: slices, ints and None, one per operand axis."""

    def bit(mask: str, k: int) -> bool:
        return bool(masks[mask] >> k & 1)

    used = sum(not (bit("new_axis_mask", k) or bit("ellipsis_mask", k)) for k in range(len(begin)))
    index: list = []
    used_ellipsis = False
    for k, (b, e, s) in enumerate(zip(begin, end, strides)):
        if bit("ellipsis_mask", k):
            index.extend([slice(None)] * (rank - used))
            used_ellipsis = True
        elif bit("new_axis_mask", k):
            index.append(None)
        elif bit("shrink_axis_mask", k):
            index.append(int(b))
        else:
            index.append(slice(None if bit("begin_mask", k) else int(b),
                               None if bit("end_mask", k) else int(e), int(s)))
    if not used_ellipsis:
        index.extend([slice(None)] * (rank - used))
    return index


@rule("Pad")
def pad(v: View) -> Type:
    x, pads = v.shape(), v.ints(1, "paddings")
    if x is None or pads is None:
        return v.dtype(), None if x is None else (None,) * len(x)
    require(len(pads) == 2 * len(x), f"{len(pads)} paddings for rank {len(x)}")
    for k, d in enumerate(x):
        if d is not None:
            _check_pads(d, pads[2 * k], pads[2 * k + 1], str(v.attr("pad_type")))
    return v.dtype(), tuple(None if d is None else d + pads[2 * k] + pads[2 * k + 1]
                            for k, d in enumerate(x))


def _check_pads(extent: int, before: int, after: int, kind: str) -> None:
    most = {"CONSTANT": 2**58, "EDGE": 2**58 if extent else 0, "SYMMETRIC": extent,
            "REFLECT": max(extent - 1, 0)}[kind]
    require(max(before, after) <= most and min(before, 0) + min(after, 0) >= -extent,
            f"paddings {before} and {after} are out of range for extent {extent} with {kind}")
