"""Counts the cases of a suite: from JUnit files, and from Bazel's build event protocol.

SPDX-License-Identifier: Apache-2.0
"""

import json
import urllib.parse
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

# How the reason of a skip must begin. Whatever else kept a test from running, such as a tool that
# is not installed, is a failure: set-up installs what the tests need.
SKIP_REASONS = ("test data: ", "this CPU: ", "this distribution: ", "this build: ",
                "covered elsewhere: ", "disabled: ")


@dataclass
class Report:
    """What became of the cases of one suite."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # the reason of each
    logs: list[Path] = field(default_factory=list)  # of what failed
    # Micro-kernels: all that the tables list, and those that a test ran on this CPU.
    rows: set[str] = field(default_factory=set)
    executed: set[str] = field(default_factory=set)

    @property
    def total(self) -> int:
        return self.passed + len(self.failed) + len(self.skipped)

    @property
    def of_cpu(self) -> int:
        """The skipped cases that another CPU runs."""
        return sum(reason.startswith("this CPU: ") for reason in self.skipped)

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
