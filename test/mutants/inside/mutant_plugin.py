"""A plugin of pytest: records what each case reaches, or runs chosen cases in a given order.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import sitecustomize

_OUTER_RINGS = ("deep", "full")


def pytest_configure(config: pytest.Config) -> None:
    if "MACE_REACH_MAP" in os.environ:
        config.pluginmanager.register(Recorder(Path(os.environ["MACE_REACH_MAP"])))
    if "MACE_MUTANT_CASES" in os.environ:
        config.pluginmanager.register(Chooser(Path(os.environ["MACE_MUTANT_CASES"])))


class Recorder:
    """Writes the seconds, the ring and the blocks of each case that passes.

    What is executed while modules are imported and fixtures made counts for all cases of the file:
    another case may be the first to import a module, or use the same fixture.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._children = Path(os.environ["MACE_REACHED"])
        self._shared: set[int] = set()
        self._own: set[int] = set()
        self._passed = True
        self._failed: list[str] = []
        self._cases: dict[str, dict[str, object]] = {}
        self._start_up = 0.0

    def pytest_collection_finish(self) -> None:
        self._shared |= self._take()
        self._start_up = _seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before = _seconds()
        self._own, self._passed = set(), True
        result = yield
        self._shared |= self._take()
        if self._passed:
            ring = next((r for r in _OUTER_RINGS if item.get_closest_marker(r)), "quick")
            self._cases[item.nodeid] = {"seconds": round(_seconds() - before, 3), "ring": ring,
                                        "reached": sorted(self._own)}
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        self._shared |= self._take()
        try:
            return (yield)
        finally:
            self._own = self._take()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._passed = self._passed and report.passed
        if report.failed:
            self._failed.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._shared |= self._take() | sitecustomize.imported
        self._path.write_text(json.dumps({
            "start_up": round(self._start_up, 3), "shared": sorted(self._shared),
            "cases": self._cases, "failed": self._failed}))

    def _take(self) -> set[int]:
        """The blocks that were executed since the last call, by this process and its children."""
        taken = set(sitecustomize.reached)
        sitecustomize.reached.clear()
        if self._children.exists():
            taken |= {int(line) for line in self._children.read_text().split()}
            self._children.write_text("")
        return taken


class Chooser:
    """Runs the cases of a list in its order; writes the name of the first that fails."""

    def __init__(self, path: Path) -> None:
        self._names = json.loads(path.read_text())
        self._failed = Path(os.environ["MACE_MUTANT_FAILED"])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        by_name = {item.nodeid: item for item in items}
        items[:] = [by_name[name] for name in self._names if name in by_name]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self._failed.exists():
            self._failed.write_text(report.nodeid)


def _seconds() -> float:
    """Processor time of this process and of those that it started."""
    return sum(os.times()[:4])
