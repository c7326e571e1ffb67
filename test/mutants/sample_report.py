"""The report of a sample of mutants: a text file with one line each, and how two of them compare.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from mutant_report import CAUGHT, SURVIVED, UNREACHED, folder_of

_VERDICTS = (CAUGHT, SURVIVED, UNREACHED)


class BadReport(Exception):
    """A report that cannot be read, or continued, or compared; the message has place and cure."""


class Stopped(Exception):
    """The time is up; the message says how far the run is."""


@dataclass(frozen=True)
class Result:
    """Whether a mutant was caught, and by which case."""

    verdict: str
    by: str
    seconds: float

    @staticmethod
    def of(by: str | None, seconds: float) -> Result:
        """`by`: the case that fails; "" if none does, None if none reaches the mutant."""
        verdict = UNREACHED if by is None else CAUGHT if by else SURVIVED
        return Result(verdict, by or "", round(seconds, 1))


@dataclass
class Report:
    """The results by numbered_key(). `settings` name the sample, `run` what it was run by."""

    path: Path
    settings: str
    run: str
    results: dict[str, Result]

    @staticmethod
    def read(path: Path) -> Report:
        try:
            lines = path.read_text().splitlines()
        except OSError as e:
            raise BadReport(f"{path}: {e.strerror}") from e
        if len(lines) < 2 or not all(line.startswith("# ") for line in lines[:2]):
            raise BadReport(f"{path}: is no report of a sample of mutants; write one with "
                            "test/mutants/run.sh sample")
        report = Report(path, lines[0][2:], lines[1][2:], {})
        for number, line in enumerate(lines[2:], 3):
            fields = line.split("\t")
            if len(fields) != 4 or fields[0] not in _VERDICTS:
                raise BadReport(f"{path}:{number}: is no result: remove the line, or the file")
            report.results[fields[2]] = Result(fields[0], fields[3], float(fields[1]))
        return report

    @staticmethod
    def resume(path: Path, settings: str, run: str) -> Report:
        """The report of an earlier run that was stopped, or a new one."""
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {settings}\n# {run}\n")
        report = Report.read(path)
        if (report.settings, report.run) != (settings, run):
            raise BadReport(f"{path}: is of another run ({report.settings} {report.run}; now "
                            f"{settings} {run}): name another file with --report, or remove it")
        return report

    def add(self, key: str, result: Result) -> None:
        """Writes a result at once, so that a run can be stopped at any time."""
        self.results[key] = result
        with self.path.open("a") as file:
            file.write(f"{result.verdict}\t{result.seconds}\t{key}\t{result.by}\n")
            file.flush()
            os.fsync(file.fileno())

    def take_caught(self, other: Report) -> None:
        """Adds what a run of some of the tests caught: all of them catch it, too."""
        if other.settings != self.settings or _tree(other.run) != _tree(self.run):
            raise BadReport(f"{other.path}: is of another sample or tree ({other.settings} "
                            f"{other.run}; now {self.settings} {self.run}): leave out --inner")
        for key in sorted(other.caught(set(other.results)) - set(self.results)):
            self.add(key, other.results[key])

    def caught(self, keys: set[str]) -> set[str]:
        return {key for key in keys if self.results[key].verdict == CAUGHT}


def _tree(run: str) -> str:
    return run.rpartition(" tree=")[2]


def summary(report: Report) -> str:
    """How many mutants of each folder were caught."""
    folders: dict[str, Counter[str]] = {}
    for key, result in report.results.items():
        depth = 4 if key.startswith("tools/") else 2
        folders.setdefault(folder_of(key.split(" | ")[0], depth), Counter())[result.verdict] += 1
    lines = [f"{name}: " + ", ".join(f"{counts[v]} {v}" for v in _VERDICTS)
             for name, counts in sorted(folders.items())]
    caught = len(report.caught(set(report.results)))
    seconds = sum(result.seconds for result in report.results.values())
    return "\n".join([*lines, f"{caught} of {len(report.results)} caught in {seconds:.0f} s"])


def compare(before: Report, after: Report) -> tuple[str, bool]:
    """What differs, and whether the second catches at least as many as the first."""
    if before.settings != after.settings:
        raise BadReport(f"{before.path} and {after.path} are of other samples "
                        f"({before.settings}; {after.settings}): run the same one")
    both = set(before.results) & set(after.results)
    if not both:
        raise BadReport(f"{before.path} and {after.path} have no mutant in common")
    first, second = before.caught(both), after.caught(both)
    lines = [f"only {before.path} catches: {key} ({before.results[key].by})"
             for key in sorted(first - second)]
    lines += [f"only {after.path} catches: {key} ({after.results[key].by})"
              for key in sorted(second - first)]
    for one, other in ((before, after), (after, before)):
        lines += [f"only in {one.path}: {key}" for key in sorted(set(one.results) - both)
                  if key not in other.results]
    lines.append(f"of {len(both)} mutants, {len(first)} were caught before, {len(second)} after")
    return "\n".join(lines), len(second) >= len(first)
