"""Samples are the same in each run, their reports go on where they were, and compare by mutants.

SPDX-License-Identifier: Apache-2.0
"""

import pytest
from mutant_list import mutants_of
from mutant_report import CAUGHT, SURVIVED, UNREACHED
from sample import main, ranked, run
from sample_report import BadReport, Report, Result, Stopped, compare, summary

SETTINGS, RUN = "cpp sample=8 seed=1", "ring=deep tests=test tree=1"


class Numbers:
    """Code with as many mutants as constants; those of an odd line are caught."""

    folders = ("mace/plan", "mace/memory")

    def __init__(self, lines: int, first: str = "") -> None:
        self.judged = 0
        self._code = (first + "".join(f"int x{i} = {i};\n" for i in range(lines))).encode()

    def mutants(self):
        return [m for f in self.folders for m in mutants_of(f"{f}/a.cc", self._code)]

    def draw(self, ranked, count):
        return [m for mutants in ranked.values() for m in mutants[:count]]

    def prepare(self, deadline, jobs):
        pass

    def judge(self, mutant):
        self.judged += 1
        return Result.of("//mace:a_test" if int(mutant.text.split()[0]) % 2 else "", 0.25)


def _report(path, results=()):
    report = Report.resume(path, SETTINGS, RUN)
    for key, result in results:
        report.add(key, result)
    return report


def test_the_order_depends_on_the_seed_and_not_on_line_numbers():
    def order(sample, seed):
        return [list(keys) for keys in ranked(sample.mutants(), sample.folders, seed).values()]

    assert order(Numbers(40), 1) == order(Numbers(40, "\n\n"), 1)
    assert order(Numbers(40), 1) != order(Numbers(40), 2)
    assert [len(keys) for keys in order(Numbers(40), 1)] == [40, 40]


def test_a_stopped_run_goes_on(tmp_path):
    first = Numbers(40)
    with pytest.raises(Stopped, match="0 of 8 mutants were run"):
        run(first, 8, 1, _report(tmp_path / "a"), -1, 1)
    run(first, 8, 1, _report(tmp_path / "a"), 1, 1)
    whole = Report.read(tmp_path / "a")
    assert (first.judged, len(whole.results)) == (8, 8)
    lines = (tmp_path / "a").read_text().splitlines(keepends=True)
    (tmp_path / "b").write_text("".join(lines[:5]))
    second = Numbers(40)
    run(second, 8, 1, _report(tmp_path / "b"), 1, 1)
    assert second.judged == 5
    assert Report.read(tmp_path / "b").results == whole.results


def test_a_report_of_another_run_is_not_continued(tmp_path):
    _report(tmp_path / "a")
    with pytest.raises(BadReport, match="a: is of another run .*: name another file"):
        Report.resume(tmp_path / "a", SETTINGS, "ring=quick tests=test tree=1")


def test_what_an_inner_ring_catches_is_not_run_again(tmp_path):
    inner = Report.resume(tmp_path / "inner", SETTINGS, "ring=quick tests=test tree=1")
    run(Numbers(40), 8, 1, inner, 1, 1)
    caught = inner.caught(set(inner.results))
    outer, sample = _report(tmp_path / "outer"), Numbers(40)
    outer.take_caught(inner)
    run(sample, 8, 1, outer, 1, 1)
    assert 0 < len(caught) < 8
    assert sample.judged == 8 - len(caught)
    assert outer.results == inner.results
    other = Report.resume(tmp_path / "b", SETTINGS, "ring=quick tests=test tree=2")
    with pytest.raises(BadReport, match="b: is of another sample or tree .*: leave out --inner"):
        outer.take_caught(other)


@pytest.mark.parametrize(("text", "message"), [
    ("", "is no report"),
    (f"# {SETTINGS}\n# {RUN}\ncaught\t1.5\n", ":3: is no result: remove the line"),
    (f"# {SETTINGS}\n# {RUN}\nlost\t1.5\tkey\t\n", ":3: is no result: remove the line"),
])
def test_a_damaged_report_has_its_place(tmp_path, text, message):
    (tmp_path / "a").write_text(text)
    with pytest.raises(BadReport, match=message):
        Report.read(tmp_path / "a")


def test_summary_counts_by_folder(tmp_path):
    report = _report(tmp_path / "a", [
        ("mace/plan/a.cc | x | y | 1", Result(CAUGHT, "t", 2)),
        ("mace/plan/b.cc | x | y | 1", Result(SURVIVED, "", 1)),
        ("tools/mace_tools/convert/passes/a.py | x | y | 1", Result(UNREACHED, "", 0))])
    assert summary(report).splitlines() == [
        "mace/plan: 1 caught, 1 survived, 0 unreached",
        "tools/mace_tools/convert/passes: 0 caught, 0 survived, 1 unreached",
        "1 of 3 caught in 3 s"]


def test_fewer_caught_of_the_same_mutants_fail(tmp_path, capsys):
    caught, missed = Result(CAUGHT, "a_test", 1), Result(SURVIVED, "", 1)
    before = _report(tmp_path / "before", [("a", caught), ("b", missed), ("gone", caught)])
    same = _report(tmp_path / "same", [("a", missed), ("b", caught)])
    fewer = _report(tmp_path / "fewer", [("a", missed), ("b", missed), ("new", caught)])
    text, enough = compare(before, same)
    assert enough
    assert text.splitlines() == [
        f"only {before.path} catches: a (a_test)", f"only {same.path} catches: b (a_test)",
        f"only in {before.path}: gone",
        "of 2 mutants, 1 were caught before, 1 after"]
    assert main(["compare", str(before.path), str(same.path)]) == 0
    assert main(["compare", str(before.path), str(fewer.path)]) == 1
    assert f"only in {fewer.path}: new" in capsys.readouterr().out
    assert main(["compare", str(before.path), str(tmp_path / "none")]) == 1
    assert "none: No such file" in capsys.readouterr().err


def test_reports_of_other_samples_do_not_compare(tmp_path):
    other = Report.resume(tmp_path / "b", "cpp sample=8 seed=2", RUN)
    with pytest.raises(BadReport, match="are of other samples"):
        compare(_report(tmp_path / "a"), other)
