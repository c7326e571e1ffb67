"""Convolutions, pooling and padding along time.

SPDX-License-Identifier: Apache-2.0

Output i of the whole reads frames i s - P to i s - P + K - 1 of a sequence, of which P are padded.
In the stream these end at stream frame i s + K - 1 + delay - P, which is frame r of the s that
belong to output i + D: D s + r = K - 1 + delay - P. So the first output of a run begins K - 1 - r
frames before the run's first.
"""

from dataclasses import dataclass

import numpy as np

from mace_tools.convert.ops.common.windows import AVERAGE, CEIL, EXPLICIT, L2, VALID, windows_of
from mace_tools.convert.streaming.streamer import (
    CAUSAL,
    Frames,
    NeedsMoreFrames,
    NotStreamable,
    Streamer,
    rule,
)
from mace_tools.graph.ir import Node

_FRAMES_AXES = (1, 2)  # H and W of NHWC
@dataclass(frozen=True)
class Window:
    """Along one axis."""

    reach: int  # from the first to the last frame that an output reads, both counted
    stride: int
    before: int  # padded frames
    after: int


@rule("Conv2d", "DepthwiseConv2d", "Pooling")
def window(s: Streamer, node: Node) -> None:
    frames = s.of(node)
    s.no_others(node)
    if frames.axis is None or frames.axis == 0:
        s.set(node, frames)
        return
    if frames.axis not in _FRAMES_AXES:
        raise NotStreamable(node, "time is its channel axis", "convert the model so that time is "
                            "a spatial axis")
    if node.op == "Pooling" and node.attr("global"):
        raise NotStreamable(node, "it pools all frames of the sequence", "end the streamed part "
                            "before it with output_tensors, and pool the frames in the app")
    along = _windows(s, node)
    _set_padding(node, along, frames.axis)
    mine = along[frames.axis - 1]
    late, phase, value = _place(node, frames, mine)
    tail = _tail(s, node, frames, mine)
    if frames.count % mine.stride:
        raise NeedsMoreFrames(str(node))
    past = mine.reach - 1 - phase
    name = node.inputs[0]
    if past >= 0:
        s.replace_input(node, 0, s.history(name, past, value))
    else:
        s.replace_input(node, 0, s.add("Slice", [name], f"{name}/used", starts=[-past],
                                       ends=[2**31 - 1], axes=[frames.axis], steps=[1]))
    s.set(node, Frames(frames.axis, frames.count // mine.stride, late, tail=tail,
                       tail_of=(frames.tail_of or str(node)) if tail else ""))


def _place(node: Node, frames: Frames, mine: Window) -> tuple[int, int, float]:
    """The delay of the output, the frame of a stride at which a window ends, and the value of the
    frames before the first. Errors: NotStreamable."""
    if mine.before and frames.delay != 0:
        raise NotStreamable(
            node, f"it pads {mine.before} frames before the first one, while an earlier node "
            + ("starts only after some frames" if frames.delay > 0 else "pads, too"),
            "use padding of one kind along time in all nodes: before the first frame, or none")
    late, phase = divmod(mine.reach - 1 + frames.delay - mine.before, mine.stride)
    if late > 0 and mine.after:
        raise NotStreamable(
            node, f"it is not causal: an output reads {mine.reach - 1 - mine.before} frames after "
            f"its own ({mine.before} padded before, {mine.after} after)", CAUSAL)
    if late < 0:
        raise NotStreamable(node, f"its first {-late} outputs read only padding",
                            "pad fewer frames before the first one")
    return late, phase, _padded_value(node, frames, mine)


def _tail(s: Streamer, node: Node, frames: Frames, mine: Window) -> int:
    """How many outputs of the whole read padding after the last frame."""
    read, made = (s.shape(n)[frames.axis or 0] for n in (node.inputs[0], node.outputs[0]))
    return made - min(made, (read - frames.tail + mine.before - mine.reach) // mine.stride + 1)


def _padded_value(node: Node, frames: Frames, mine: Window) -> float:
    if not mine.before:
        return frames.before
    if node.op != "Pooling":
        return 0.0
    kind = node.attr("pooling_type")
    if kind not in (AVERAGE, L2):
        return float(np.finfo(np.float32).min)
    if kind == L2 or not node.attr("count_include_pad"):
        raise NotStreamable(node, "its mean leaves out padded frames, so that the first outputs "
                            "divide by fewer than later ones", "pool without padding along time")
    return 0.0


def _windows(s: Streamer, node: Node) -> list[Window]:
    """Along H and W of the whole."""
    shape = s.shape(node.inputs[0])
    kernels = node.attr("kernels") if node.op == "Pooling" else s.shape(node.inputs[1])[2:]
    found = []
    for k, (count, before, after) in enumerate(windows_of(node, shape, kernels)):
        stride = node.attr("strides")[k]
        reach = (kernels[k] - 1) * node.attr("dilations")[k] + 1
        if node.op == "Pooling" and node.attr("round_mode") == CEIL:
            after = max(after, (count - 1) * stride + reach - shape[k + 1] - before)
        found.append(Window(reach, stride, before, after))
    return found


def _set_padding(node: Node, along: list[Window], axis: int) -> None:
    """Explicit padding of the other axis, and none along time."""
    kept = [w if k + 1 != axis else Window(w.reach, w.stride, 0, 0) for k, w in enumerate(along)]
    values = [kept[0].before, kept[1].before, kept[0].after, kept[1].after]
    if any(values):
        node.attrs.update({"padding": EXPLICIT, "padding_values": values})
    else:
        node.attrs["padding"] = VALID
        node.attrs.pop("padding_values", None)
    if node.op == "Pooling":
        node.attrs.pop("round_mode", None)


@rule("Pad")
def pad(s: Streamer, node: Node) -> None:
    frames = s.settled(node)
    given = node.attr("paddings")
    if node.has_input(1):
        constant = s.graph.const(node.inputs[1])
        if constant is None:
            raise NotStreamable(node, "its paddings are computed", "give constant paddings")
        given = [int(p) for p in constant]
    if frames.axis is None:
        s.set(node, frames)
        return
    before, after = given[2 * frames.axis], given[2 * frames.axis + 1]
    if before > 0 and (node.attr("pad_type") != "CONSTANT" or frames.delay):
        why = "mirrors later frames" if node.attr("pad_type") != "CONSTANT" else \
            "pads behind a node that starts only after some frames"
        raise NotStreamable(node, f"it {why}", "pad with constants, at the first node along time")
    rest = list(given)
    rest[2 * frames.axis] = rest[2 * frames.axis + 1] = 0
    s.graph.set_inputs(node, node.inputs[:1])
    node.attrs["paddings"] = rest
    value = float(node.attr("constant_value"))
    tail = frames.tail + after
    s.set(node, Frames(frames.axis, frames.count, frames.delay - before, value, max(tail, 0),
                       (frames.tail_of or str(node)) if tail > 0 else ""))
