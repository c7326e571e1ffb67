"""The end of what a run prints: skips, failures, a table, one last line.

SPDX-License-Identifier: Apache-2.0
"""

import collections
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from rings.errors import Exit
from rings.report import Report

LOG_LINES = 40


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    name: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    bound: str = ""

    def text(self, width: int) -> str:
        return (f"{self.name:{width}} {self.passed:7} {self.failed:7} {self.skipped:7} "
                f"{self.seconds:8.1f}  {self.bound}").rstrip()


@dataclass
class Summary:
    """All that has run, in order."""

    rows: list[Row] = field(default_factory=list)
    reasons: collections.Counter[str] = field(default_factory=collections.Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, name: str, report: Report, seconds: float, bound: str = "") -> None:
        """Adds a suite, and prints at once what its counts do not say."""
        self.rows.append(Row(name, report.passed, len(report.failed), len(report.skipped), seconds,
                             bound))
        self.reasons.update(report.skipped)
        self.failures += [f"{name}: {failure}" for failure in report.failed]
        if missed := sorted(report.rows - report.executed):
            print(f"{name}: {len(missed)} of {len(report.rows)} micro-kernels were run by no test "
                  f"here: {', '.join(missed)}")
        for log in report.logs:
            print(log_tail(log))

    def keep(self, row: Row) -> None:
        """Adds a result of an earlier run that is still right."""
        self.rows.append(row)

    def finish(self, set_up: float = 0, rings: Iterable[tuple[str, str]] = ()) -> Exit:
        """Prints the rest; `rings` are those that ran, each with its bound."""
        passed, failed, skipped = (sum(getattr(row, name) for row in self.rows)
                                   for name in ("passed", "failed", "skipped"))
        for reason, count in self.reasons.most_common():
            print(f"skipped {count}: {reason}")
        for failure in self.failures:
            print(f"FAILED  {failure}")
        seconds = set_up + sum(row.seconds for row in self.rows)
        totals = [Row(" + ".join(name for name, _ in rings), passed, failed, skipped, seconds,
                      "; ".join(bound for _, bound in rings))] if rings else []
        width = max(len(row.name) for row in (*self.rows, *totals, Row("set-up", 0, 0, 0, 0)))
        print(f"{'suite':{width}} {'passed':>7} {'failed':>7} {'skipped':>7} {'seconds':>8}  bound")
        print(f"{'set-up':{width}} {set_up:32.1f}")
        for row in (*self.rows, *totals):
            print(row.text(width))
        print(f"{passed} passed, {failed} failed, {skipped} skipped")
        return Exit.FAILED if failed or not passed else Exit.PASSED


def log_tail(path: Path) -> str:
    """The end of a failed test's output, where gtest and the sanitizers say what happened."""
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError as error:
        lines = [f"no log: {error}"]
    return "\n".join([f"---- {path}", *lines[-LOG_LINES:]])
