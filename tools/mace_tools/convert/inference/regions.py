"""Inference of ops that choose among regions of an image.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.convert.inference import Type, View, rule
from mace_tools.convert.inference.checks import require, same, with_rank

_MOST = (1 << 63) - 1


@rule("NonMaxSuppression")
def non_max_suppression(v: View) -> list[Type]:
    counts = ("top_k", "max_per_class", "keep_top_k", "classes_per_box")
    require(all(v.attr(name) >= 0 for name in counts) and v.attr("background") >= -1
            and v.attr("iou_threshold") >= 0 and 0 < v.attr("eta") <= 1,
            "its numbers must not be negative, and eta must be up to 1")
    boxes, scores = with_rank(v, 0, 4, "[N,B,L,4]"), with_rank(v, 1, 3, "[N,B,C]")
    classes, each, background = scores[2], v.attr("classes_per_box"), v.attr("background")
    require(same(boxes[3], 4) and same(boxes[0], scores[0]) and same(boxes[1], scores[1])
            and (same(boxes[2], 1) or same(boxes[2], classes)),
            "boxes and scores must be [N,B,1,4] or [N,B,C,4], and [N,B,C]")
    choosing = classes
    if classes is not None and 0 <= background < classes:
        choosing = classes - 1
    if each:
        require(same(boxes[2], 1) and not v.attr("by_class")
                and (choosing is None or each <= choosing),
                f"classes_per_box {each} needs so many classes, which share boxes, and by_class 0")
        choosing = 1
    rows = v.attr("keep_top_k")
    if not rows:
        count = scores[1] if boxes[1] is None else boxes[1]
        for limit in (v.attr("top_k"), v.attr("max_per_class")):
            count = min(count, limit) if count is not None and limit else count
        rows = None if count is None or choosing is None else count * choosing
    if rows is not None:
        rows *= max(each, 1)
        require(rows <= _MOST, "there are too many rows")
    images = scores[0] if boxes[0] is None else boxes[0]
    total = None if rows is None or images is None else rows * images
    require(total is None or total <= _MOST, "there are too many rows")
    return [("f32", (images, rows, 7)), ("i32", (images,)), ("i64", (total, 3)),
            ("i64", (1,))][: len(v.node.outputs)]
