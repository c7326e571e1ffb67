"""The project keeps its budgets of lines, and each check can fail.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess

import pytest

from lint import budgets
from lint.tree import ROOT


def test_the_project_keeps_its_budgets():
    found = budgets.problems(budgets.parsed((ROOT / budgets.BUDGETS).read_text()),
                             budgets.counted(ROOT))
    assert not found, "\n".join(found)


def test_raised_budgets_have_a_reason():
    found = budgets.raised_without_reason(ROOT)
    if found is None:
        pytest.skip("this build: no git history back to the commit that the lint names")
    assert not found, "\n".join(found)


def test_only_production_lines_count(tmp_path):
    for name, text in {"mace/cpu/a.cc": "// c\n\nint a;\n  // d\nint b;  // e\n",
                       "mace/base/b.h": "int c;\n", "mace/cpu/a_test.cc": "int t;\n",
                       "mace/cpu/testing/x.h": "int t;\n", "test/x.py": "t = 1\n",
                       "tools/y.py": "# c\n\nx = 1\n", "tools/conftest.py": "x = 1\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert budgets.counted(tmp_path) == {"C++": 3, "Python": 1, "mace/cpu": 2}


def test_a_budget_holds_and_falls():
    given = budgets.parsed("# Python 1\nC++ 300\nPython 200\n")
    assert given == {"C++": 300, "Python": 200}
    assert budgets.problems(given, {"C++": 300, "Python": 101}) == []
    (over,) = budgets.problems(given, {"C++": 301, "Python": 200})
    assert "C++ has 301 lines, 300 are its budget" in over and "to 400" in over
    (slack,) = budgets.problems(given, {"C++": 100, "Python": 200})
    assert "write 100 in" in slack
    (missing,) = budgets.problems(given, {"C++": 300})
    assert "Python is in only one of" in missing


def test_a_raise_needs_a_reason(tmp_path, monkeypatch):
    def git(*words):
        return subprocess.run(["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@b",
                               *words], check=True, capture_output=True, text=True).stdout.strip()

    def commit(number, message):
        (tmp_path / budgets.BUDGETS).write_text(f"C++ {number}\n")
        git("add", "-A")
        git("commit", "-q", "-m", message)
        return git("rev-parse", "--short", "HEAD")

    assert budgets.raised_without_reason(tmp_path) is None
    git("init", "-q")
    (tmp_path / budgets.BUDGETS).parent.mkdir(parents=True)
    monkeypatch.setattr(budgets, "SINCE", commit(100, "Begin"))
    commit(200, "Add a kernel\n\nBudget: it replaces a library")
    commit(100, "Remove it")
    assert budgets.raised_without_reason(tmp_path) == []
    wrong = commit(200, "Add it again\n\nIt is needed.")
    assert budgets.raised_without_reason(tmp_path) == [
        f"{wrong} raises C++ without a line 'Budget: why'"]
