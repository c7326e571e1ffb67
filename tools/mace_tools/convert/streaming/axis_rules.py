"""Ops that compute each frame by itself, those that move the time axis, and slices along it.

SPDX-License-Identifier: Apache-2.0
"""

import math
from dataclasses import replace

from mace_tools.convert.streaming.streamer import Frames, NotStreamable, Streamer, rule
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Node

_ELEMENTWISE = op_schema.in_order("any")
# Ops that compute along their last axis, for each place of the others.
_LAST_AXIS = ("BatchNorm", "BiasAdd", "ChannelShuffle", "LocalResponseNorm")
# Ops whose attribute `axis` is the one along which they compute.
_ALONG = ("Hardmax", "LpNorm", "Softmax", "Split", "TopK")
_CUT = "end the streamed part before it with output_tensors"


@rule(*_ELEMENTWISE)
def elementwise(s: Streamer, node: Node) -> None:
    _join(s, node, broadcasts=True)


@rule("Concat")
def concat(s: Streamer, node: Node) -> None:
    frames = _join(s, node, broadcasts=False)
    _differ(s, node, frames, node.attr("axis"))


@rule("Stack")
def stack(s: Streamer, node: Node) -> None:
    frames = _join(s, node, broadcasts=False)
    axis = node.attr("axis") % len(s.shape(node.outputs[0]))
    if frames.axis is not None and axis <= frames.axis:
        s.set(node, replace(frames, axis=frames.axis + 1))


def _join(s: Streamer, node: Node, broadcasts: bool) -> Frames:
    """Gives all sequences that a node reads the delay of the latest one, and the node its frames.
    Errors: NotStreamable for an operand with a value for each frame that is no sequence."""
    given = {k: s.settled(node, k) for k, name in enumerate(node.inputs)
             if name and s.frames.get(name) is not None}
    rank = len(s.shape(node.outputs[0]))
    ends = {None if f.axis is None else f.axis - len(s.shape(node.inputs[k]))
            for k, f in given.items()}
    counts = {f.count for f in given.values()}
    if len(ends) > 1 or len(counts) > 1:
        raise NotStreamable(node, "its inputs are sequences along different axes, or of different "
                            "rates", _CUT)
    end, late = ends.pop(), max(f.delay for f in given.values())
    for k, name in enumerate(node.inputs):
        if k in given:
            s.replace_input(node, k, s.delayed(name, late))
        elif name and end is not None:
            shape = s.shape(name)
            if -end <= len(shape) and shape[end] != 1 or not broadcasts:
                raise NotStreamable(node, f"'{name}' has values of its own for each frame", _CUT)
    latest = max(given.values(), key=lambda f: f.tail)
    frames = Frames(None if end is None else rank + end, counts.pop(), late, tail=latest.tail,
                    tail_of=latest.tail_of)
    s.set(node, frames)
    return frames


def _differ(s: Streamer, node: Node, frames: Frames, axis: int, rank: int | None = None) -> int:
    """`axis`, counted from the start. Errors: NotStreamable if it is the time axis."""
    axis %= rank or len(s.shape(node.inputs[0]))
    if axis == frames.axis:
        raise NotStreamable(node, "it computes along time, over all frames of the sequence", _CUT)
    return axis


@rule(*_LAST_AXIS)
def last_axis(s: Streamer, node: Node) -> None:
    frames = s.settled(node)
    s.no_others(node)
    _differ(s, node, frames, -1)
    s.set(node, frames)


@rule(*_ALONG)
def along(s: Streamer, node: Node) -> None:
    frames = s.settled(node)
    s.no_others(node)
    _differ(s, node, frames, node.attr("axis"))
    s.set(node, frames)


@rule("LayerNorm")
def layer_norm(s: Streamer, node: Node) -> None:
    frames = s.settled(node)
    s.no_others(node)
    first = node.attr("axis") % len(s.shape(node.inputs[0]))
    if frames.axis is not None and frames.axis >= first:
        raise NotStreamable(node, "it normalizes over all frames of the sequence", _CUT)
    s.set(node, frames)


@rule("Reduce", "ArgMax")
def reduce(s: Streamer, node: Node) -> None:
    frames = s.settled(node)
    rank = len(s.shape(node.inputs[0]))
    axes = node.attr("axis")
    if node.has_input(1):
        constant = s.graph.const(node.inputs[1])
        if constant is None:
            raise NotStreamable(node, "its axes are computed", _CUT)
        axes = [int(a) for a in constant.reshape(-1)]
    axes = [a % rank for a in (axes if isinstance(axes, list) else [axes])] or list(range(rank))
    for axis in axes:
        _differ(s, node, frames, axis)
    if frames.axis is not None and not node.attr("keepdims"):
        frames = replace(frames, axis=frames.axis - sum(a < frames.axis for a in set(axes)))
    s.set(node, frames)


@rule("FullyConnected")
def fully_connected(s: Streamer, node: Node) -> None:
    frames = s.settled(node)
    s.no_others(node)
    if frames.axis not in (None, 0):
        raise NotStreamable(node, "it multiplies all frames of the sequence together", _CUT)
    s.set(node, frames)


@rule("MatMul")
def mat_mul(s: Streamer, node: Node) -> None:
    frames = s.settled(node)
    s.no_others(node)
    rank, out = (len(s.shape(n)) for n in (node.inputs[0], node.outputs[0]))
    summed = rank - 2 if node.attr("transpose_a") and rank > 1 else rank - 1
    if frames.axis is None:
        s.set(node, frames)
        return
    _differ(s, node, frames, summed)
    other = s.shape(node.inputs[1])
    is_row = frames.axis == (rank - 1 if summed == rank - 2 else rank - 2)
    end = -2 if is_row else frames.axis - rank
    if not is_row and -end <= len(other) and other[end] != 1:
        raise NotStreamable(node, f"'{node.inputs[1]}' has values of its own for each frame", _CUT)
    s.set(node, replace(frames, axis=out + end))


@rule("Gather")
def gather(s: Streamer, node: Node) -> None:
    if s.frames.get(node.inputs[0]) is None:  # a table, such as that of an embedding
        frames = s.settled(node, 1)
        axis = node.attr("axis") % len(s.shape(node.inputs[0]))
        s.set(node, frames if frames.axis is None else replace(frames, axis=frames.axis + axis))
        return
    frames = s.settled(node)
    s.no_others(node)
    axis = _differ(s, node, frames, node.attr("axis"))
    if node.attr("batch_dims"):
        raise NotStreamable(node, "its indices belong to the frames", _CUT)
    if frames.axis is not None and axis < frames.axis:
        frames = replace(frames, axis=frames.axis + len(s.shape(node.inputs[1])) - 1)
    s.set(node, frames)


@rule("Unstack")
def unstack(s: Streamer, node: Node) -> None:
    frames = s.settled(node)
    axis = _differ(s, node, frames, node.attr("axis"))
    moved = frames.axis is not None and axis < frames.axis
    s.set(node, replace(frames, axis=(frames.axis or 0) - 1) if moved else frames)


@rule("Transpose")
def transpose(s: Streamer, node: Node) -> None:
    frames = s.of(node)
    dims = node.attr("dims")
    s.set(node, frames if frames.axis is None else replace(frames, axis=dims.index(frames.axis)))


@rule("ExpandDims", "Flatten", "Reshape", "Squeeze")
def view(s: Streamer, node: Node) -> None:
    """The axis with as many elements before it, and as many frames."""
    frames = s.of(node)
    before, after = s.shape(node.inputs[0]), s.shape(node.outputs[0])
    if frames.axis is None:
        s.set(node, frames)
        return
    length, ahead = before[frames.axis], math.prod(before[:frames.axis])
    found = [k for k, d in enumerate(after) if d == length and math.prod(after[:k]) == ahead]
    if length == 1:
        _drop(s, node, frames, after)
        return
    if not found:
        raise NotStreamable(node, "it joins the frames of the sequence into one row", _CUT)
    if node.op == "Reshape":
        shape = list(after)
        shape[found[0]] = frames.count
        s.graph.set_inputs(node, node.inputs[:1])
        node.attrs["dim"] = shape
    s.set(node, replace(frames, axis=found[0]))


def _drop(s: Streamer, node: Node, frames: Frames, after: tuple[int, ...]) -> None:
    """The whole has one frame, so that nothing tells which axis of the result it is."""
    if frames.count != 1:
        raise NotStreamable(node, "the whole sequence ends in one frame, and a run of the stream "
                            f"in {frames.count}", "give fewer --frames")
    if frames.delay < 0:
        s.settled(node)
    s.set(node, replace(frames, axis=None))


@rule("Slice")
def slice_(s: Streamer, node: Node) -> None:
    frames = s.of(node)
    lists = []
    for k, name in enumerate(("starts", "ends", "axes", "steps")):
        constant = s.graph.const(node.inputs[k + 1]) if node.has_input(k + 1) else None
        if node.has_input(k + 1) and constant is None:
            raise NotStreamable(node, "its bounds are computed", _CUT)
        lists.append(node.attr(name) if constant is None else [int(v) for v in constant])
    starts, ends, axes, steps = lists
    shape = s.shape(node.inputs[0])
    axes = [a % len(shape) for a in (axes or range(len(starts)))]
    steps = steps or [1] * len(axes)
    late, cut = 0, 0
    for k, axis in enumerate(axes):
        if axis != frames.axis:
            continue
        if steps[k] != 1:
            raise NotStreamable(node, f"it takes every {steps[k]}th frame", "use a stride instead")
        # Frames that are left out at the end are those that the stream has later.
        late, end = (min(max(v + (shape[axis] if v < 0 else 0), 0), shape[axis])
                     for v in (starts[k], ends[k]))
        cut = shape[axis] - end
    kept = [k for k, axis in enumerate(axes) if axis != frames.axis]
    s.graph.set_inputs(node, node.inputs[:1])
    node.attrs.update({"starts": [starts[k] for k in kept], "ends": [ends[k] for k in kept],
                       "axes": [axes[k] for k in kept], "steps": [steps[k] for k in kept]})
    if not kept:
        node.op, node.attrs = "Identity", {}
    s.set(node, replace(frames, delay=frames.delay + late, tail=max(0, frames.tail - cut)))


@rule("StridedSlice")
def strided_slice(s: Streamer, node: Node) -> None:
    """Slices that keep all axes, and frames without gaps."""
    frames = s.of(node)
    before, after = s.shape(node.inputs[0]), s.shape(node.outputs[0])
    lists = {}
    for k, name in enumerate(("begin", "end", "strides")):
        constant = s.graph.const(node.inputs[k + 1]) if node.has_input(k + 1) else None
        lists[name] = node.attr(name) if constant is None else [int(v) for v in constant]
    moves = any(node.attr(f"{m}_mask") for m in ("ellipsis", "new_axis", "shrink_axis"))
    axis = frames.axis
    if axis is None or moves or len(before) != len(after) or not all(lists.values()):
        raise NotStreamable(node, "it moves the axes of the sequence", _CUT)
    if axis < len(lists["begin"]):
        if (lists["strides"] or [1] * (axis + 1))[axis] != 1:
            raise NotStreamable(node, "it leaves out frames", "use a stride instead")
        begin = lists["begin"][axis]
        begin = 0 if node.attr("begin_mask") >> axis & 1 else begin % (before[axis] or 1)
        lists["begin"][axis] = lists["end"][axis] = 0
        cut = before[axis] - begin - after[axis]
        frames = replace(frames, delay=frames.delay + begin, tail=max(0, frames.tail - cut))
        for mask in ("begin_mask", "end_mask"):
            node.attrs[mask] = node.attr(mask) | 1 << axis
        s.graph.set_inputs(node, node.inputs[:1])
        node.attrs.update(lists)
    s.set(node, frames)
