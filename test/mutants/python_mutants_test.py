"""A small module with known mutants: exactly those survive that its tests must miss.

SPDX-License-Identifier: Apache-2.0
"""

import math
import subprocess

import pytest
from mutant_report import CAUGHT, SURVIVED, UNREACHED
from mutant_runs import BrokenTest
from python_list import mutants_of, mutated
from python_sample import PythonSample
from sample_report import Stopped

CODE = '''"""A clamp, what a module of its own is for, and what no test calls."""
from __future__ import annotations
MAX = 10
calls = []
def clamp(x: int) -> int:
    """At most 10."""
    calls.append(x)
    if x > MAX:
        return MAX
    return x
def last_bit(x: int) -> int:
    return x % 2
def count_down(n: int) -> int:
    while n > 0:
        n -= 1
    return n
def uncalled(x: int) -> int:
    return x + 1
'''
TEST = '''import subprocess
import sys
import pytest
from mace_tools.convert.importers import clamp
def test_clamp():
    assert clamp.clamp(9) == 9
    assert clamp.clamp(12) == 10
def test_count_down():
    assert clamp.count_down(1) == 0
@pytest.mark.full
def test_a_process():
    code = "from mace_tools.convert.importers import clamp; assert clamp.last_bit(4) == 0"
    subprocess.run([sys.executable, "-c", code], cwd="tools", check=True)
def test_that_fails():
    assert clamp.clamp(2) == 3
'''
MODULE = "tools/mace_tools/convert/importers/clamp.py"
TESTS = "tools/mace_tools/convert/importers/clamp_test.py"
CONFIG = ('[tool.pytest.ini_options]\npythonpath = ["tools"]\naddopts = "--no-such-option"\n'
          'python_files = ["*_test.py"]\nmarkers = ["full", "deep"]\n')


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = tmp_path_factory.mktemp("tree")
    (root / TESTS).parent.mkdir(parents=True)
    (root / "pyproject.toml").write_text(CONFIG)
    (root / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--ring')\n")
    (root / MODULE).write_text(CODE)
    (root / TESTS).write_text(TEST)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


@pytest.fixture(scope="module")
def results(tree):
    sample = PythonSample(tree, tree / "build", "deep", ["tools"])
    sample.prepare(math.inf, 1)
    return {(m.line, m.change): sample.judge(m) for m in sample.mutants()}


@pytest.mark.full  # runs whole test programs for each mutant
def test_exactly_the_blind_spots_survive(results):
    missed = {key: result.verdict for key, result in results.items() if result.verdict != CAUGHT}
    assert missed == {
        (7, "removed: calls.append(x)"): SURVIVED,
        (8, "x > MAX -> x >= MAX"): SURVIVED,  # 10 either way
        (18, "x + 1 -> None"): UNREACHED,
        (18, "x + 1 -> x - 1"): UNREACHED,
        (18, "1 -> 1 + 1"): UNREACHED}


@pytest.mark.full
def test_a_result_names_the_case(results):
    assert results[3, "10 -> 10 + 1"].by == f"{TESTS}::test_clamp"
    assert results[14, "n > 0 -> n >= 0"].by == f"{TESTS}::test_count_down"
    # It runs until its processor time is spent.
    assert results[15, "n -= 1 -> n += 1"].by == f"{TESTS} (exit code -9)"
    # Only a process that the case starts executes these lines.
    assert results[12, "x % 2 -> x // 2"].by == f"{TESTS}::test_a_process"


def test_a_ring_leaves_out_the_outer_ones(tree):
    sample = PythonSample(tree, tree / "build", "quick", ["tools"])
    sample.prepare(math.inf, 1)
    (odd,) = [m for m in sample.mutants() if m.change == "x % 2 -> x // 2"]
    assert sample.judge(odd).verdict == UNREACHED


@pytest.mark.full
def test_an_unchanged_file_is_not_run_again(tree, results, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    PythonSample(tree, tree / "build", "deep", ["tools"]).prepare(math.inf, 1)
    with pytest.raises(BrokenTest, match=f"{TESTS} fails without a mutant"):
        PythonSample(tree, tree / "other", "deep", ["tools"]).prepare(math.inf, 1)


def test_the_time_ends_while_files_tell_what_they_reach(tree):
    with pytest.raises(Stopped, match="of 1 test files, 0 told what they reach"):
        PythonSample(tree, tree / "build", "deep", ["tools"]).prepare(-math.inf, 1)


@pytest.mark.parametrize(("code", "changed"), [
    ("f(a < b)", ["pass", "f((a <= b))"]),
    ("x = a is None", ["x = (a is not None)"]),
    ("x = a and not b", ["x = (a or not b)", "x = a and (b)"]),
    ("x = -1.5", ["x = (1.5)", "x = -(1.5 + 1)"]),
    ("x[i] = True", ["pass", "x[i] = (False)"]),
    ("x = [a for a in b if c]", ["x = [a for a in b if (not (c))]"]),
    ("x = a if b == c else d", ["x = a if (b != c) else d"]),
    ("x = a if not b else c", ["x = a if (b) else c"]),
    ("x += 'a' + b", ["pass"]),
    ("raise E(1 + 2)", ["pass"]),
    ("def f(x: T[1]) -> U[2]: return", ["def f(x: T[1]) -> U[2]: pass"]),
    ("def f() -> bool: return a == b", ["def f() -> bool: return (a != b)"]),
    ("def f(): return None", []),
    ("x: int = f'{1 + 2}'", []),
    ("assert a, 1", []),
    ("'text'", []),
])
def test_list(code, changed):
    content = f"é = 'é'; {code}".encode() if not code.startswith("def") else code.encode()
    found = [mutated(content, m).decode() for m in mutants_of("a.py", content)]
    assert [text.removeprefix("é = 'é'; ") for text in found] == changed
    for text in found:
        compile(text, "a.py", "exec")
