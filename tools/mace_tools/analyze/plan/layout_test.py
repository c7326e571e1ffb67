"""The geometry of plans.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.analyze.plan.layout import Level, picture, span
from mace_tools.analyze.plan.problem import Overlap, Plan, Problem, Record
from mace_tools.testing import plans


def test_offsets():
    drawn = picture(plans.problem(), plans.OFFSETS)
    assert [(b.record, b.low, b.high) for b in drawn.boxes] == [
        (0, 0, 10), (1, 10, 40), (2, 40, 50), (3, 0, 8)]
    assert drawn.top == 50 and not drawn.lanes
    assert [(p.step, p.live) for p in drawn.profile] == [(0, 20), (1, 40), (2, 38), (3, 0)]
    assert drawn.peak == Level(1, 40)
    assert span(plans.problem()) == (0, 3)


def test_objects_lie_by_size():
    drawn = picture(plans.problem(), plans.OBJECTS)
    assert [(lane.low, lane.high, lane.label) for lane in drawn.lanes] == [
        (0, 30, "object 0"), (30, 40, "object 1"), (40, 50, "object 2")]
    assert [(b.record, b.low, b.high, b.object_id) for b in drawn.boxes] == [
        (0, 30, 40, 1), (1, 0, 30, 0), (2, 40, 50, 2), (3, 30, 38, 1)]


def test_extents_and_empty_records():
    problem = Problem("x", (Record("i", (2, 3), 0, 1), Record("e", (0, 5), 0, 0)))
    drawn = picture(problem, Plan("objects/NAIVE", 8, 6, "feasible", 0, 0, object_ids=(0, None),
                                  object_sizes=((2, 4),)))
    assert [(b.record, b.low, b.high) for b in drawn.boxes] == [(0, 0, 6)]
    assert drawn.lanes[0].label == "object 0 2 x 4"


def test_what_lies_over_each_other_counts_once():
    problem = Problem("x", (Record("a", (10,), 0, 1), Record("b", (10,), 1, 1,
                                                             overlaps=(Overlap(0, 4),))))
    drawn = picture(problem, Plan("s", 14, 14, "optimal", 0, 0, offsets=(0, 4)))
    assert drawn.peak == Level(1, 14)
