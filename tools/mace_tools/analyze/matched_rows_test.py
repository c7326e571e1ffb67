"""Rows of detections in another order: those with almost equal scores, and others.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.analyze.matched_rows import in_order

SCORES = np.float32([0.9, 0.8, 0.8001, 0.5, 0.3, 0.1])[None]
SCORES = -np.sort(-SCORES)
BOXES = np.random.default_rng(0).uniform(0, 300, (1, 6, 4)).astype(np.float32)
CLASSES = np.float32([[3, 7, 1, 1, 4, 9]])
RIGHT = {"boxes": BOXES, "classes": CLASSES, "scores": SCORES}
EXCHANGED = [0, 2, 1, 3, 4, 5]  # two with almost the same score


def moved(order, **kept):
    return {n: kept.get(n, a[:, order]) for n, a in RIGHT.items()}


def test_rows_with_almost_the_same_score_are_exchanged_in_all_outputs():
    found = moved(EXCHANGED, scores=SCORES)
    again = in_order(found, RIGHT, 1e-3)
    assert set(again) == set(RIGHT)
    assert all(np.abs(again[n] - RIGHT[n]).max() < 2e-4 for n in RIGHT)


def test_one_output_with_the_scores_in_a_column():
    whole = np.concatenate([BOXES[0], SCORES[0][:, None], CLASSES[0][:, None]], 1)
    again = in_order({"y": whole[EXCHANGED]}, {"y": whole}, 1e-3)
    assert np.abs(again["y"] - whole).max() == 0


def test_rows_sorted_within_classes():
    rows = np.float32([[0, k, s, *BOXES[0, n % 6]] for n, (k, s) in enumerate(
        ((1, 0.9), (1, 0.7), (1, 0.69999), (2, 0.95), (2, 0.4), (3, 0.8), (3, 0.2)))])
    rows = np.concatenate([rows, np.full((2, 7), -1, np.float32)])  # that only fill up
    again = in_order({"y": rows[[0, 2, 1, 3, 4, 5, 6, 7, 8]]}, {"y": rows}, 1e-3)
    assert np.array_equal(again["y"], rows)
    assert not in_order({"y": rows[[1, 0, 2, 3, 4, 5, 6, 7, 8]]}, {"y": rows}, 1e-3)


def test_other_orders_stay_as_they_are():
    # Rows in reverse: their scores are elsewhere.
    assert not in_order(moved([5, 4, 3, 2, 1, 0]), RIGHT, 1e-3)
    # The boxes of other rows: nothing sorted belongs to them alone.
    boxes = {"boxes": BOXES[:, ::-1]}
    assert not in_order(boxes, {"boxes": BOXES}, 1e-3)
    # A box that belongs to no row stays wrong.
    found = moved(EXCHANGED, scores=SCORES)
    found["boxes"] = found["boxes"] + np.float32(20)
    again = in_order(found, RIGHT, 1e-3)
    assert np.abs(again["boxes"] - BOXES).max() > 10
    # With exchanged boxes under scores that tell them apart, boxes or scores are wrong.
    found = {**RIGHT, "boxes": BOXES[:, [3, 1, 2, 0, 4, 5]]}
    again = found | in_order(found, RIGHT, 1e-3)
    assert max(np.abs(again["boxes"] - BOXES).max(), np.abs(again["scores"] - SCORES).max()) > 0.3
