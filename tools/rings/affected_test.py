"""What a change affects, in a small clone and with a fake of Bazel's graph; and in this one.

SPDX-License-Identifier: Apache-2.0
"""

import re

import pytest

from rings import affected as module
from rings.affected import affected, changed_files
from rings.errors import Exit, RingsError
from rings.inputs import working_tree
from rings.main import main
from rings.runner import ROOT, Runner
from rings.steps import Bazel, Pytest
from rings.testing.clone import make_clone

FILES = {
    "mace/BUILD.bazel": "", "mace/ops/BUILD.bazel": "", "mace/ops/add.cc": "", "mace/ops/a.bzl": "",
    "mace/ops/add_test.cc": "", "mace/ops/ops.cl": "", "mace/hexagon/BUILD.bazel": "",
    "mace/hexagon/dsp.cc": "", "tools/BUILD.bazel": "", "tools/ops.json": "{}",
    "tools/mace_tools/run/runner.py": "", "tools/mace_tools/data.py": "FILE = 'ops.json'\n",
    "tools/mace_tools/data_test.py": "import mace_tools.data\n",
    "tools/mace_tools/run_test.py": "from mace_tools.run import runner\n",
    "test/build_test.py": "run(['bazel', 'build', '//tools:mace_run'])\n",
    "test/golden/net_test.py": "", "test/golden/net.txt": "", "docs/page.md": "",
    "tools/mace_tools/site/docs_test.py": "DOCS = ROOT / 'docs'\n",
    "tools/lint/lint_test.py": "", "WORKSPACE": "", "pyproject.toml": "", "CHANGELOG.md": "",
    "mystery.dat": "",
}
ENGINE_TESTS = ["test/build_test.py", "tools/mace_tools/run_test.py"]
# Source -> the tests behind it; those of the engine's programs besides.
BEHIND = {"//mace/ops:add.cc": ["//mace/ops:add_test", "//mace/ops:add_test_gpu"],
          "//mace/ops:add_test.cc": ["//mace/ops:add_test"],
          "//mace/ops:all": ["//mace/ops:add_test"],
          "//mace/hexagon:dsp.cc": ["//mace/hexagon:dsp_test"]}
ENGINE_SOURCES = {"//mace/ops:add.cc", "//mace/ops:all", "//mace/hexagon:dsp.cc"}


def query(expression: str) -> list[str]:
    """What Bazel would say."""
    if expression.endswith(":*"):
        return [label for label in BEHIND if not label.endswith(":all")]
    chosen = re.search(r"set\((.*?)\)", expression)
    labels = chosen[1].split() if chosen else list(BEHIND)
    if expression.startswith("rdeps(//tools:mace_run + //tools:mace_plan, "):
        return [label for label in labels if label in ENGINE_SOURCES]
    tests = {test for label in labels for test in BEHIND[label]}
    if "bgpu" in expression:
        return [test for test in tests if test.endswith("_gpu")]
    if "bdsp" in expression:
        return [test for test in tests if "hexagon" in test]
    return sorted(tests)


@pytest.fixture
def clone(tmp_path, monkeypatch):
    made = make_clone(tmp_path, monkeypatch)
    for path, text in FILES.items():
        made.write(path, text)
    made.commit()
    return made


@pytest.mark.parametrize(("path", "host", "gpu", "dsp", "python"), [
    ("mace/ops/add.cc", ["//mace/ops:add_test"], ["//mace/ops:add_test_gpu"], [], ENGINE_TESTS),
    ("mace/ops/add_test.cc", ["//mace/ops:add_test"], [], [], []),
    ("mace/ops/gone.cc", ["//mace/ops:add_test"], [], [], ENGINE_TESTS),
    ("mace/ops/BUILD.bazel", ["//mace/ops:add_test"], [], [], ENGINE_TESTS),
    ("mace/hexagon/dsp.cc", [], [], ["//mace/hexagon:dsp_test"], ENGINE_TESTS),
    ("mace/ops/a.bzl", ["//mace/ops:add_test"], ["//mace/ops:add_test_gpu"],
     ["//mace/hexagon:dsp_test"], ENGINE_TESTS),
    ("WORKSPACE", ["//mace/ops:add_test"], ["//mace/ops:add_test_gpu"],
     ["//mace/hexagon:dsp_test"], ENGINE_TESTS),
    ("tools/mace_tools/run/runner.py", [], [], [], ["tools/mace_tools/run_test.py"]),
    ("tools/ops.json", [], [], [], ["tools/mace_tools/data_test.py"]),
    ("test/golden/net.txt", [], [], [], ["test/golden/net_test.py"]),
    ("docs/page.md", [], [], [], ["tools/mace_tools/site/docs_test.py"]),
    ("CHANGELOG.md", [], [], [], []),
])
def test_a_file_affects(clone, path, host, gpu, dsp, python):
    found = affected(clone.root, [path], query)
    assert (found.host, found.gpu, found.dsp) == (host, gpu, dsp)
    if path.endswith((".bzl", "WORKSPACE")):
        assert found.notes[0] == f"all C++ tests, as {path} changed"
    assert found.python == python


@pytest.mark.parametrize("path", ["pyproject.toml", "mystery.dat", "tools/setup.sh"])
def test_what_all_python_tests_may_read_affects_them_all(clone, path):
    found = affected(clone.root, [path], query)
    assert found.python == sorted(p for p in FILES if p.endswith("_test.py"))
    assert any(note.startswith("all Python tests, as") and path in note for note in found.notes)


def test_a_python_file_that_is_gone_affects_what_imported_it(clone):
    (clone.root / "tools/mace_tools/data.py").unlink()
    assert affected(clone.root, ["tools/mace_tools/data.py"], query).python == [
        "tools/mace_tools/data_test.py"]


def test_changed_files_are_those_of_the_branch_and_of_the_tree(clone):
    clone.git("checkout", "-q", "-b", "side")
    clone.write("mace/ops/add.cc", "int committed;\n")
    clone.commit()
    clone.write("tools/ops.json", "[]")
    clone.write("mace/ops/new.cc", "")
    (clone.root / "CHANGELOG.md").unlink()
    clone.git("checkout", "-q", "main", "--", ".gitignore")
    everything = ["CHANGELOG.md", "mace/ops/add.cc", "mace/ops/new.cc", "tools/ops.json"]
    assert changed_files(clone.root, None) == everything
    assert changed_files(clone.root, "main") == everything
    assert changed_files(clone.root, "HEAD") == [p for p in everything if "add" not in p]
    with pytest.raises(RingsError, match="'mian' is no commit") as refused:
        changed_files(clone.root, "mian")
    assert refused.value.code == Exit.USAGE


def test_without_a_main_branch_the_tree_counts(clone):
    clone.git("branch", "-m", "main", "trunk")
    clone.write("tools/ops.json", "[]")
    assert changed_files(clone.root, None) == ["tools/ops.json"]


@pytest.fixture
def ran(clone, monkeypatch):
    """The steps that tools/test.sh runs."""
    steps = []
    run = Runner.run

    def remember(runner, name, given, may_be_empty):
        steps.append((name, given))
        return run(runner, "x", (), may_be_empty)

    monkeypatch.setattr(Runner, "run", remember)
    monkeypatch.setattr("rings.main.bazel_query", lambda _: query)
    return steps


def test_it_runs_lint_and_what_is_affected(clone, ran, capsys):
    clone.write("mace/ops/add.cc", "int changed;\n")
    clone.write("tools/lint/lint_test.py", "x = 1\n")
    clone.test_sh("affected", "--ring=full")
    assert [name for name, _ in ran] == ["lint", "host", "gpu", "python"]
    steps = {name: step for name, (step,) in ran}
    assert isinstance(steps["host"], Bazel) and isinstance(steps["python"], Pytest)
    assert steps["host"].targets == ("//mace/ops:add_test",)
    assert steps["gpu"].targets == ("//mace/ops:add_test_gpu",)
    assert steps["python"].arguments == tuple(ENGINE_TESTS)  # lint runs as a whole
    assert steps["python"].ring == "full"
    assert ("2 changed files affect 1 C++ tests, 1 of the GPU, 0 of the DSP, and 3 files of Python"
            in capsys.readouterr().err)


def test_a_list_runs_nothing(clone, ran, capsys):
    clone.write("mace/ops/add.cc", "int changed;\n")
    assert clone.test_sh("affected", "--list") == Exit.PASSED
    assert capsys.readouterr().out.split() == [
        "//mace/ops:add_test", "//mace/ops:add_test_gpu", *ENGINE_TESTS]
    assert ran == []


@pytest.mark.parametrize("words", [["affected", "a", "b"], ["host", "--list"]])
def test_words_that_do_not_fit_are_refused(words):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == Exit.USAGE


def test_the_names_that_the_map_knows_are_there():
    tree = working_tree(ROOT)
    assert module.ENGINE in tree
    for name in (*module.ALL_CPP, *module.ALL_PYTHON, *module.INERT):
        assert any(path.startswith(name) for path in tree), name
