"""Deep runs: what is recorded, what --resume runs, and what status shows.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

import pytest

from rings import inputs, results
from rings.errors import Exit
from rings.runner import alone
from rings.testing.clone import OPS, make_clone


@pytest.fixture
def clone(tmp_path, monkeypatch):
    return make_clone(tmp_path, monkeypatch)


def test_a_run_writes_a_line_for_each_slice(clone, capsys):
    commit = clone.git("rev-parse", "HEAD")
    assert clone.test_sh("deep") == Exit.PASSED
    assert clone.ran() == ["low", "ops"]
    assert clone.states() == ["fresh", "fresh"]
    line = clone.lines()["asan/ops"]
    assert line.inputs == inputs.slice_hash(OPS, inputs.working_tree(clone.root))
    assert (line.commit, line.passed, line.failed) == (commit[:12], 1, 0)
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 0 failed, 0 skipped"


def test_resume_runs_what_changed(clone, capsys):
    clone.test_sh("deep")
    clone.ran()
    clone.write("mace/ops/b.cc", "int changed;\n")
    assert clone.states() == ["fresh", "STALE"]
    assert clone.test_sh("deep", "--resume") == Exit.PASSED
    assert clone.ran() == ["ops"]
    assert clone.lines()["asan/ops"].commit.endswith("+")
    out = capsys.readouterr().out
    assert "30 min; kept from" in out and out.splitlines()[-1] == "2 passed, 0 failed, 0 skipped"


def test_resume_with_nothing_to_do_does_nothing(clone, monkeypatch):
    clone.test_sh("deep")
    clone.ran()
    monkeypatch.setattr("rings.runner.Runner.set_up", lambda _: pytest.fail("sets up"))
    assert clone.test_sh("deep", "--resume") == Exit.PASSED
    assert clone.ran() == []


def test_without_resume_all_run_again(clone):
    clone.test_sh("deep")
    clone.test_sh("deep")
    assert clone.ran() == ["low", "ops", "low", "ops"]


def test_resume_goes_on_in_another_clone(clone, tmp_path):
    clone.test_sh("asan/low")
    clone.commit()
    subprocess.run(["git", "clone", "-q", str(clone.root), str(tmp_path / "two")], check=True)
    clone.ran()
    clone.root = tmp_path / "two"  # which of_environment gives
    assert clone.states() == ["fresh", "never run"]
    assert clone.test_sh("deep", "--resume") == Exit.PASSED
    assert clone.ran() == ["ops"]


def test_a_failed_slice_is_recorded_and_runs_again(clone, capsys):
    clone.write("ops.sh", "echo here is the fault; exit 4\n")
    assert clone.test_sh("asan") == Exit.FAILED
    assert clone.states() == ["fresh", "failed"]
    out = capsys.readouterr().out
    assert "here is the fault" in out
    assert "FAILED  asan/ops: run.sh ops ended with status 4" in out
    clone.ran()
    clone.write("ops.sh", "")
    assert clone.test_sh("deep", "--resume") == Exit.PASSED
    assert clone.ran() == ["ops"]


def test_files_that_change_during_a_slice_leave_its_line_as_it_was(clone, capsys):
    clone.write("ops.sh", "echo 'int late;' >mace/ops/b.cc\n")
    assert clone.test_sh("deep") == Exit.PASSED
    assert clone.states() == ["fresh", "never run"]
    assert "asan/ops: files that it depends on changed while it ran" in capsys.readouterr().err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_slice_is_not_recorded(clone, number, code, capsys):
    clone.write("ops.sh", f"sleep 600 & echo $! >build/child; kill -{number} $PPID; wait\n")
    assert clone.test_sh("deep") == code
    assert clone.states() == ["fresh", "never run"]
    assert "nothing is recorded of what was under way" in capsys.readouterr().err
    child = Path("/proc") / (clone.root / "build/child").read_text().strip() / "stat"
    for _ in range(1000):  # the kernel takes a moment for it
        if not child.exists() or child.read_text().split()[2] == "Z":
            break
        time.sleep(0.01)
    else:
        pytest.fail("a process of the slice outlives it")


def test_two_runs_at_once_are_refused(clone, capsys):
    code = ("import sys, time; from pathlib import Path; from rings.runner import alone\n"
            "with alone(Path(sys.argv[1])): print('has it', flush=True); time.sleep(600)")
    with subprocess.Popen([sys.executable, "-c", code, clone.root], stdout=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
                          text=True) as other:
        try:
            assert other.stdout.readline() == "has it\n"
            assert clone.test_sh("deep") == Exit.CANNOT_RUN
            assert f"already run in this checkout (process {other.pid})" in capsys.readouterr().err
        finally:
            other.kill()
    with alone(clone.root):
        pass
    assert clone.ran() == []


def test_a_full_disk_is_no_fault_of_the_slice(clone, monkeypatch, capsys):
    clone.write("low.sh", "exit 1\n")
    usage = namedtuple("usage", "free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1000))
    assert clone.test_sh("deep") == Exit.CANNOT_RUN
    assert "is full, so that what failed says nothing" in capsys.readouterr().err
    assert clone.states() == ["never run", "never run"]


def test_a_conflict_in_the_results_stops_everything_before_it_starts(clone, capsys):
    clone.write(results.FILE, "<<<<<<< HEAD\n")
    for words in (["deep", "--resume"], ["deep"], ["status"], ["results"]):
        assert clone.test_sh(*words) == Exit.CANNOT_RUN
        assert "a merge conflict was not resolved\ntest: cure: git checkout" in (
            capsys.readouterr().err)
    assert clone.ran() == []


def test_status_says_what_became_of_each_slice(clone, capsys):
    clone.test_sh("asan/ops")
    clone.commit()
    clone.test_sh("asan/ops")
    capsys.readouterr()
    clone.write("mace/base/a.cc", "int changed;\n")
    clone.write("mace/base/c.cc", "int added;\n")
    clone.write(results.FILE, (clone.root / results.FILE).read_text()
                + f"gone part {'0' * 8}-{'0' * 16} {'0' * 12} 1 0 0 0 1\n")
    assert clone.test_sh("status") == Exit.PASSED
    low, ops, count, gone = capsys.readouterr().out.splitlines()[1:]
    assert low.split() == ["asan/low", "never", "run"]
    assert ops.split()[:2] == ["asan/ops", "STALE"]
    assert ops.endswith(": mace/base/a.cc and 1 more changed")
    assert count.startswith("2 slices: 0 fresh, 0 failed, 1 STALE, 1 never run;")
    assert gone.startswith("gone/part has a line, but is no slice any more")
