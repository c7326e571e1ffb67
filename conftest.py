"""The rings of the Python tests: `--ring=quick|full|deep` runs the cases of a ring and inside it.

SPDX-License-Identifier: Apache-2.0

A case without a mark is quick; `@pytest.mark.full`, `@pytest.mark.deep` and `pytestmark` of a file
move it outwards. CONTRIBUTING.md says what belongs to which ring.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from mace_tools import frameworks
from mace_tools.testing import golden_frameworks, goldens

RINGS = ("quick", "full", "deep")
# Folders and files whose tests build with Bazel: it has one folder of results in a checkout, from
# which one test would copy what another has just built in another way.
BUILDING = ("test/arm/", "test/hexagon/", "test/image/", "test/library/",
            "tools/mace_tools/site/docs_run_test.py")
# Folders whose tests compare with source frameworks, but do not test how these are started.
COMPARING = tuple(f"tools/mace_tools/{name}/" for name in ("analyze", "commands", "config"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ring", choices=RINGS, default=None,
                     help="runs the cases of this ring and of those inside it (default: all cases)")
    parser.addoption("--no-golden-cache", action="store_true",
                     help="computes what the source frameworks give anew, as --ring=deep does")


def pytest_configure(config: pytest.Config) -> None:
    os.environ.pop("COLUMNS", None)  # pytest-xdist sets it, and tables of tests are 120 wide
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")  # as in mace_tools.frameworks
    goldens.use(not config.getoption("--no-golden-cache") and config.getoption("--ring") != "deep")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the cases of outer rings. Files that have some of an outer ring come first: they
    take longest, and workers that run files side by side then end together."""
    chosen = RINGS.index(config.getoption("--ring") or RINGS[-1])
    of_file: dict[Path, int] = {}
    for item in items:
        of_file[item.path] = max(of_file.get(item.path, 0), _ring_of(item))
    deselected = [item for item in items if _ring_of(item) > chosen]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
    items[:] = sorted((item for item in items if _ring_of(item) <= chosen),
                      key=lambda item: -of_file[item.path])


@pytest.fixture(autouse=True)
def _golden_frameworks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.nodeid.startswith(COMPARING):
        monkeypatch.setattr(frameworks, "attempts", golden_frameworks.kept(frameworks.attempts))


def _ring_of(item: pytest.Item) -> int:
    return max((k for k, ring in enumerate(RINGS) if item.get_closest_marker(ring)), default=0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each file on one worker, so that its fixtures are made once, and all that build on one."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "BUILDING" if nodeid.startswith(BUILDING) else super()._split_scope(nodeid)

    return Scheduling(config, log)
