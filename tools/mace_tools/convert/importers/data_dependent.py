"""Results with as many elements as the data say: places of elements, different ones, chosen boxes.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mace_tools.convert.importers.boxes import part
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError


def up_to(b: Builder, x: str, count: str, axis: int = 0) -> str:
    """The first elements along an axis. The engine's plan waits for their number [1]."""
    start, along = (b.add_const(np.array([k], np.int64)) for k in (0, axis))
    return b.op("Slice", x, start, count, along)


def places(b: Builder, x: str) -> str:
    """The indices [rank, number] of the elements that are not 0."""
    indices, count = b.ops("NonZero", [x], 2)
    return up_to(b, indices, count, axis=1)


def unique(b: Builder, x: str, axis: int | None, in_order: bool) -> list[str]:
    """The different slices along an axis, or the elements of a flat tensor if it is None; where
    each first appears; which of them each slice of x is; how often each appears. `in_order`: the
    smallest comes first, else the one that appears first."""
    if axis is None:
        x, axis = b.op("Reshape", x, dim=[-1]), 0
    rank = b.rank(x)
    axis %= rank
    rows = b.transpose(x, [axis, *(k for k in range(rank) if k != axis)])
    first, inverse, counts, count = b.ops("Unique", [rows], 4, sorted=int(in_order))
    at = up_to(b, first, count)
    return [b.op("Gather", x, at, axis=axis), at, inverse, up_to(b, counts, count)]


@dataclass
class Chosen:
    """What a NonMaxSuppression chooses: rows [N,K,7], counts [N], numbers [N * K,3] of (image,
    class, box), and how many of those are needed [1]."""

    rows: str
    counts: str
    numbers: str
    total: str


def choose_boxes(b: Builder, boxes: str, scores: str, **attrs: Any) -> Chosen:
    """Of boxes [N,B,4], two opposite corners in any order, with scores [N,B,C]."""
    one, other = part(b, boxes, 0, 2), part(b, boxes, 2)
    low, high = (b.op("Eltwise", one, other, type=kind) for kind in ("MIN", "MAX"))
    ordered = b.op("ExpandDims", b.op("Concat", low, high, axis=-1), axis=[2])
    return Chosen(*b.ops("NonMaxSuppression", [ordered, scores], 4, **attrs))


def at_least(score: float) -> float:
    """A threshold that the engine's attribute can have."""
    return max(float(score), float(np.finfo(np.float32).min))


@dataclass
class Suppression:
    """What TensorFlow and TFLite choose among boxes [B,4] with scores [B]."""

    boxes: str
    scores: str
    most: int
    overlap: float
    least: float = float("-inf")
    sigma: float = 0
    padded: bool = False  # to `most` boxes, with zeros
    equal_too: bool = False  # an overlap that equals the limit suppresses a box, too


@dataclass
class Best:
    """The numbers of the best boxes, i32, their scores, and how many they are, an i32 scalar."""

    numbers: str
    scores: str
    count: str


def best_boxes(b: Builder, n: SourceNode, s: Suppression) -> Best:
    if s.most < 0 or not 0 <= s.overlap <= 1:
        raise ModelError(f"{n.op} '{n.name}': max_output_size {s.most} must not be negative, and "
                         f"iou_threshold {s.overlap:g} must be from 0 to 1")
    if s.sigma:
        raise Unsupported(f"soft_nms_sigma {s.sigma:g}, which lowers the scores of boxes that "
                          "overlap", "use 0: boxes that overlap too much are left out")
    if b.rank(s.boxes) != 2 or b.rank(s.scores) != 1:
        raise ModelError(f"{n.op} '{n.name}': boxes of rank {b.rank(s.boxes)} and scores of rank "
                         f"{b.rank(s.scores)} must be [boxes, 4] and [boxes]")
    if s.most == 0:
        return Best(*(b.add_const(np.zeros(shape, kind)) for shape, kind in (
            (0, np.int32), (0, np.float32), ((), np.int32))))
    limit = {"keep_top_k" if s.padded else "max_per_class": s.most}
    overlap = np.float32(s.overlap)
    if s.equal_too and overlap == 0:  # the best box suppresses all others
        limit["max_per_class"] = 1
    elif s.equal_too:
        overlap = np.nextafter(overlap, np.float32(0))
    chosen = choose_boxes(b, b.op("ExpandDims", s.boxes, axis=[0]),
                          b.op("ExpandDims", s.scores, axis=[0, 2]), iou_threshold=float(overlap),
                          score_threshold=at_least(s.least), **limit)
    numbers = b.op("Cast", b.op("Squeeze", part(b, chosen.numbers, 2), axis=[1]), to="i32")
    scores = b.op("Reshape", part(b, chosen.rows, 2, 3), dim=[-1])
    if not s.padded:
        numbers, scores = (up_to(b, x, chosen.total) for x in (numbers, scores))
    return Best(numbers, scores, b.op("Reshape", chosen.counts, dim=[]))
