"""The rings of the Python tests: `--ring=quick|full|deep` runs the cases of a ring and inside it.

SPDX-License-Identifier: Apache-2.0

A case without a mark is quick; `@pytest.mark.full`, `@pytest.mark.deep` and `pytestmark` of a file
move it outwards. CONTRIBUTING.md says what belongs to which ring.
"""

from __future__ import annotations

import pytest

from mace_tools.testing import goldens

RINGS = ("quick", "full", "deep")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ring", choices=RINGS, default=None,
                     help="runs the cases of this ring and of those inside it (default: all cases)")
    parser.addoption("--no-golden-cache", action="store_true",
                     help="computes what the source frameworks give anew, as --ring=deep does")


def pytest_configure(config: pytest.Config) -> None:
    goldens.use(not config.getoption("--no-golden-cache") and config.getoption("--ring") != "deep")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    ring = config.getoption("--ring") or RINGS[-1]
    outer = RINGS[RINGS.index(ring) + 1:]
    deselected = [item for item in items if any(item.get_closest_marker(r) for r in outer)]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        kept = set(items) - set(deselected)
        items[:] = [item for item in items if item in kept]
