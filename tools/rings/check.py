"""What CI asks of the file of results: right hashes, no failure, and one slice that runs again.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import replace
from pathlib import Path

from rings import inputs, results
from rings.deep import Standing, State, standings, why_stale
from rings.report import Report
from rings.runner import Runner, say
from rings.summary import Summary

SECONDS_AGAIN = 300  # the slowest slice that CI runs again
CURE = "tools/test.sh deep --resume writes it"


def check_lines(root: Path) -> Report:
    """A case for each slice; stale ones are only named."""
    report = Report()
    trees = inputs.Trees(root)
    all_of_them = standings(root)
    for each in all_of_them:
        label = each.part.label
        problem = _problem(each, trees)
        if problem:
            report.failed.append(f"{label}: {problem}")
        elif each.line is not None:
            report.passed += 1
        if each.state in (State.STALE, State.NEVER_RUN):
            print(f"{each.state}: {label}{why_stale(trees, each)}")
    for label in sorted(set(results.read(root)) - {each.part.label for each in all_of_them}):
        report.failed.append(f"{label}: {results.FILE} has a line of it, but it is no slice; "
                             "delete the line")
    return report


def _problem(standing: Standing, trees: inputs.Trees) -> str:
    line = standing.line
    if line is None:
        return f"{results.FILE} has no line of it; {CURE}"
    if line.passed + line.failed + line.skipped == 0:
        return f"its line counts no case at all; {CURE}"
    if not (standing.is_redefined or line.commit.endswith("+")):
        tree = trees.of(line.commit)
        if tree is not None and inputs.slice_hash(standing.part, tree) != line.inputs:
            return (f"its line has a hash that the files of commit {line.commit} do not have: no "
                    f"run wrote it; {CURE}")
    if standing.state == State.FAILED:
        return f"{line.failed} cases failed when it ran last; mend them, then {CURE}"
    return ""


def chosen_again(all_of_them: list[Standing], commit: str) -> Standing | None:
    """The slice that CI runs again: by the commit's hash among those that are fresh and short."""
    short = [each for each in all_of_them if each.state == State.FRESH and each.line is not None
             and each.line.seconds <= SECONDS_AGAIN]
    return short[int(commit, 16) % len(short)] if short else None


def check_again(runner: Runner, summary: Summary) -> None:
    """Runs one slice again, and adds a failure if its counts differ from the file's."""
    commit = inputs.head(runner.root)
    standing = chosen_again(standings(runner.root), commit)
    if standing is None or standing.line is None:
        say(f"no slice is fresh and took at most {SECONDS_AGAIN} s: none is run again")
        return
    line = standing.line
    say(f"== {line.label}, which commit {commit[:12]} chooses to run again")
    report, seconds = replace(runner, anew=True).run(line.label, standing.part.steps)
    now = (report.passed + report.of_cpu, len(report.failed), len(report.skipped) - report.of_cpu)
    if now != line.counts():
        report.failed.append(
            f"{results.FILE} says {_counts(line.counts())}, but running it again gives "
            f"{_counts(now)} (cases that need another CPU count as passed)")
    summary.add(f"again {line.label}", report, seconds, f"{SECONDS_AGAIN} s")


def _counts(counts: tuple[int, int, int]) -> str:
    return "{} passed, {} failed, {} skipped".format(*counts)
