"""Plans as files for other programs: JSON that plan checkers read, and MiniMalloc's CSV.

SPDX-License-Identifier: Apache-2.0
"""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from mace_tools.analyze.plan.layout import picture
from mace_tools.analyze.plan.problem import Plan, Problem, Record, Study


def to_json(study: Study) -> dict[str, Any]:
    """The best plan with its records and certificate, and every other plan below "strategies"."""
    problem = study.problem
    entries: dict[str, Any] = {"name": problem.name, "unit": problem.unit}
    if problem.alignment != 1:
        entries["alignment"] = problem.alignment
    if problem.capacity is not None:
        entries["capacity"] = problem.capacity
    entries |= plan_entries(study.best)
    entries["naive"] = problem.naive
    if study.savings:
        entries["savings"] = [
            {"name": s.name, "before": s.before, "after": s.after}
            for s in study.savings]
    if problem.steps:
        entries["steps"] = [{"name": s.name, "op": s.op} for s in problem.steps]
    entries["records"] = list(_records(problem))
    entries["strategies"] = [plan_entries(p) for p in study.plans]
    if study.pools:
        entries["pools"] = [to_json(pool) for pool in study.pools]
    return entries


def json_text(study: Study) -> str:
    """The JSON as text, with one line for each record and strategy, which people can read and
    compare."""
    entries = to_json(study)
    lines = []
    for key, value in entries.items():
        if key in ("records", "strategies", "steps", "pools"):
            rows = ",\n".join("  " + json.dumps(row) for row in value)
            lines.append(f"{json.dumps(key)}: [\n{rows}\n ]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{" + ",\n ".join(lines) + "}\n"


def plan_entries(plan: Plan) -> dict[str, Any]:
    entries: dict[str, Any] = {"strategy": plan.strategy, "total_size": plan.total,
                               "bound": plan.bound, "status": plan.status, "nodes": plan.nodes,
                               "us": plan.us}
    if plan.is_offsets:
        return entries | {"kind": "offsets", "offsets": plan.offsets}
    sizes = [s[0] if len(s) == 1 else list(s) for s in plan.object_sizes]
    entries |= {"kind": "objects", "object_ids": plan.object_ids, "object_sizes": sizes}
    if plan.offsets is not None:  # an arena and images
        entries |= {"kind": "arena and images", "offsets": plan.offsets,
                    "object_names": plan.object_names}
    return entries


def _records(problem: Problem) -> Iterator[dict[str, Any]]:
    """For readers without aliases: an alias that does not begin at its record's start may overlap
    it."""
    trees = _trees(problem)
    for k, record in enumerate(problem.records):
        entries: dict[str, Any] = {
            "name": record.name, "size": record.size[0] if len(record.size) == 1 else record.size,
            "first": record.first, "last": record.last}
        if record.align != 1:
            entries["align"] = record.align
        if record.op:
            entries["op"] = record.op
        if record.fixed_offset is not None:
            entries["fixed_offset"] = record.fixed_offset
        partners = {o.other for o in record.overlaps} | (trees[k] - {k})
        if partners:
            entries["may_overlap"] = sorted(partners)
        exact = [{"other": o.other, "safe_distance": o.safe_distance}
                 for o in record.overlaps if o.safe_distance is not None]
        if exact:
            entries["overlaps"] = exact
        if record.alias_of is not None:
            key = "inside" if record.alias_offset else "alias_of"
            entries[key] = record.alias_of
            if record.alias_offset:
                entries["inside_at"] = record.alias_offset
        yield entries


def _root(problem: Problem, index: int) -> int:
    """The record at the end of a chain of aliases. REQUIRES: no cycles, which the planner has
    checked."""
    while (parent := problem.records[index].alias_of) is not None:
        index = parent
    return index


def _trees(problem: Problem) -> list[set[int]]:
    """For each record, the records that share its memory because they are aliases of the same
    one."""
    members: dict[int, set[int]] = {}
    roots = [_root(problem, k) for k in range(len(problem.records))]
    for k, root in enumerate(roots):
        members.setdefault(root, set()).add(k)
    return [members[root] for root in roots]


def to_csv(study: Study) -> str | None:
    """The best plan; None if CSV cannot hold it, because sizes have several extents.

    An alias is part of its record's row. Where records may overlap, which CSV cannot say, the
    offsets are left out."""
    problem = study.problem
    if not problem.is_scalar:
        return None
    with_offsets = not any(r.overlaps for r in problem.records)
    low = {b.record: b.low for b in picture(problem, study.best).boxes}
    trees = _trees(problem)
    names = [r.name for r in problem.records]
    by_name = all(names) and len(set(names)) == len(names)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "lower", "upper", "size", "alignment"] + ["offset"] * with_offsets)
    for k, record in enumerate(problem.records):
        if record.alias_of is not None:
            continue
        tree: list[Record] = [problem.records[i] for i in trees[k]]
        align = max(problem.alignment, *(r.align for r in tree))
        row: list[Any] = [record.name if by_name else k, min(r.first for r in tree),
                          max(r.last for r in tree) + 1, record.count, align]
        writer.writerow(row + [low.get(k, 0)] * with_offsets)
    return out.getvalue()
