"""The best boxes of each image, as detectors end: NonMaxSuppression in all of its versions.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.boxes import part
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.data_dependent import Suppression, best_boxes
from mace_tools.convert.importers.operands import fixed_int, fixed_scalar
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.support.errors import ModelError


@registry.op("CombinedNonMaxSuppression")
def combined_non_max_suppression(b: Builder, n: SourceNode) -> list[str]:
    """Boxes, scores, classes, and the number of boxes; rows that are left over are 0. The corners
    of a box come in order: the lower ones first"""
    boxes, scores, per_class, in_all, overlap, least = n.inputs[:6]
    if b.rank(boxes) != 4 or b.rank(scores) != 3:
        raise ModelError(f"{n.op} '{n.name}': boxes of rank {b.rank(boxes)} and scores of rank "
                         f"{b.rank(scores)} must be [batch, boxes, 1 or classes, 4] and [batch, "
                         "boxes, classes]")
    each = _positive(b, n, per_class, "max_output_size_per_class")
    most = _positive(b, n, in_all, "max_total_size")
    threshold = fixed_scalar(b, overlap, "iou_threshold")
    if not 0 <= threshold <= 1:
        raise ModelError(f"{n.op} '{n.name}': iou_threshold {threshold:g} must be from 0 to 1")
    classes = b.extents(scores)[2]
    if n.flag("pad_per_class"):
        if classes is None:
            raise Unsupported("a number of classes that is computed while the model runs",
                              "give the shape of the inputs in input_shapes")
        most = min(most, each * classes)
    rows, counts = b.ops("NonMaxSuppression", [boxes, scores], 2, iou_threshold=float(threshold),
                         score_threshold=float(fixed_scalar(b, least, "score_threshold")),
                         max_per_class=each, keep_top_k=most)
    found = part(b, rows, 3)
    if n.flag("clip_boxes", True):
        found = b.op("Clip", found, min=0.0, max=1.0)
    labels, points = (b.op("Squeeze", part(b, rows, k, k + 1), axis=[2]) for k in (1, 2))
    return [found, points, labels, counts]


def _positive(b: Builder, n: SourceNode, name: str, what: str) -> int:
    value = fixed_int(b, name, what)
    if not 1 <= value < 1 << 31:
        raise ModelError(f"{n.op} '{n.name}': {what} {value} must be positive")
    return value


@registry.op("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3",
             "NonMaxSuppressionV4", "NonMaxSuppressionV5")
def non_max_suppression(b: Builder, n: SourceNode) -> list[str]:
    """The plan waits for the number of boxes, unless they are padded to the largest number"""
    boxes, scores, most, *rest = n.inputs
    if n.op == "NonMaxSuppression":
        overlap = n.attr("iou_threshold", 0.5)
    else:
        overlap = fixed_scalar(b, rest.pop(0), "iou_threshold")
    limits = [fixed_scalar(b, name, what)
              for name, what in zip(rest, ("score_threshold", "soft_nms_sigma"))]
    found = best_boxes(b, n, Suppression(
        boxes, scores, fixed_int(b, most, "max_output_size"), float(overlap), *map(float, limits),
        padded=n.flag("pad_to_max_output_size") == 1))
    return {"NonMaxSuppressionV4": [found.numbers, found.count],
            "NonMaxSuppressionV5": [found.numbers, found.scores, found.count],
            }.get(n.op, [found.numbers])
