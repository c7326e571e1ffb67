"""UNIQUE and NON_MAX_SUPPRESSION: results with as many elements as the data say.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.data_dependent import Suppression, best_boxes, unique
from mace_tools.convert.importers.operands import fixed_int, fixed_scalar
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.flat import TENSOR_TYPES


@registry.op("UNIQUE")
def unique_(b: Builder, n: SourceNode) -> list[str]:
    """The plan waits for the number of different elements. NaN equals nothing"""
    if b.rank(n.inputs[0]) != 1:
        raise Unsupported(f"UNIQUE of rank {b.rank(n.inputs[0])}; LiteRT takes a list",
                          "reshape it to one axis in the source model")
    values, _, inverse, _ = unique(b, n.inputs[0], 0, in_order=False)
    wide = TENSOR_TYPES[n.attr("IdxOutType", 2)] == "INT64"
    return [values, inverse if wide else b.op("Cast", inverse, to="i32")]


@registry.op("NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5")
def non_max_suppression(b: Builder, n: SourceNode) -> list[str]:
    """As many boxes as are asked for; rows that are left over are 0. Of equal scores the first
    counts; LiteRT leaves their order open"""
    boxes, scores, most, overlap, least, *rest = n.inputs
    sigma = fixed_scalar(b, rest[0], "soft_nms_sigma") if rest else 0
    found = best_boxes(b, n, Suppression(
        boxes, scores, fixed_int(b, most, "max_output_size"),
        float(fixed_scalar(b, overlap, "iou_threshold")),
        float(fixed_scalar(b, least, "score_threshold")), float(sigma), padded=True,
        equal_too=True))
    scores_too = [found.scores] if n.op.endswith("5") else []
    return [found.numbers, *scores_too, found.count]
