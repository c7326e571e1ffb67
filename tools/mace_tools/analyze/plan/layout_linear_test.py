"""The work of drawing a plan grows with what it shows.

SPDX-License-Identifier: Apache-2.0
"""

import random
import sys

import pytest

from mace_tools.analyze.plan import chart_html, chart_svg, export, layout
from mace_tools.analyze.plan.problem import Overlap, Plan, Problem, Record, Step, Study


def study(count: int, seed: int = 0) -> Study:
    """Many records, some of which share bytes, as one arena and as shared objects."""
    dice = random.Random(seed)
    records, offsets = [], []
    for k in range(count):
        overlaps = (Overlap(k - 1),) if k % 3 == 2 else ()
        life = dice.choice([0, 1, 2, 3, 8]) if k % 50 else 60
        records.append(Record(f"block_{k // 12}/out", (dice.choice([64, 256, 4096]),), k // 2,
                              k // 2 + life, 64, overlaps=overlaps,
                              alias_of=k - 1 if k % 7 == 1 else None,
                              op=dice.choice(["Conv2d", "Eltwise"])))
        offsets.append(offsets[-1] + dice.choice([0, 32, 64]) if overlaps else k % 90 * 4096)
    problem = Problem("m", tuple(records), 64, steps=(Step("n"),) * (count // 2 + 70))
    plans = (Plan("offsets/A", 10**6, 10**5, "feasible", 0, 1.0, offsets=tuple(offsets)),
             Plan("objects/B", 10**6, 10**5, "feasible", 0, 1.0,
                  object_ids=tuple(k % 90 for k in range(count)), object_sizes=((4096,),) * 90))
    return Study(problem, plans, plans[0])


@pytest.mark.parametrize("seed", range(5))
def test_live_bytes_are_those_of_the_definition(seed):
    """At each step, the bytes under the boxes that are live: of those that may overlap once."""
    made = study(80, seed)
    for plan in made.plans:
        drawn = layout.picture(made.problem, plan)
        for level in drawn.profile:
            live = {b.record: b for b in drawn.boxes
                    if made.problem.records[b.record].first <= level.step
                    <= made.problem.records[b.record].last}
            groups = [[live[k] for k in group if k in live] for group in made.problem.sharing]
            assert level.live == sum(len({a for b in group for a in range(b.low, b.high)})
                                     for group in groups)


def calls(made: Study) -> int:
    """Functions that writing all files calls."""
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        for write in (export.json_text, chart_svg.render, chart_html.render, export.to_csv):
            write(made)
    finally:
        sys.setprofile(None)
    return count


def test_twice_the_records_take_twice_the_work():
    small, large = calls(study(600)), calls(study(2400))
    assert large < 4.2 * small
