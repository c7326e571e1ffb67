"""The rings of the Python tests: `--ring=quick|full|deep` runs the cases of a ring and of those
inside it.

SPDX-License-Identifier: Apache-2.0

A case without a mark is quick; `@pytest.mark.full` and `@pytest.mark.deep`, or `pytestmark` of a
file, move it outwards. CONTRIBUTING.md says what belongs to which ring.
"""

from __future__ import annotations

import pytest

RINGS = ("quick", "full", "deep")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ring", choices=RINGS, default="deep",
                     help="runs the cases of this ring and of those inside it (default: deep, all)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    outer = RINGS[RINGS.index(config.getoption("--ring")) + 1:]
    deselected = [item for item in items if any(item.get_closest_marker(r) for r in outer)]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        kept = set(items) - set(deselected)
        items[:] = [item for item in items if item in kept]
