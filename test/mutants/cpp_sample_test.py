"""Which files a sample of C++ mutants is drawn from, and that all of it compiles.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess

import pytest
from cpp_sample import CppSample

CODE = """// Twice a text, and a comparison.
// SPDX-License-Identifier: Apache-2.0
#include <string>
std::string Twice(const std::string& s) { return s + s; }
int IsLess(int x) { return x < 3; }
"""
MUTATED = ["mace/cpu/conv/a.cc", "mace/plan/a.cc", "mace/plan/passes/a.cc"]
OTHERS = ["mace/base/a.cc", "mace/cpu/tuning/a.cc", "mace/cpu/ukernels/add/a.cc", "mace/plan/a.h",
          "mace/plan/a_test.cc", "mace/plan/testing/a.cc"]


@pytest.fixture
def sample(tmp_path, monkeypatch):
    monkeypatch.setenv("MACE_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "tree"
    for name in (*MUTATED, *OTHERS):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(CODE)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return CppSample(root, root / "build", "deep", [])


def test_headers_tests_and_micro_kernels_have_no_mutants(sample):
    assert sorted({m.path for m in sample.mutants()}) == MUTATED


def test_what_does_not_compile_is_replaced(sample):
    plan = [m for m in sample.mutants() if m.path == "mace/plan/a.cc"]
    assert [m.change for m in plan] == ["s + s -> s - s", "x < 3 -> x <= 3", "3 -> 3 + 1"]
    assert [m.change for m in sample.draw({"mace/plan": plan}, 2)] == [
        "x < 3 -> x <= 3", "3 -> 3 + 1"]
