"""An arena and images in one study, and in one chart.

SPDX-License-Identifier: Apache-2.0
"""

import json

import pytest

from mace_tools.analyze.plan import chart_html, chart_svg, export, planner, pools, records, table
from mace_tools.analyze.plan.layout import picture
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.testing.needed import need_tools

IMAGES = {"max_extents": [64, 64], "records": [
    {"name": "a", "size": [8, 4], "first": 0, "last": 1, "format": "f16", "pixel_bytes": 8},
    {"name": "b", "size": [8, 2], "first": 1, "last": 2, "format": "f16", "pixel_bytes": 8},
    {"name": "c", "size": [8, 4], "first": 2, "last": 3, "format": "f16", "pixel_bytes": 8},
    {"name": "d", "size": [2, 2], "first": 0, "last": 0, "format": "f32", "pixel_bytes": 16}]}
ARENA = [{"name": "x", "size": 100, "first": 3, "last": 4, "align": 64},
         {"name": "y", "size": 50, "first": 4, "last": 5, "align": 64}]
STEPS = [{"name": f"n{k}", "op": "Conv2d"} for k in range(6)]


@pytest.fixture(scope="module")
def mace_plan():
    need_tools("bazel")
    return runner.find(Console(), None, runner.MACE_PLAN)


@pytest.fixture
def study(mace_plan):
    def plan(arena, strategy=planner.ALL):
        memory = records.from_engine("net", json.dumps(
            {"records": arena, "images": IMAGES, "steps": STEPS}))
        below = memory.arena and planner.study(mace_plan, memory.arena, strategy)
        pieces = memory.arena and planner.study(mace_plan, pools.in_pieces(memory.arena), strategy)
        images = [planner.study(mace_plan, p, strategy) for p in memory.images]
        return pools.merge(below, pieces, images, "net")

    return plan


def test_formats_are_pools_of_their_own():
    memory = records.from_engine("net", json.dumps({"records": [], "images": IMAGES}))
    assert memory.arena is None
    assert [(p.name, len(p.records), p.unit) for p in memory.images] == [
        ("images of f16", 3, "bytes"), ("images of f32", 1, "bytes")]
    assert memory.images[0].records[0].count == 8 * 4 * 8
    assert memory.images[0].max_extents == (64, 64)


def test_bytes_add_up(study):
    found = study(ARENA)
    # a and c share an image; x and y live together; d has a format of its own.
    images = 8 * 4 * 8 + 8 * 2 * 8 + 2 * 2 * 16
    assert found.best.total == images + 164 and found.best.is_optimal
    assert {p.strategy for p in found.plans} == {
        "AUTO", "OPTIMAL", "NAIVE", "EQUALITY", "GREEDY", "GREEDY_IN_ORDER",
        "GROW_IN_ORDER"}
    naive = next(p for p in found.plans if p.strategy == "NAIVE")
    assert naive.total == images + 8 * 4 * 8 + 178
    assert found.problem.unit == "bytes"
    # As in the engine, an object of the arena ends at an aligned address.
    equality = next(p for p in found.plans if p.strategy == "EQUALITY")
    assert equality.total == images + 128 + 64


@pytest.mark.parametrize("arena", [ARENA, []])
def test_images_are_a_pool_of_the_picture(study, arena):
    found = study(arena)
    drawn = picture(found.problem, found.best)
    names = {lane.label.split()[0] for lane in drawn.lanes}
    assert names == ({"arena", "image"} if arena else {"image"})
    assert drawn.top == found.best.total
    boxes = {found.problem.records[b.record].name: b for b in drawn.boxes}
    assert boxes["a"].low == boxes["c"].low != boxes["b"].low
    if arena:
        lane = next(lane for lane in drawn.lanes if lane.label == "arena")
        assert {boxes["x"].low, boxes["y"].low} == {lane.low, lane.low + 128} or (
            {boxes["x"].low, boxes["y"].low} == {lane.low, lane.low + 64})
    svg = chart_svg.render(found)
    assert ">image 0 8 x 4<" in svg and "Arena and images" in svg
    assert "Arena and images" in chart_html.render(found)
    assert any("AUTO" in line for line in table.lines(found))
    report = json.loads(export.json_text(found))
    assert len(report["pools"]) == 2 + bool(arena)
    assert report["kind"] == "arena and images" and len(report["object_ids"]) == 4 + len(arena)


def test_one_strategy(study):
    assert [p.strategy for p in study(ARENA, "EQUALITY").plans] == ["EQUALITY"]
    with pytest.raises(MaceError, match="MINCOSTFLOW"):
        study([], "MINCOSTFLOW")
