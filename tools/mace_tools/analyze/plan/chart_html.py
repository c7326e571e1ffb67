"""A study as one self-contained HTML page that needs no network.

SPDX-License-Identifier: Apache-2.0

The parts are in page/, and what all pages have in common in reports/; this fills them with data.
Names come from model files, so the page never reads them as markup.
"""

from html import escape
from pathlib import Path
from string import Template
from typing import Any

from mace_tools.analyze import reports
from mace_tools.analyze.plan import colors
from mace_tools.analyze.plan.layout import Picture, picture, span
from mace_tools.analyze.plan.problem import Plan, Problem, Study
from mace_tools.analyze.plan.text import amount, short_name
from mace_tools.support.tables import printable

PAGE = Path(__file__).resolve().parent / "page"
SCRIPTS = ("data.js", "chart.js", "zoom.js", "panels.js", "main.js")


def render(study: Study) -> str:
    """The page."""
    title = f"Memory plan of {printable(study.problem.name)}"
    return Template(_part("page.html")).substitute(
        title=escape(title), style=reports.part("frame.css") + _part("page.css"),
        data=reports.script_json(_data(study)),
        script=reports.part("theme.js") + "".join(_part(name) for name in SCRIPTS))


def _part(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _data(study: Study) -> dict[str, Any]:
    problem = study.problem
    first, end = span(problem)
    profiles: list[list[tuple[int, int]]] = []
    plans = [_plan(plan, picture(problem, plan), profiles, end) for plan in study.plans]
    return {
        "name": printable(short_name(problem.name, 90)),
        "summary": _summary(study),
        "unit": problem.unit,
        "naive": problem.naive,
        "capacity": problem.capacity,
        "first": first,
        "end": end,
        "records": [_record(problem, k) for k in range(len(problem.records))],
        "steps": [[printable(problem.step_name(k)), printable(s.op)]
                  for k, s in enumerate(problem.steps)],
        "colorings": [_coloring(c) for c in (colors.by_op(problem), colors.by_size(problem),
                                             colors.by_lifetime(problem)) if c is not None],
        "plans": plans,
        "profiles": profiles,
        "best": study.plans.index(study.best),
        "savings": [[s.name, s.before, s.after] for s in study.savings],
    }


def _summary(study: Study) -> str:
    best, problem = study.best, study.problem
    proof = "proven optimal" if best.is_optimal else "the best of all that were tried"
    return (f"{len(problem.records):,} tensors in {amount(best.total, problem.unit)} by "
            f"{best.strategy}, {proof}. Time runs to the right, addresses upwards; a rectangle is "
            "a tensor.")


def _record(problem: Problem, index: int) -> dict[str, Any]:
    record = problem.records[index]
    partners = [] if record.alias_of is None else [record.alias_of]
    partners += [o.other for o in record.overlaps]
    known = [problem.records[k].name for k in partners if 0 <= k < len(problem.records)]
    return {"name": printable(record.name), "op": printable(record.op),
            "tag": printable(problem.tags[index]), "size": record.count,
            "shape": " × ".join(map(str, record.size)) if len(record.size) > 1 else "",
            "first": record.first, "last": record.last, "align": record.align,
            "shares": printable(", ".join(known))}


def _plan(plan: Plan, drawn: Picture, profiles: list[list[tuple[int, int]]], end: int
          ) -> dict[str, Any]:
    """Adds this plan's profile to `profiles`, unless it is there already."""
    profile = [(level.step, level.live) for level in drawn.profile]
    if profile not in profiles:
        profiles.append(profile)
    peak_end = next((s for s, _ in profile if s > drawn.peak.step), end)
    return {
        "strategy": plan.strategy, "kind": "offsets" if plan.is_offsets else "objects",
        "total": plan.total, "bound": plan.bound, "status": plan.status, "nodes": plan.nodes,
        "us": plan.us, "top": drawn.top,
        "boxes": [[b.record, b.low, b.high, -1 if b.object_id is None else b.object_id]
                  for b in drawn.boxes],
        "shared": [[s.record, s.other, s.first, s.last, s.low, s.high] for s in drawn.shared],
        "lanes": [[lane.low, lane.high, lane.label] for lane in drawn.lanes],
        "profile": profiles.index(profile),
        "peak": [drawn.peak.step, drawn.peak.live, peak_end],
    }


def _coloring(coloring: colors.Coloring) -> dict[str, Any]:
    return {"title": coloring.title, "colors": coloring.of_record, "legend": coloring.legend,
            "scale": coloring.is_scale}
