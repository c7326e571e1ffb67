"""The generated lists in git are what `python -m mace_tools.generate` writes today.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import pytest

from mace_tools import generate
from mace_tools.support.console import Console
from mace_tools.testing.needed import need_tools

OF_BAZEL = ("memory_strategies",)  # of a program that only Bazel builds


@pytest.mark.parametrize("name", generate.LISTS)
def test_a_list_is_up_to_date(name):
    if name in OF_BAZEL:
        need_tools("bazel")
    for path, text in generate.outputs(name, Console()):
        assert path.read_text() == text, (
            f"{path} is out of date: run `python -m mace_tools.generate` in tools/")


def test_every_module_is_in_the_list():
    modules = {path.stem for path in Path(generate.__file__).parent.glob("*.py")
               if not path.stem.startswith("__") and not path.stem.endswith("_test")}
    assert modules == {*generate.LISTS, generate.MEASURED}
