"""Files for other programs, and the table for people.

SPDX-License-Identifier: Apache-2.0
"""

import dataclasses
import json

from mace_tools.analyze.plan import export, records, table
from mace_tools.analyze.plan.problem import Overlap, Plan, Problem, Record, Saving, Study
from mace_tools.testing import plans


def of(problem, plan):
    return Study(problem, (plan,), plan)


def test_json_holds_the_plan_and_all_others():
    report = json.loads(export.json_text(plans.study(capacity=64)))
    assert report["records"][3] == {"name": "d", "size": 8, "first": 2, "last": 2, "align": 8,
                                    "op": "Eltwise"}
    assert (report["offsets"], report["total_size"], report["bound"]) == ([0, 10, 10, 0], 40, 40)
    assert (report["status"], report["nodes"], report["us"]) == ("optimal", 12, 90)
    assert (report["capacity"], report["naive"], report["kind"]) == (64, 58, "offsets")
    assert [s["strategy"] for s in report["strategies"]] == [p.strategy
                                                             for p in plans.study().plans]
    assert report["strategies"][2]["object_sizes"] == [30, 10, 10]


def test_json_is_read_again(tmp_path):
    file = tmp_path / "tiny.json"
    file.write_text(export.json_text(plans.study(alignment=2)))
    assert records.read(file) == plans.problem(alignment=2)


SHARED = Problem("x", (Record("whole", (16,), 1, 2), Record("part", (8,), 0, 0, alias_of=0,
                                                            alias_offset=8),
                       Record("same", (16,), 3, 3, alias_of=0)))
PLACED = Plan("offsets/X", 16, 16, "optimal", 0, 0, offsets=(0, 8, 0))


def test_an_alias_inside_is_leave_to_overlap():
    rows = export.to_json(of(SHARED, PLACED))["records"]
    assert "alias_of" not in rows[1] and rows[1]["may_overlap"] == [0, 2]
    assert (rows[1]["inside"], rows[1]["inside_at"]) == (0, 8)
    assert rows[2]["alias_of"] == 0


def test_csv():
    assert export.to_csv(plans.study()) == (
        "id,lower,upper,size,alignment,offset\n"
        "a,0,2,10,1,0\nb,1,3,30,1,10\nc,0,1,10,1,10\nd,2,3,8,8,0\n")


def test_csv_with_aliases_has_a_row_for_each_root():
    assert export.to_csv(of(SHARED, PLACED)) == (
        "id,lower,upper,size,alignment,offset\nwhole,0,4,16,1,0\n")


def test_csv_without_what_it_cannot_say():
    a, b = Record("same", (4,), 0, 0), Record("same", (4,), 0, 0, overlaps=(Overlap(0),))
    plan = Plan("offsets/X", 4, 4, "optimal", 0, 0, offsets=(0, 0))
    assert export.to_csv(of(Problem("x", (a, b)), plan)) == (
        "id,lower,upper,size,alignment\n0,0,1,4,1\n1,0,1,4,1\n")
    image = Problem("x", (Record("i", (2, 2), 0, 0),))
    assert export.to_csv(of(image, plans.OBJECTS)) is None


def test_table():
    study = dataclasses.replace(plans.study(capacity=45), savings=(Saving("views", 90, 40),))
    text = "\n".join(table.lines(study))
    assert text == """\
tiny: 4 records, 58 bytes without sharing
  strategy                bytes  x naive  x bound  us  nodes  status
* offsets/AUTO               40    0.690    1.000  90     12  optimal
  offsets/GREEDY_BY_SIZE     50    0.863    1.250   7      0  feasible, too large
  objects/NAIVE              50    0.863    1.042   3      0  feasible, too large
best: offsets/AUTO, 40 bytes (40 bytes)
  optimal, proven: no plan of this kind is smaller
  lower bound 40 bytes; 12 search nodes, 90 µs of planning
  capacity 45 bytes, 5 bytes left
  peak at step 1 (prob): 40 bytes live
saved before planning, off the lower bound:
  views            50 bytes  (90 bytes -> 40 bytes)"""
