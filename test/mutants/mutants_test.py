"""A small file with known mutants: exactly those survive that its test must miss.

SPDX-License-Identifier: Apache-2.0
"""

import io
import math
import subprocess
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from mutant_list import CONSTANT, mutants_of
from mutant_report import CAUGHT, SURVIVED, UNREACHED, print_report, read_equivalent
from mutant_runs import BrokenTest, Program, caught_by, find_reach
from mutant_schemata import NO_COMPILE, leave_out_what_fails, mutated_file
from mutate import sample_of
from python_runs import failing_case, find_all
from rich.console import Console

HERE = Path(__file__).parent
CODE = """// A clamp, its count and what no test calls.
// SPDX-License-Identifier: Apache-2.0
#include <string>
constexpr int kMost = 10;
constexpr int kSlots = 4;
int slots[kSlots];
int calls = 0;
int Clamp(int x) {
  ++calls;
  if (x > kMost && calls > 0) return kMost;
  return x;
}
int Sum(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}
bool Uncalled(int x) { return x < 3; }
std::string Text(const std::string& s) { return s + s; }
"""
TEST = """#include <string>
#include "gtest/gtest.h"
int Clamp(int x);
int Sum(int n);
std::string Text(const std::string& s);
TEST(Clamp, Limits) {
  EXPECT_EQ(Clamp(9), 9);
  EXPECT_EQ(Clamp(12), 10);
}
TEST(Sum, OfSome) { EXPECT_EQ(Sum(4), 6); }
TEST(Text, Twice) { EXPECT_EQ(Text("a"), "aa"); }
TEST(Broken, OnWish) { EXPECT_EQ(getenv("BREAK"), nullptr); }
"""
@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The mutated file, and the test program that was built with it."""
    tree = tmp_path_factory.mktemp("tree")
    file = mutated_file("clamp.cc", CODE.encode(), 100)
    (tree / "clamp.cc").write_text(CODE)
    leave_out_what_fails(tree, file)
    (tree / "clamp.cc").write_bytes(file.text())
    (tree / "clamp_test.cc").write_text(TEST)
    subprocess.run(["g++", "-std=c++17", "-w", "-I.", "clamp.cc", "clamp_test.cc",
                    HERE / "mutant_switch.cc", "-o", "clamp_test", "-lgtest", "-lgtest_main",
                    "-lpthread"], cwd=tree, check=True)
    return file, Program(tree / "clamp_test", ".", tree)


@pytest.mark.full
def test_exactly_the_blind_spots_survive(run):
    file, program = run
    find_reach(program)
    verdicts = {}
    for i in file.ids():
        caught = caught_by([program], i, ".")
        mutant = file.mutants[i - 100]
        verdicts[mutant.line, mutant.change] = (
            UNREACHED if caught is None else CAUGHT if caught else SURVIVED)
    missed = {(line, change, verdict) for (line, change), verdict in verdicts.items()
              if verdict != CAUGHT}
    assert missed == {
        (7, "0 -> 0 + 1", SURVIVED),  # no test looks at the count
        (10, "x > kMost -> x >= kMost", SURVIVED),  # 10 either way
        (10, "calls > 0 -> calls >= 0", SURVIVED),
        (10, "0 -> 0 + 1", SURVIVED),
        (15, "0 -> 0 + 1", SURVIVED),  # the first of the sum adds 0
        (18, "x < 3 -> x <= 3", UNREACHED),
        (18, "x < 3 -> !(x < 3)", UNREACHED),
        (18, "3 -> 3 + 1", UNREACHED)}
    assert verdicts[15, "++i -> --i"] == CAUGHT  # it never ends
    assert verdicts[4, "10 -> 10 + 1"] == CAUGHT  # a constant


@pytest.mark.full
def test_a_result_names_the_program_and_its_case(run):
    file, program = run
    find_reach(program)
    for change, case in (("i < n -> i <= n", "Sum.OfSome"), ("++i -> --i", "Sum.OfSome")):
        (i,) = [i for i in file.ids() if file.mutants[i - 100].change == change]
        assert caught_by([program], i, ".") == f"//.:clamp_test {case}"


@pytest.mark.full
def test_cases_in_python_reach_the_mutants_of_programs(run, tmp_path):
    file, program = run
    (tmp_path / "sum_test.py").write_text(
        "import subprocess\n"
        "def test_sum():\n"
        f"    subprocess.run([{str(program.path)!r}, '--gtest_filter=Sum.*'], check=True)\n")
    code = SimpleNamespace(hash="", overlay=tmp_path / "no_modules")
    files = find_all(tmp_path, ["sum_test.py"], "deep", code, tmp_path / "kept", math.inf, 1)

    def verdict(line, change):
        (i,) = [i for i in file.ids() if file.mutants[i - 100].line == line
                and file.mutants[i - 100].change == change]
        return failing_case(tmp_path, files, i, "deep", code.overlay, MACE_MUTANT=str(i))

    assert verdict(15, "i < n -> i <= n") == "sum_test.py::test_sum"
    assert verdict(15, "0 -> 0 + 1") == ""
    assert verdict(10, "x > kMost -> x >= kMost") is None


@pytest.mark.full
def test_what_cannot_be_tried_is_counted(run):
    left_out = {(m.line, m.change): m.left_out for m in run[0].mutants if m.left_out}
    assert left_out == {(5, "4 -> 4 + 1"): CONSTANT, (19, "s + s -> s - s"): NO_COMPILE}


@pytest.mark.full
def test_lines_stay_where_they_are(run):
    text = run[0].text().decode().split("\n")
    assert len(text) == len(CODE.split("\n"))
    assert "Uncalled" in text[17]


@pytest.mark.full
def test_a_test_that_fails_anyway_is_no_judge(run, monkeypatch):
    monkeypatch.setenv("BREAK", "1")
    with pytest.raises(BrokenTest, match="Broken.OnWish fails without a mutant"):
        find_reach(Program(run[1].path, ".", run[1].directory))


def test_each_run_has_an_empty_folder(tmp_path):
    program = tmp_path / "leaves_files"
    program.write_text("#!/bin/sh\n"
                       "case $1 in --gtest_list_tests) printf 'A.\\n  First\\n  Second\\n';;\n"
                       '*) [ -z "$(ls "$TEST_TMPDIR")" ] && touch "$TEST_TMPDIR/left";; esac\n')
    program.chmod(0o755)
    find_reach(Program(program, ".", tmp_path))


@pytest.mark.parametrize(("code", "changes"), [
    ("bool f() { return g(); }", ["g() -> !(g())"]),
    ("bool f() { return a == b; }", ["a == b -> a != b"]),
    ("int f() { return g(); }", []),
    ("void f() { if (!a) return; }", ["!a -> !(!a)", "removed: return;"]),
    ("void f() { LOG(INFO) << 1 + 2; }", []),
    ("auto x = \"a\" + y;", []),
    ("struct A { virtual int f() = 0; };", []),
    ("void f() { for (;;) { break; } }", ["removed: break;"]),
    ("Status f() { MACE_ASSIGN_OR_RETURN(std::vector<int> a, b); }", []),
    ("Status f() { MACE_ASSIGN_OR_RETURN(a, b); }", ["removed: MACE_ASSIGN_OR_RETURN(a, b);"]),
])
def test_list(code, changes):
    assert [m.change for m in mutants_of("a.cc", code.encode()) if not m.left_out] == changes


@pytest.mark.parametrize("code", [
    "std::array<int, 3> a;", "enum { kA = 3 };", "static_assert(a < b);", "int a[3];",
    "void f() { switch (a) { case 3:; } }", "constexpr int f() { return 3; }",
    "void f() { if constexpr (a < b) {} }",
])
def test_constant_expressions_are_left_out(code):
    found = mutants_of("a.cc", code.encode())
    assert found
    assert {m.left_out for m in found} == {CONSTANT}


def test_report():
    first, second = mutants_of("mace/plan/a.cc", b"int x = 1;\nint y = 2;\n")
    (third,) = mutants_of("mace/memory/objects/b.cc", b"\n" * 99 + b"int x = 1;\n")
    out = io.StringIO()
    console = Console(file=out, width=120)
    least = print_report([(first, CAUGHT), (second, SURVIVED)], Counter(), console)
    assert least == 50
    assert "survived: mace/plan/a.cc:2: 2 -> 2 + 1" in out.getvalue()
    # The lesser of both folders; and no picture of what stands between colons.
    least = print_report([(first, CAUGHT), (third, SURVIVED)], Counter(), console)
    assert least == 0
    assert "survived: mace/memory/objects/b.cc:100: 1 -> 1 + 1" in out.getvalue()
    assert "mace/memory/objects/* " in out.getvalue()


def test_each_folder_has_its_own_sample():
    plan = mutants_of("mace/plan/a.cc", b"int x = 1;\n" * 40)
    memory = mutants_of("mace/memory/offsets/b.cc", b"int x = 1;\n" * 9)
    mutants = list(enumerate([*memory, *plan]))
    sample = sample_of(mutants, 20)
    assert [m for _, m in sample if m in memory] == memory
    assert len(sample) == 9 + 20
    assert sample == sorted(sample)
    assert sample == sample_of(mutants[::-1], 20)
    assert set(sample_of(mutants, 5)) <= set(sample)
    assert sample_of(mutants, None) == mutants


def test_each_equivalent_mutant_has_its_reason(tmp_path):
    path = tmp_path / "equivalent.txt"
    path.write_text("# title\na.cc | x = 1; | 1 -> 1 + 1 | because only its sign is read\n")
    assert read_equivalent(path) == {"a.cc | x = 1; | 1 -> 1 + 1": "only its sign is read"}
    path.write_text("a.cc | x = 1; | 1 -> 1 + 1\n")
    with pytest.raises(ValueError, match="equivalent.txt:1: write FILE"):
        read_equivalent(path)
