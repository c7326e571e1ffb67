"""The tests that docs/robustness.md names for each class of published faults exist.

SPDX-License-Identifier: Apache-2.0
"""

import re

import pytest

from mace_tools.support.protos import REPO

PAGE = (REPO / "docs/robustness.md").read_text()
CLASSES = PAGE.partition("## Classes of published faults")[2].partition("\n## ")[0]
NAMES = re.findall(r"`([^`]*)::([^`]*)`", CLASSES)


def test_every_class_has_tests():
    rows = [row for row in CLASSES.splitlines() if row.startswith("|")][2:]
    assert len(rows) == 16
    assert all("::" in row for row in rows)


@pytest.mark.parametrize("file, name", NAMES)
def test_its_tests_exist(file, name):
    text = (REPO / file).read_text()
    suite, _, case = name.partition(".")
    found = (rf"\bTEST(_F|_P)?\({suite},\s*{case}\)" if file.endswith(".cc")
             else rf"^def {name}\(")
    assert re.search(found, text, re.MULTILINE)
