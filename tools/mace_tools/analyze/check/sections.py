"""Sections that the pages of `check` and `benchmark` share: devices and memory of a plan.

SPDX-License-Identifier: Apache-2.0
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from mace_tools.analyze import reports
from mace_tools.analyze.check.plan_text import reason
from mace_tools.analyze.plan import chart_svg, records
from mace_tools.analyze.plan.layout import picture, span
from mace_tools.analyze.plan.problem import Plan, Problem, Study
from mace_tools.analyze.plan.text import amount
from mace_tools.analyze.reports import Html, chart, table
from mace_tools.analyze.reports.chart import Axis, Point, Series
from mace_tools.support.tables import folded


def millions(macs: int) -> str:
    return f"{macs / 1e6:,.2f}" if macs else ""


def steps(nodes: Sequence[Mapping[str, Any]]) -> Html:
    """The table of a plan's steps."""
    own = [n for n in nodes if not n["part_of"]]
    most = max((n["macs"] for n in own), default=0) or 1
    columns = (table.Column("step", is_number=True, hint="in the order of execution"),
               table.Column("op"), table.Column("name"), table.Column("device"),
               table.Column("kernel"), table.Column("outputs", hint="type and shape, as stored"),
               table.Column("multiply-adds (million)", is_number=True),
               table.Column("why not on the first device"))
    rows = [(table.Cell(str(k), k), n["op"], folded(n["op"], n["name"]), n["device"], n["kernel"],
             ", ".join(n["outputs"]), table.Cell(millions(n["macs"]), n["macs"], n["macs"] / most),
             reason(dict(n))) for k, n in enumerate(own)]
    return table.render("Steps of the plan; fused nodes are one", columns, rows)


def devices(plan: Mapping[str, Any]) -> Html:
    """What runs where, and what moves between devices."""
    nodes, total = plan["nodes"], plan["macs"] or 1
    counts = Counter(n["device"] for n in nodes)
    rows = []
    for device, count in counts.items():
        macs = sum(n["macs"] for n in nodes if n["device"] == device)
        rows.append((device, table.Cell(str(count), count, count / len(nodes)),
                     table.Cell(millions(macs) or "0", macs, macs / total)))
    parts = [table.render("Nodes on each device", (
        table.Column("device"), table.Column("nodes", True),
        table.Column("multiply-adds (million)", True)), rows)]
    moves = plan["moves"]
    if moves:
        sizes = [m["bytes"] for m in moves]
        parts.append(table.render(
            f"Borders: tensors that move between devices in each run ({len(moves)}, "
            f"{amount(sum(sizes))} in all)",
            (table.Column("tensor"), table.Column("to"), table.Column("bytes", True)),
            [(m["tensor"], m["to"], table.Cell(f"{m['bytes']:,}", m["bytes"],
                                               m["bytes"] / (max(sizes) or 1))) for m in moves]))
    else:
        parts.append(reports.paragraph("Nothing moves between devices."))
    note = plan["note"] or ""
    return reports.section("Devices and the borders between them", *parts, note=note)


def memory(name: str, plan: Mapping[str, Any], text: str) -> Html:
    """Live bytes over the run, the largest holders, and the plan's chart. `text` is of mace_run."""
    found, report = records.from_engine(name, text), plan["memory"]
    parts: list[Html] = []
    if found.arena is not None:
        study = _study(found.arena, json.loads(text))
        parts += [_live(study), _holders(report), _chart(study)]
    else:
        parts.append(reports.paragraph("The arena is empty."))
    words = f"The arena takes {amount(report['arena_bytes'])}"
    if report["num_images"]:
        words += f", {report['num_images']} images {amount(report['image_bytes'])}"
    return reports.section("Memory over the run", *parts,
                             note=words + ". Inputs, outputs and weights are not part of it. The "
                             f"engine takes {amount(report['anonymous_bytes'])} of anonymous "
                             f"memory, and maps {amount(report['mapped_bytes'])} of files.")


def _study(problem: Problem, report: Mapping[str, Any]) -> Study:
    plan = Plan(report["strategy"], report["total_size"], report["bound"], report["status"],
                report["nodes"], report["us"],
                offsets=tuple(report["offsets"]) if "offsets" in report else None,
                object_ids=tuple(report["object_ids"]) if "object_ids" in report else None,
                object_sizes=tuple(tuple(s) if isinstance(s, list) else (s,)
                                   for s in report.get("object_sizes", ())))
    return Study(problem, (plan,), plan)


def _live(study: Study) -> Html:
    problem = study.problem
    first, end = span(problem)
    drawn = picture(problem, study.best)
    points = [Point(level.step, level.live) for level in drawn.profile]
    points.append(Point(end, 0))
    peak = drawn.peak
    named = problem.step_name(peak.step)
    at = f"step {peak.step}" + (f" ({named})" if named else "")
    return chart.render(
        f"Live bytes over the steps of a run; the most, {amount(peak.live)}, at {at}",
        Axis("step", first, max(end, first + 1),
             ticks=tuple(chart.steps(first, end, 12))),
        Axis("live bytes", 0, max(peak.live, 1) * 1.06, shown=lambda v: amount(round(v)),
             ticks=tuple(chart.addresses(peak.live, 8))),
        [Series("area", tuple(points))], f"Most is live at {at}: {amount(peak.live)}.")


def _holders(report: Mapping[str, Any]) -> Html:
    holders = report["peak_holders"]
    if not holders:
        return Html("")
    return table.render(f"Largest holders at the peak, {report['peak_node']}", (
        table.Column("tensor"), table.Column("bytes", True)),
        [(h["name"], table.Cell(f"{h['bytes']:,}", h["bytes"],
                                h["bytes"] / (report["peak_bytes"] or 1))) for h in holders])


def _chart(study: Study) -> Html:
    """The chart of `converter.py plan`, as the engine planned."""
    words = f"Where each tensor lies in the arena of {amount(study.best.total)} over the steps"
    return Html('<details><summary>Where each tensor lies</summary>'
                f'<img class="wide" alt="{reports.attribute(words)}" '
                f'data-packed="{reports.packed(chart_svg.render(study))}"></details>\n')
