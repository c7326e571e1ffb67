"""The map of imports: every way in which one Python file depends on another.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import pytest

from rings.imports import Graph, parse

CHANGED = "tools/pack/part/leaf.py"


def dependents(files: dict[str, str], changed: str = CHANGED) -> set[str]:
    texts = {"tools/pack/__init__.py": "", "tools/pack/part/__init__.py": "", CHANGED: "",
             "tools/pack/other.py": "import json\n", **files}
    graph = Graph(parse(path, text) for path, text in texts.items())
    return graph.dependents([changed]) - {changed}


@pytest.mark.parametrize("text", [
    "import pack.part.leaf", "import pack.part.leaf as x", "from pack.part import leaf",
    "from pack.part.leaf import X", "def late():\n    from pack.part import leaf\n",
    "m = importlib.import_module('pack.part.leaf')", "LAZY = {'run': 'pack.part.leaf'}",
    "run([sys.executable, '-m', 'pack.part.leaf'])", "run(['tools/pack/part/leaf.py'])",
    "REPO / 'part' / 'leaf.py'", "if TYPE_CHECKING:\n    from pack.part.leaf import X\n",
])
def test_a_file_elsewhere_depends(text):
    assert dependents({"test/x/a_test.py": text}) == {"test/x/a_test.py"}


@pytest.mark.parametrize(("path", "text"), [
    ("tools/pack/part/near.py", "from . import leaf"),
    ("tools/pack/part/near.py", "from .leaf import X"),
    ("tools/pack/near.py", "from .part import leaf"),
    ("tools/pack/part/deep/near.py", "from ..leaf import X"),
    ("tools/pack/near.py", "import_module(f'pack.part.{name}')"),
    ("tools/run.sh", "exec python3 tools/pack/part/leaf.py \"$@\"\n"),
])
def test_a_file_near_by_depends(path, text):
    assert dependents({path: text}) == {path}


@pytest.mark.parametrize("text", [
    "import leaf", "from pack import other", "import json.leaf", "x = 'pack.part'",
    "x = 'leaf.py.txt'", "# import pack.part.leaf", "def broken(:",
])
def test_a_file_that_says_something_else_does_not(text):
    assert dependents({"test/x/a_test.py": text}) == set()


def test_packages_run_when_a_module_of_theirs_is_imported():
    assert dependents({"test/x/a_test.py": "import pack.other"}, "tools/pack/__init__.py") == {
        "test/x/a_test.py"}


def test_it_goes_on_through_other_files():
    assert dependents({"tools/pack/b.py": "from pack.part import leaf",
                       "tools/pack/c.py": "import pack.b", "tools/c.sh": "python3 pack/c.py",
                       "test/c_test.py": "run(['tools/c.sh'])"}) == {
        "tools/pack/b.py", "tools/pack/c.py", "tools/c.sh", "test/c_test.py"}


def test_neighbours_and_conftest_belong_to_a_test():
    files = {"test/x/a_test.py": "import helper", "test/x/helper.py": "", "test/x/conftest.py": "",
             "conftest.py": "", "test/y/b_test.py": "import helper"}
    assert dependents(files, "test/x/helper.py") == {"test/x/a_test.py"}
    assert dependents(files, "test/x/conftest.py") == {"test/x/a_test.py"}
    assert dependents(files, "conftest.py") == {"test/x/a_test.py", "test/y/b_test.py"}
