"""Runs slices of the deep suites, and keeps what they found in the file of results.

SPDX-License-Identifier: Apache-2.0
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rings import inputs, results
from rings.report import Report
from rings.results import Line
from rings.runner import Runner, say
from rings.slices import SLICES
from rings.steps import Slice
from rings.summary import Row, Summary

BOUND = "30 min"


class State(enum.StrEnum):
    FRESH = "fresh"
    FAILED = "failed"  # and its inputs are those of now
    STALE = "STALE"
    NEVER_RUN = "never run"


@dataclass(frozen=True)
class Standing:
    """What the file of results says of a slice, compared with the tree."""

    part: Slice
    line: Line | None
    hash: str  # of the inputs as they are now

    @property
    def state(self) -> State:
        if self.line is None:
            return State.NEVER_RUN
        if self.line.inputs != self.hash:
            return State.STALE
        return State.FAILED if self.line.failed else State.FRESH

    @property
    def is_redefined(self) -> bool:
        """The slice runs something else now, or depends on other files."""
        return self.line is not None and not self.line.inputs.startswith(f"{self.hash[:8]}-")


def standings(root: Path, parts: Sequence[Slice] = SLICES) -> list[Standing]:
    lines = results.read(root)
    tree = inputs.working_tree(root)
    return [Standing(part, lines.get(part.label), inputs.slice_hash(part, tree)) for part in parts]


def to_run(standing: list[Standing], resume: bool) -> list[Slice]:
    return [each.part for each in standing if not (resume and each.state == State.FRESH)]


def run_slices(runner: Runner, standing: list[Standing], resume: bool, summary: Summary) -> None:
    wanted = to_run(standing, resume)
    runner = replace(runner, anew=not resume)
    for each in standing:
        if each.part not in wanted and each.line is not None:
            line = each.line
            summary.keep(Row(line.label, line.passed, line.failed, line.skipped, line.seconds,
                             f"{BOUND}; kept from {line.commit}"))
    for number, part in enumerate(wanted, 1):
        say(f"== {part.label} ({number} of {len(wanted)})")
        before = inputs.slice_hash(part, inputs.working_tree(runner.root))
        report, seconds = runner.run(part.label, part.steps)
        summary.add(part.label, report, seconds, BOUND)
        if inputs.slice_hash(part, inputs.working_tree(runner.root)) != before:
            say(f"{part.label}: files that it depends on changed while it ran, so that its result "
                "is not recorded")
            continue
        record(runner.root, part, before, report, seconds)


def record(root: Path, part: Slice, found: str, report: Report, seconds: float) -> None:
    """Writes a slice's line. The others are read again: git may have changed them meanwhile."""
    commit = inputs.head(root)
    committed = inputs.commit_tree(root, commit)
    is_commits = committed is not None and inputs.slice_hash(part, committed) == found
    line = Line(part.suite, part.name, found, commit[:12] + ("" if is_commits else "+"),
                report.passed, len(report.failed), len(report.skipped), report.of_cpu,
                round(seconds))
    lines = {**results.read(root), part.label: line}
    results.write(root, lines.values(), [each.label for each in SLICES])


def print_status(root: Path) -> None:
    """What `tools/test.sh status` shows."""
    all_of_them = standings(root)
    trees = inputs.Trees(root)
    width = max(len(each.part.label) for each in all_of_them)
    print(f"{'slice':{width}} state      passed  failed skipped seconds  commit")
    for each in all_of_them:
        line = each.line
        if line is None:
            print(f"{each.part.label:{width}} {each.state}")
            continue
        print(f"{line.label:{width}} {each.state:9} {line.passed:7} {line.failed:7} "
              f"{line.skipped:7} {line.seconds:7}  {line.commit}{why_stale(trees, each)}")
    seconds = sum(each.line.seconds for each in all_of_them if each.line)
    counts = ", ".join(f"{sum(e.state == state for e in all_of_them)} {state}" for state in State)
    print(f"{len(all_of_them)} slices: {counts}; {seconds} s in all")
    for label in sorted(set(results.read(root)) - {each.part.label for each in all_of_them}):
        print(f"{label} has a line, but is no slice any more: the next run of any slice removes it")


def why_stale(trees: inputs.Trees, standing: Standing) -> str:
    """What changed since a stale line; empty for other lines."""
    if standing.state != State.STALE or standing.line is None:
        return ""
    if standing.is_redefined:
        return ": the slice is defined otherwise now"
    commit = standing.line.commit
    then = None if commit.endswith("+") else trees.of(commit)
    if then is None:
        return ": its inputs changed"
    changed = [path for path in sorted({*inputs.inputs_of(standing.part, then),
                                        *inputs.inputs_of(standing.part, trees.now)})
               if then.get(path) != trees.now.get(path)]
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f": {changed[0]}{more} changed" if changed else ": its hash is wrong"
