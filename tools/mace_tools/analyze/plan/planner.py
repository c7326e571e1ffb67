"""The C++ planners, through the program mace_plan.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from mace_tools.analyze.plan.layout import picture
from mace_tools.analyze.plan.problem import Plan, Problem, Record, Saving, Study, choose
from mace_tools.analyze.plan.text import exact
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import RunFailedError

ALL = "all"
_RECORD = re.compile(r"record (\d+)")


def study(
    mace_plan: Path,
    problem: Problem,
    strategy: str = ALL,
    budget_ms: int = 0,
    where: str = "",
    savings: tuple[Saving, ...] = (),
) -> Study:
    """Plans with one strategy, or with all that can plan such records. `where` names the records'
    file.

    Errors: MaceError if a record is wrong or if no plan fits the capacity; then it says why."""
    plans = tuple(_plan(p) for p in _solve(mace_plan, problem, strategy, budget_ms, where))
    if not plans:
        raise MaceError(f"{where or problem.name}: no strategy takes such records")
    fitting = tuple(p for p in plans if p.fits(problem.capacity))
    if not fitting:
        raise MaceError(_too_large(problem, choose(plans), strategy, where))
    return Study(problem, plans, choose(fitting), savings)


def _solve(
    mace_plan: Path, problem: Problem, strategy: str, budget_ms: int, where: str
) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="mace_plan.") as folder:
        given, found = Path(folder) / "records.json", Path(folder) / "plans.json"
        given.write_text(json.dumps(_request(problem)), encoding="utf-8")
        command = [str(mace_plan), f"--records={given}", f"--strategy={strategy}",
                   f"--capacity={problem.capacity or 0}", f"--budget_ms={budget_ms}",
                   f"--json={found}"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, errors="replace", check=False)
        except OSError as e:
            raise RunFailedError(f"cannot start {mace_plan}: {e.strerror}") from e
        message = done.stderr.strip().removeprefix("ERROR: ")
        if done.returncode == 1:
            raise MaceError(_located(problem, message, where))
        if done.returncode != 0:
            raise RunFailedError(f"mace_plan failed with status {done.returncode}: {message}")
        return json.loads(found.read_text(encoding="utf-8"))["plans"]


def _request(problem: Problem) -> dict[str, Any]:
    request = {"records": [_record(r) for r in problem.records], "alignment": problem.alignment,
               "element_bytes": problem.element_bytes}
    if problem.max_extents is not None:
        request["max_extents"] = list(problem.max_extents)
    return request


def _record(record: Record) -> dict[str, Any]:
    size = record.size[0] if len(record.size) == 1 else list(record.size)
    report: dict[str, Any] = {"name": record.name, "size": size, "first": record.first,
                              "last": record.last, "align": record.align}
    if record.fixed_offset is not None:
        report["fixed_offset"] = record.fixed_offset
    if record.alias_of is not None:
        report |= {"alias_of": record.alias_of, "alias_offset": record.alias_offset}
    if record.overlaps:
        report["overlaps"] = [
            {"other": o.other} if o.safe_distance is None else
            {"other": o.other, "safe_distance": o.safe_distance} for o in record.overlaps]
    return report


def _plan(found: dict[str, Any]) -> Plan:
    sizes = found.get("object_sizes", ())
    is_offsets = found["kind"] == "offsets"
    return Plan(
        strategy=found["strategy"], total=found["total_size"], bound=found["bound"],
        status=found["status"], nodes=found["nodes"], us=found["us"],
        offsets=tuple(found["offsets"]) if is_offsets else None,
        object_ids=None if is_offsets else tuple(found["object_ids"]),
        object_sizes=tuple(tuple(s) if isinstance(s, list) else (s,) for s in sizes))


def _located(problem: Problem, message: str, where: str) -> str:
    """Adds the file and line of the first record that the message names."""
    match = _RECORD.search(message)
    index = int(match[1]) if match else -1
    line = ""
    if 0 <= index < len(problem.records) and problem.records[index].where:
        line = ":" + problem.records[index].where.removeprefix("line ")
    return f"{where}{line}: {message}" if where else message


def _too_large(problem: Problem, plan: Plan, strategy: str, where: str) -> str:
    """Why no plan fits, with the record that takes the most at the peak."""
    unit, capacity = problem.unit, problem.capacity or 0
    prefix = f"{where}: " if where else ""
    if capacity < plan.bound or plan.status == "infeasible":
        peak = picture(problem, plan).peak.step
        live = [k for k, r in enumerate(problem.records) if r.first <= peak <= r.last]
        most = max(live, key=lambda k: problem.records[k].count)
        return (f"{prefix}capacity {exact(capacity, unit)} is infeasible, proven: no plan takes "
                f"less than {exact(plan.bound, unit)}; at step {peak:,} {len(live)} records live, "
                f"the largest is {problem.label(most)} with "
                f"{exact(problem.records[most].count, unit)}; allow at least {plan.bound}")
    cure = ("allow more time with --budget_ms" if strategy == ALL else
            "choose another --strategy or leave it out")
    return (f"{prefix}no plan within capacity {exact(capacity, unit)} was found, nor is it proven "
            f"that there is none; the best has {exact(plan.total, unit)} ({plan.strategy}); {cure}")
