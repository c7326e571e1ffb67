"""The layers of tools/mace_tools hold, and the check notices each way of breaking them.

SPDX-License-Identifier: Apache-2.0
"""

import re

import pytest

from lint import python_layers
from lint.tree import ROOT

A = "tools/mace_tools"


def test_the_tree_keeps_its_layers():
    found = python_layers.violations(ROOT)
    assert not found, "\n".join(found)


def test_the_tree_has_no_cycle():
    found = python_layers.cycles(ROOT)
    assert not found, "\n".join(found)


def test_the_check_sees_the_tree():
    """A wrong root would find no violation either."""
    known = python_layers.modules(ROOT)
    assert len(known) > 500 and "mace._engine" in known and "rings.main" in known
    of_cli = {one.target for one in python_layers.imports(ROOT, known, "mace_tools.cli")}
    assert {"mace_tools.cli.parser", "mace_tools.commands",
            "mace_tools.commands.context"} <= of_cli  # the last one within a function


@pytest.mark.parametrize("table", [python_layers.LAYERS, *python_layers.SUBFOLDERS.values()])
def test_a_table_has_no_cycle(table):
    """Each folder can be removed once all that import it are gone."""
    left = {k: set(v) for k, v in table.items()}
    while left:
        free = [k for k in left if not any(k in uses for uses in left.values())]
        assert free, f"cycle among {sorted(left)}"
        for k in free:
            del left[k]


def test_every_folder_is_in_the_table():
    folders = {p.name for p in (ROOT / A).iterdir() if any(p.glob("*.py"))}
    assert folders - {python_layers.TESTING} == set(python_layers.LAYERS)
    for folder, table in python_layers.SUBFOLDERS.items():
        found = {p.parent.name for p in (ROOT / A / folder).glob("*/*.py")}
        assert found == set(table) - {"."}


def test_the_map_says_what_each_folder_may_import():
    text = (ROOT / "docs" / "architecture.md").read_text()
    table = text.partition("| folder of `tools/mace_tools` |")[2].partition("\n\n")[0]
    rows = table.splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert {folder.strip("`"): set(may.replace("-", "").split(", ")) - {""}
            for folder, _, may in cells} == {**python_layers.LAYERS, "testing": {"anything"}}
    for folder, what, _ in cells:
        below = {p.name for p in (ROOT / A / folder.strip("`")).iterdir() if any(p.glob("*.py"))}
        named = set(re.findall(r"`(\w+)/`", what))
        assert named <= below and (folder.strip("`") not in python_layers.SUBFOLDERS
                                   or below == named), folder


def write(root, texts):
    """Files of the tools by their paths without ending."""
    for name, text in texts.items():
        file = root / A / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


BROKEN = [
    ("graph/a", "convert/b", "from mace_tools.convert.b import x"),
    ("graph/a", "convert/b", "def f():\n    from mace_tools.convert import b"),
    ("graph/a", "convert/b", "if TYPE_CHECKING:\n    import mace_tools.convert.b"),
    ("support/a", "graph/b", "from mace_tools.graph.b import x"),
    ("convert/a", "config/b", "from mace_tools.config.b import x"),
    ("convert/a", "analyze/b", "from mace_tools.analyze.b import x"),
    ("package/a", "analyze/b", "from mace_tools.analyze.b import x"),
    ("analyze/a", "commands/b", "from mace_tools.commands.b import x"),
    ("commands/a", "cli/b", "from mace_tools.cli.b import x"),
    ("commands/options/a", "commands/b", "from mace_tools.commands.b import x"),
    ("convert/passes/a", "convert/importers/b", "from mace_tools.convert.importers import b"),
    ("convert/importers/onnx/a", "convert/onnx_export/b",
     "from mace_tools.convert.onnx_export import b"),
    ("convert/oddities/a", "convert/importers/b", "from mace_tools.convert.importers import b"),
    ("generate/a", "testing/b", "from mace_tools.testing.b import x"),
    ("graph/a", "graph/b_test", "from mace_tools.graph.b_test import x"),
    ("helpers/a", "graph/b", "from mace_tools.graph import b"),
]


@pytest.mark.parametrize(("importer", "imported", "text"), BROKEN)
def test_a_broken_layer_is_found(tmp_path, importer, imported, text):
    write(tmp_path, {importer: text + "\n", imported: "x = 1\n"})
    found = python_layers.violations(tmp_path)
    assert len(found) == 1
    line = text.count("\n") + 1
    assert found[0].startswith(f"{A}/{importer}.py:{line}: imports mace_tools.")


@pytest.mark.parametrize(("importer", "imported", "text"), [
    ("convert/a", "graph/b", "from mace_tools.graph.b import x"),
    ("graph/a", "support/b", "from mace_tools.support.b import x"),
    ("commands/a", "convert/b", "def f():\n    from mace_tools.convert import b"),
    ("convert/importers/onnx/a", "convert/passes/b",
     "from mace_tools.convert.passes import b"),
    ("graph/a_test", "testing/b", "from mace_tools.testing.b import x"),
    ("testing/a", "cli/b", "from mace_tools.cli.b import x"),
])
def test_what_the_table_allows_is_silent(tmp_path, importer, imported, text):
    write(tmp_path, {importer: text + "\n", imported: "x = 1\n"})
    assert python_layers.violations(tmp_path) == []
    assert python_layers.cycles(tmp_path) == []


def test_a_loose_file_is_found(tmp_path):
    write(tmp_path, {"a": "", "__init__": ""})
    assert python_layers.violations(tmp_path) == [f"{A}/a.py: stands in no folder"]


@pytest.mark.parametrize(("back", "circle"), [
    ("from mace_tools.graph import a", ["a", "b"]),
    ("from mace_tools.graph.a import x", ["a", "b"]),
    ("from .a import x", ["a", "b"]),
    ("from . import a", ["a", "b"]),
    ("def f():\n    from mace_tools.graph import c", ["a", "b", "c"]),
])
def test_a_cycle_is_found(tmp_path, back, circle):
    write(tmp_path, {"graph/a": "from mace_tools.graph import b\nx = 1\n",
                     "graph/b": back + "\n", "graph/c": "from mace_tools.graph.a import x\n",
                     "graph/d": "from . import c\n"})
    (found,) = python_layers.cycles(tmp_path)
    assert set(found.split(" -> ")) == {f"mace_tools.graph.{name}" for name in circle}


def test_a_package_and_its_module_can_be_a_cycle(tmp_path):
    write(tmp_path, {"graph/__init__": "from mace_tools.graph import a\nx = 1\n",
                     "graph/a": "from mace_tools.graph import x\n"})
    assert python_layers.cycles(tmp_path) == [
        "mace_tools.graph -> mace_tools.graph.a -> mace_tools.graph"]
    # What only the build makes is not the package.
    write(tmp_path, {"graph/a": "from mace_tools.graph import made_by_the_build\n"})
    assert python_layers.cycles(tmp_path) == []
