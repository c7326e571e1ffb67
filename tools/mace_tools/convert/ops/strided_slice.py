"""StridedSlice: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping, Sequence
from typing import Any

from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.strides import count_of
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.graph.ir import Shape


def infer(v: View) -> Type:
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
            out.append(count_of(x[axis], i.start, i.stop, 1 if i.step is None else i.step))
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


def evaluate(xs, attrs):
    begin, end = ints(xs, 1, attrs, "begin"), ints(xs, 2, attrs, "end")
    strides = ints(xs, 3, attrs, "strides") or [1] * len(begin)
    return xs[0][tuple(strided_index(begin, end, strides, xs[0].ndim, attrs))]
