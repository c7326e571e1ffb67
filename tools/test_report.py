#!/usr/bin/env python3
"""Adds up the results that tools/test.sh left in a folder: a table, the failures, one last line.

SPDX-License-Identifier: Apache-2.0

The folder holds `suites.txt` (lines of suite name, exit status, start and end time) and for each
suite either `<suite>.xml` (pytest) or `<suite>.events.json` (Bazel's build event protocol).
"""

from __future__ import annotations

import collections
import json
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

LOG_LINES = 40
# How the reason of a skip must begin. Whatever else kept a test from running, such as a tool that
# is not installed, is a failure: set-up installs what the tests need.
SKIP_REASONS = ("test data: ", "this CPU: ", "this build: ", "covered elsewhere: ", "disabled: ")


@dataclass
class Report:
    """What became of the cases of one suite."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # the reason of each
    logs: list[Path] = field(default_factory=list)  # of the test programs that failed
    # Micro-kernels: all that the tables list, and those that a test ran on this CPU.
    rows: set[str] = field(default_factory=set)
    executed: set[str] = field(default_factory=set)

    @property
    def total(self) -> int:
        return self.passed + len(self.failed) + len(self.skipped)

    def add_skip(self, name: str, reason: str) -> None:
        if reason.startswith(SKIP_REASONS):
            self.skipped.append(reason)
        else:
            self.failed.append(f"{name} was skipped: {reason or 'no reason is given'}")


def add_junit(report: Report, path: Path, prefix: str = "") -> None:
    """Counts the cases of a JUnit file as gtest, pytest and Bazel write them."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        report.failed.append(f"{prefix}unreadable test results: {error}")
        return
    for entry in root.iter("property"):
        if entry.get("value") == "row":
            report.rows.add(entry.get("name", "").removeprefix("listed "))
        elif entry.get("value") == "executed":
            report.executed.add(entry.get("name", ""))
    for case in root.iter("testcase"):
        name = f"{prefix}{case.get('classname', '')}.{case.get('name', '')}"
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            report.failed.append(name)
        elif skip is not None:
            report.add_skip(name, _first_line(skip.get("message") or skip.text))
        elif case.get("status") == "notrun":
            report.skipped.append(f"disabled: {name}")
        else:
            report.passed += 1


def _first_line(text: str | None) -> str:
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    # gtest puts "file:line" before what the test says.
    if len(lines) > 1 and lines[0].rpartition(":")[2].isdigit():
        return lines[1]
    return lines[0] if lines else ""


def add_bazel_events(report: Report, path: Path) -> None:
    """Counts the cases of every test target of a `bazel test --build_event_json_file` run."""
    try:
        events = [json.loads(line) for line in path.read_text().splitlines()]
    except (OSError, ValueError) as error:
        report.failed.append(f"unreadable build events: {error}")
        return
    for event in events:
        identity = event.get("id", {})
        if "testResult" in identity:
            _add_test_target(report, identity["testResult"]["label"], event["testResult"])
        elif "targetCompleted" in identity and not event.get("completed", {}).get("success"):
            label = identity["targetCompleted"]["label"]
            if event.get("aborted", {}).get("reason") == "SKIPPED":
                report.skipped.append(f"this build: {label} is not for this target")
            else:
                report.failed.append(f"{label} does not build")


def _add_test_target(report: Report, label: str, result: dict) -> None:
    outputs = {o["name"]: Path(urllib.parse.unquote(urllib.parse.urlparse(o.get("uri", "")).path))
               for o in result.get("testActionOutput", [])}
    before = report.total
    failures = len(report.failed)
    if "test.xml" in outputs:
        add_junit(report, outputs["test.xml"], f"{label} ")
    status = result.get("status")
    if status != "PASSED" and len(report.failed) == failures:
        report.failed.append(f"{label} ended as {status}")
    elif report.total == before:
        report.failed.append(f"{label} holds no test case")
    if len(report.failed) > failures and "test.log" in outputs:
        report.logs.append(outputs["test.log"])


def read_suite(folder: Path, suite: str, status: int) -> Report:
    report = Report()
    events, junit = folder / f"{suite}.events.json", folder / f"{suite}.xml"
    if events.exists():
        add_bazel_events(report, events)
    if junit.exists():
        add_junit(report, junit)
    if not report.failed and (status != 0 or report.total == 0):
        report.failed.append(f"ended with status {status} after {report.total} cases")
    return report


def log_tail(path: Path) -> str:
    """The end of a failed test's output, where gtest and the sanitizers say what happened."""
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError as error:
        lines = [f"no log: {error}"]
    return "\n".join([f"---- {path}", *lines[-LOG_LINES:]])


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    passed = failed = skipped = 0
    reasons: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    table = [f"{'suite':10} {'passed':>7} {'failed':>7} {'skipped':>7} {'seconds':>8}"]
    for line in (folder / "suites.txt").read_text().splitlines():
        suite, status, start, end = line.split()
        report = read_suite(folder, suite, int(status))
        passed += report.passed
        failed += len(report.failed)
        skipped += len(report.skipped)
        reasons.update(report.skipped)
        failures += [f"{suite}: {name}" for name in report.failed]
        if missed := sorted(report.rows - report.executed):
            print(f"{suite}: {len(missed)} of {len(report.rows)} micro-kernels were run by no test "
                  f"here: {', '.join(missed)}")
        for log in report.logs:
            print(log_tail(log))
        table.append(f"{suite:10} {report.passed:7} {len(report.failed):7} "
                     f"{len(report.skipped):7} {float(end) - float(start):8.1f}")
    for reason, count in reasons.most_common():
        print(f"skipped {count}: {reason}")
    for name in failures:
        print(f"FAILED  {name}")
    print(*table, sep="\n")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
