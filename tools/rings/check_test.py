"""What CI finds in the file of results, and the slice that it runs again.

SPDX-License-Identifier: Apache-2.0
"""

import dataclasses

import pytest

from rings import check, results
from rings.deep import Standing
from rings.errors import Exit
from rings.testing.clone import LOW, OPS, make_clone

ORDER = [LOW.label, OPS.label]


@pytest.fixture
def clone(tmp_path, monkeypatch):
    made = make_clone(tmp_path, monkeypatch)
    made.test_sh("deep")
    made.commit()
    made.ran()
    return made


def change_line(clone, label, **values):
    lines = clone.lines()
    lines[label] = dataclasses.replace(lines[label], **values)
    results.write(clone.root, lines.values(), ORDER)


def test_right_lines_pass_and_one_slice_runs_again(clone, capsys):
    assert clone.test_sh("results") == Exit.PASSED
    assert len(clone.ran()) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "3 passed, 0 failed, 0 skipped"


def test_a_stale_line_is_printed_and_does_not_fail(clone, capsys):
    clone.write("mace/ops/b.cc", "int changed;\n")
    clone.commit()
    assert clone.test_sh("results") == Exit.PASSED
    assert "STALE: asan/ops: mace/ops/b.cc changed" in capsys.readouterr().out
    assert clone.ran() == ["low"]  # the only fresh one


def test_a_stale_line_with_the_hash_of_now_is_found(clone, capsys):
    """By hand, without a run."""
    old = clone.lines()["asan/ops"].commit
    clone.write("mace/ops/b.cc", "int changed;\n")
    clone.test_sh("asan/ops")
    change_line(clone, "asan/ops", commit=old)
    clone.commit()
    assert clone.test_sh("results") == Exit.FAILED
    assert (f"FAILED  results: asan/ops: its line has a hash that the files of commit {old} do not "
            "have") in capsys.readouterr().out


def test_a_changed_hash_is_found(clone, capsys):
    before = clone.lines()["asan/low"].inputs
    change_line(clone, "asan/low", inputs=before[:-4] + "0000")
    assert clone.test_sh("results") == Exit.FAILED
    assert "FAILED  results: asan/low: its line has a hash" in capsys.readouterr().out


def test_a_line_of_another_definition_is_stale(clone, capsys):
    before = clone.lines()["asan/low"].inputs
    change_line(clone, "asan/low", inputs="0" * 8 + before[8:])
    assert clone.test_sh("results") == Exit.PASSED
    assert "STALE: asan/low: the slice is defined otherwise now" in capsys.readouterr().out


def test_a_commit_that_this_clone_lacks_cannot_be_compared(clone):
    change_line(clone, "asan/low", commit="0123456789ab")
    assert clone.test_sh("results") == Exit.PASSED


def test_a_failed_line_fails(clone, capsys):
    change_line(clone, "asan/low", failed=2)
    assert clone.test_sh("results") == Exit.FAILED
    assert "asan/low: 2 cases failed when it ran last" in capsys.readouterr().out


def test_a_line_without_cases_fails(clone, capsys):
    change_line(clone, "asan/low", passed=0)
    assert clone.test_sh("results") == Exit.FAILED
    assert "asan/low: its line counts no case at all" in capsys.readouterr().out


def test_a_line_of_no_slice_fails(clone, capsys):
    gone = dataclasses.replace(clone.lines()["asan/low"], suite="gone")
    results.write(clone.root, [*clone.lines().values(), gone], [*ORDER, "gone/low"])
    assert clone.test_sh("results") == Exit.FAILED
    assert "gone/low: test/deep_results.txt has a line of it, but" in capsys.readouterr().out


def test_a_missing_line_fails(clone, capsys):
    results.write(clone.root, [clone.lines()["asan/low"]], ORDER)
    assert clone.test_sh("results") == Exit.FAILED
    out = capsys.readouterr().out
    assert "never run: asan/ops" in out
    assert ("asan/ops: test/deep_results.txt has no line of it; tools/test.sh deep --resume writes "
            "it" in out)


@pytest.mark.parametrize("counts", [{"passed": 2}, {"skipped": 1}, {"passed": 2, "of_cpu": 1,
                                                                    "skipped": 1}])
def test_other_counts_than_the_file_has_fail(clone, capsys, counts):
    for label in ORDER:
        change_line(clone, label, **counts)
    assert clone.test_sh("results") == Exit.FAILED
    assert "but running it again gives 1 passed, 0 failed, 0 skipped" in capsys.readouterr().out


def test_a_case_that_only_this_cpu_runs_is_no_difference(clone):
    for label in ORDER:
        change_line(clone, label, passed=0, skipped=1, of_cpu=1)
    assert clone.test_sh("results") == Exit.PASSED


def test_the_commit_chooses_among_short_fresh_slices(clone):
    short, other = ({**clone.lines()}[label] for label in ORDER)
    slow = dataclasses.replace(other, seconds=check.SECONDS_AGAIN + 1)
    stale = dataclasses.replace(other, inputs="0" * 8 + "-" + "0" * 16)
    failed = dataclasses.replace(other, failed=1)
    low = Standing(LOW, short, short.inputs)
    for line in (slow, stale, failed, None):
        assert check.chosen_again([Standing(OPS, line, other.inputs), low], "abc5") is low
    both = [low, Standing(OPS, other, other.inputs)]
    assert [check.chosen_again(both, commit) for commit in ("abc4", "abc5")] == both
    assert check.chosen_again([], "abc4") is None


def test_no_short_slice_is_reported(clone, capsys):
    results.write(clone.root, [], ORDER)
    assert clone.test_sh("results") == Exit.FAILED  # nothing was checked
    assert "none is run again" in capsys.readouterr().err
