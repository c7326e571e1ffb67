"""TFLite_Detection_PostProcess: boxes from the network's corrections, and the best of them.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np

from mace_tools.convert.importers.boxes import around, half, part, product, total
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_shape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.custom_options import RAW
from mace_tools.support.errors import ModelError

NAME = "'TFLite_Detection_PostProcess'"
registry.without_meaning("what TensorFlow's converter notes for itself", "_*", ops=[NAME])


@registry.op(NAME)
def detection(b: Builder, n: SourceNode) -> list[str]:
    """Boxes (y1, x1, y2, x2), classes, scores, and the number of boxes; rows that are left over are
    0"""
    n.attr(RAW)
    places, scores, anchors = n.inputs[:3]
    shapes = [fixed_shape(b, x) for x in n.inputs[:3]]
    classes, most, each = (_count(n, k) for k in (
        "num_classes", "max_detections", "max_classes_per_detection"))
    if (len(shapes[0]), len(shapes[1]), len(shapes[2])) != (3, 3, 2) or (
            shapes[0][2] < 4 or shapes[2][1] < 4 or len({s[-2] for s in shapes}) > 1
            or shapes[1][2] - classes not in (0, 1)):
        raise ModelError(f"{n.op} '{n.name}': its inputs have the shapes {shapes}, which must be "
                         f"[1, boxes, 4], [1, boxes, {classes} or {classes + 1}] and [boxes, 4]")
    if shapes[0][0] != 1 or shapes[1][0] != 1:
        raise Unsupported(f"a batch of {shapes[0][0]}; LiteRT takes one image", "give one image")
    regular = n.flag("use_regular_nms")
    if not regular and each > classes:
        raise Unsupported(f"{each} classes for each box, of {classes}",
                          "lower max_classes_per_detection")
    overlap = _number(n, "nms_iou_threshold")
    if not 0 < overlap <= 1:
        raise ModelError(f"{n.op} '{n.name}': nms_iou_threshold {overlap:g} must be above 0 and up "
                         "to 1")
    kept = n.attr("detections_per_class", 100)
    if regular and kept < 1:
        raise ModelError(f"{n.op} '{n.name}': detections_per_class {kept} must be positive")
    if shapes[1][2] > classes:  # the background comes first
        scores = part(b, scores, 1)
    # Scores that equal the threshold are kept.
    least = np.nextafter(np.float32(_number(n, "nms_score_threshold")), np.float32("-inf"))
    choice: dict[str, Any] = {"max_per_class": kept} if regular else {"classes_per_box": each}
    corners = b.op("ExpandDims", _decode(b, n, places, anchors), axis=[2])
    rows, counts = b.ops("NonMaxSuppression", [corners, scores], 2, iou_threshold=overlap,
                         score_threshold=float(least), keep_top_k=most, **choice)
    if regular and each > 1:
        rows = b.op("Pad", rows, paddings=[0, 0, 0, most * (each - 1), 0, 0])
    labels, points = (b.op("Squeeze", part(b, rows, k, k + 1), axis=[2]) for k in (1, 2))
    return [part(b, rows, 3), labels, points, b.op("Cast", counts, to="f32")]


def _number(n: SourceNode, name: str) -> float:
    value = n.attr(name)
    if not isinstance(value, (int, float)) or not np.isfinite(value):
        raise ModelError(f"{n.op} '{n.name}': its option {name} is {value}, it must be a number")
    return float(value)


def _count(n: SourceNode, name: str) -> int:
    value = _number(n, name)
    if not 1 <= value < 1 << 31:
        raise ModelError(f"{n.op} '{n.name}': its option {name} is {value:g}, it must be positive")
    return int(value)


def _decode(b: Builder, n: SourceNode, places: str, anchors: str) -> str:
    """Corners of boxes, from corrections of anchors: both are centre and size."""
    scales = [_number(n, f"{k}_scale") for k in "yxhw"]
    if not min(scales) > 0:
        raise ModelError(f"{n.op} '{n.name}': its scales {scales} must be positive")
    factors = 1 / np.float32(scales)
    size = part(b, anchors, 2, 4)
    step = product(b, size, b.add_const(factors[:2]))
    centre = total(b, part(b, anchors, 0, 2), product(b, step, part(b, places, 0, 2)))
    growth = b.op("Unary", product(b, part(b, places, 2, 4), b.add_const(factors[2:])), type="EXP")
    return around(b, centre, product(b, half(b, size), growth))
