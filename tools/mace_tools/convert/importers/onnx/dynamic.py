"""Operators whose results have as many elements as the data say.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.boxes import around, half, part
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.data_dependent import (
    at_least,
    choose_boxes,
    places,
    unique,
    up_to,
)
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.operands import fixed_scalar
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError


@registry.op("NonZero")
def non_zero(b: Builder, n: SourceNode) -> str:
    """The plan waits for their number"""
    if b.rank(n.inputs[0]) == 0:
        raise Unsupported("NonZero of a scalar", "reshape it to one element in the source model")
    return places(b, n.inputs[0])


@registry.op("Compress")
def compress(b: Builder, n: SourceNode) -> str:
    """The plan waits for the number of chosen slices"""
    x, axis = n.inputs[0], n.attr("axis")
    if axis is None:
        x, axis = b.op("Reshape", x, dim=[-1]), 0
    chosen = b.op("Squeeze", places(b, n.inputs[1]), axis=[0])
    return b.op("Gather", x, chosen, axis=axis)


@registry.op("Unique")
def unique_(b: Builder, n: SourceNode) -> list[str]:
    """The plan waits for the number of different elements. NaN equals nothing"""
    return unique(b, n.inputs[0], n.attr("axis"), bool(n.attr("sorted", 1)))


@registry.op("NonMaxSuppression")
def non_max_suppression(b: Builder, n: SourceNode) -> str:
    """The plan waits for the number of boxes"""
    boxes, scores, *rest = n.inputs
    if b.rank(boxes) != 3 or b.rank(scores) != 3:
        raise ModelError(f"{n.op} '{n.name}': boxes of rank {b.rank(boxes)} and scores of rank "
                         f"{b.rank(scores)} must be [batch, boxes, 4] and [batch, classes, boxes]")
    most, overlap, least = (fixed_scalar(b, name, what) if name else None for name, what in zip(
        [*rest, "", "", ""], ("max_output_boxes_per_class", "iou_threshold", "score_threshold")))
    if not 0 <= (overlap or 0) <= 1:
        raise ModelError(f"{n.op} '{n.name}': iou_threshold {overlap:g} must be from 0 to 1")
    by_centre = n.flag("center_point_box")
    if most is None or most <= 0:  # as the definition has it
        return b.add_const(np.zeros((0, 3), np.int64))
    if by_centre:
        boxes = around(b, part(b, boxes, 0, 2), half(b, part(b, boxes, 2)))
    limit = {} if least is None else {"score_threshold": at_least(least)}
    chosen = choose_boxes(b, boxes, b.op("Transpose", scores, dims=[0, 2, 1]), by_class=1,
                          iou_threshold=float(overlap or 0), max_per_class=int(most), **limit)
    return up_to(b, chosen.numbers, chosen.total)
