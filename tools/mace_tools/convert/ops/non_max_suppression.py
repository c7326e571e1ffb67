"""NonMaxSuppression: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mace_tools.convert.ops.common.checks import require, same, with_rank
from mace_tools.convert.ops.common.values import Operands
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = (lambda x: (*(*x, 2, 3)[:2], 1, 4), lambda x: (*(*x, 2, 3)[:2], 3))
_MAX = (1 << 63) - 1


def infer(v: View) -> list[Type]:
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
        require(rows <= _MAX, "there are too many rows")
    images = scores[0] if boxes[0] is None else boxes[0]
    total = None if rows is None or images is None else rows * images
    require(total is None or total <= _MAX, "there are too many rows")
    return [("f32", (images, rows, 7)), ("i32", (images,)), ("i64", (total, 3)),
            ("i64", (1,))][: len(v.node.outputs)]


Chosen = list[tuple[float, int, int]]  # (-score, box, class): the best ones sort first


def evaluate(operands: Operands, attrs: Mapping[str, Any]) -> list[np.ndarray]:
    boxes, scores = operands[:2]
    assert boxes is not None and scores is not None
    images = [_of_image(b, s, attrs) for b, s in zip(boxes, scores)]
    repeats = max(attrs["classes_per_box"], 1)
    most = attrs["keep_top_k"] or _most_of_class(boxes.shape[1], attrs) * len(
        _classes(scores.shape[2], attrs))
    rows = np.full((len(boxes), most * repeats, 7), attrs["fill_value"], np.float32)
    numbers = []
    for n, chosen in enumerate(images):
        lines = [(box, label) for _, box, first in chosen
                 for label in _labels(scores[n, box], first, attrs)]
        for k, (box, label) in enumerate(lines):
            corners = boxes[n, box, label if boxes.shape[2] > 1 else 0]
            rows[n, k] = [n, label, scores[n, box, label], *corners]
            numbers.append((n, label, box))
    counts = np.array([len(chosen) for chosen in images], np.int32)
    all_numbers = np.zeros((rows.shape[0] * rows.shape[1], 3), np.int64)
    all_numbers[: len(numbers)] = np.reshape(numbers, (-1, 3))
    total = np.array([len(numbers)], np.int64)
    return [rows, counts, all_numbers, total][: attrs["num_outputs"]]


def _classes(count: int, attrs: Mapping[str, Any]) -> list[int]:
    """The classes that choose boxes."""
    if attrs["classes_per_box"]:
        return [0]
    return [c for c in range(count) if c != attrs["background"]]


def _most_of_class(boxes: int, attrs: Mapping[str, Any]) -> int:
    return min(boxes, *(attrs[k] for k in ("top_k", "max_per_class") if attrs[k]), boxes)


def _labels(scores: np.ndarray, first: int, attrs: Mapping[str, Any]) -> list[int]:
    """The classes that a box gets rows of: those with its best scores."""
    if attrs["classes_per_box"] <= 1:
        return [first]
    order = [c for c in np.argsort(-scores, kind="stable") if c != attrs["background"]]
    return [int(c) for c in order[: attrs["classes_per_box"]]]


def _of_image(boxes: np.ndarray, scores: np.ndarray, attrs: Mapping[str, Any]) -> Chosen:
    found: Chosen = [(-float(s), i, c) for (i, c), s in np.ndenumerate(scores)
                     if s > attrs["score_threshold"] and c != attrs["background"]]
    if attrs["classes_per_box"]:
        best = {i: min(one for one in found if one[1] == i) for i in {one[1] for one in found}}
        chosen = _suppressed(boxes[:, 0], list(best.values()), attrs)
    else:
        chosen = [one for c in range(scores.shape[1]) for one in _suppressed(
            boxes[:, c if boxes.shape[1] > 1 else 0], [f for f in found if f[2] == c], attrs)]
    chosen = sorted(chosen)[: attrs["keep_top_k"] or None]
    return sorted(chosen, key=lambda one: (one[2], one)) if attrs["by_class"] else chosen


def _suppressed(corners: np.ndarray, found: Chosen, attrs: Mapping[str, Any]) -> Chosen:
    kept: Chosen = []
    threshold = np.float32(attrs["iou_threshold"])
    for one in sorted(found)[: attrs["top_k"] or None]:
        if len(kept) == _most_of_class(len(corners), attrs):
            break
        if all(_overlap(corners[one[1]], corners[k[1]]) <= threshold for k in kept):
            kept.append(one)
            threshold *= np.float32(attrs["eta"]) if threshold > 0.5 else np.float32(1)
    return kept


def _overlap(a: np.ndarray, b: np.ndarray) -> float:
    """The intersection over the union."""
    size = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    if not (size > 0).all():
        return 0.0
    both = size.prod()
    return both / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - both)
