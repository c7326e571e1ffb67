"""What the steps of suites run, with which words, and the set-up before them.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from rings.errors import RingsError
from rings.runner import Runner
from rings.steps import Bazel, Pytest, Script


@pytest.mark.parametrize(("status", "passed"), [(0, 1), (3, 0)])
def test_a_script_is_one_case(tmp_path, status, passed):
    script = tmp_path / "find.sh"
    script.write_text(f"#!/bin/sh\necho found: $1, $MACE_TEST_DATA\nexit {status}\n")
    script.chmod(0o755)
    runner = Runner(tmp_path, tmp_path, tmp_path / "data")
    runner.results.mkdir(parents=True)
    report, _ = runner.run("fuzz/load", (Script(("find.sh", "no fault")),))
    assert report.passed == passed
    assert report.failed == ([] if passed else ["find.sh no fault ended with status 3"])
    (log,) = runner.results.iterdir()
    assert log.read_text() == f"found: no fault, {tmp_path / 'data'}\n"
    assert report.logs == ([] if passed else [log])


@pytest.mark.parametrize("anew", [True, False])
def test_what_runs_of_bazel(tmp_path, monkeypatch, anew):
    commands = []
    monkeypatch.setattr(Runner, "_run", lambda _, command, **__: commands.append(command) or 0)
    runner = Runner(tmp_path, tmp_path, tmp_path / "data", anew)
    runner.run("pocl/ops", (Bazel(("//a/...", "-//a/b:c"), "gpu,-deep", ("--x={cache}/pocl",)),))
    (command,) = commands
    assert command[:2] == ["bazel", "test"] and command[-3:] == ["--", "//a/...", "-//a/b:c"]
    assert {f"--x={tmp_path}/pocl", "--test_tag_filters=gpu,-deep",
            f"--test_env=MACE_TEST_DATA={tmp_path}/data"} <= set(command)
    assert ("--nocache_test_results" in command) == anew


def test_what_a_distribution_lacks_is_skipped(tmp_path):
    runner = Runner(tmp_path, tmp_path, tmp_path)
    report, _ = runner.run("oclgrind", (Bazel(("//a",), driver="/no/driver.so"),))
    assert report.skipped == ["this distribution: it has no /no/driver.so"] and not report.failed


@pytest.mark.parametrize("strict", [True, False])
def test_warnings_of_compilers_are_failures_of_our_own_checks_only(tmp_path, monkeypatch, strict):
    warning = "mace/a.cc:7:9: warning: unused variable 'b' [-Wunused-variable]"

    def run(_, command, environment=None, output=None):
        assert (output is None) == ("--ui_event_filters=-info" in command)
        if output:
            output.write(f"INFO: From Compiling mace/a.cc:\n{warning}\n    7 | int b\nINFO: x\n")
        return 0

    monkeypatch.setattr(Runner, "_run", run)
    runner = Runner(tmp_path, tmp_path, tmp_path, strict=strict)
    runner.results.mkdir(parents=True)
    report, _ = runner.run("host", (Bazel(("//a",)),), may_be_empty=True)
    assert report.failed == ([warning] if strict else [])


def test_what_runs_of_pytest(tmp_path, monkeypatch):
    ran = []
    monkeypatch.setenv("TMPDIR", "/tmp")
    monkeypatch.setattr(Runner, "_run",
                        lambda _, command, **more: ran.append((list(map(str, command)), more)) or 0)
    runner = Runner(tmp_path, tmp_path, tmp_path / "data")
    runner.run("library/arm", (Pytest(("test/x",), "full", ("MACE_TEST_LIBRARY=all",),
                                      ("//tools:t",)),))
    (build, _), (test, more) = ran
    assert build[:2] == ["bazel", "build"] and build[-1] == "//tools:t"
    assert test[0] == f"{tmp_path}/venv/bin/python" and test[-1] == "test/x"
    assert {"-n", "auto", "--ring=full"} <= set(test)
    assert more["environment"] == {"MACE_TEST_DATA": f"{tmp_path}/data",
                                   "MACE_TEST_LIBRARY": "all"}


def test_tests_of_programs_that_do_not_build_do_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr(Runner, "_run", lambda _, command, **__: int(command[1] == "build"))
    report, _ = Runner(tmp_path, tmp_path, tmp_path).run(
        "python", (Pytest(("x",), build=("//tools:t",)),))
    assert report.failed == ["//tools:t does not build"]


def test_affected_files_may_have_no_case_of_the_ring(tmp_path, monkeypatch):
    statuses = iter([4, 5, 1])
    monkeypatch.setattr(Runner, "_run", lambda *_, **__: next(statuses))
    runner = Runner(tmp_path, tmp_path, tmp_path)
    for step in (Bazel(("//x",)), Pytest(("x",))):
        report, _ = runner.run("x", (step,), may_be_empty=True)
        assert (report.total, report.failed) == (0, [])
    report, _ = runner.run("x", (Pytest(("x",)),), may_be_empty=True)
    assert report.failed == ["ended with status 1 after 0 cases"]


def test_set_up(tmp_path, capfd):
    runner = Runner(tmp_path, tmp_path / "cache", tmp_path / "data")
    (tmp_path / "tools").mkdir()
    script = tmp_path / "tools" / "setup.sh"
    script.write_text("#!/bin/sh\necho set up $*\n")
    script.chmod(0o755)
    runner.results.mkdir(parents=True)
    (runner.results / "old.xml").touch()
    assert runner.set_up() >= 0
    assert list(runner.results.iterdir()) == []
    captured = capfd.readouterr()
    assert captured.out == "set up --for test\n"
    assert f"no folder {tmp_path}/data (MACE_TEST_DATA): the tests that read it are" in captured.err
    script.write_text("#!/bin/sh\necho no network; exit 1\n")
    with pytest.raises(RingsError, match="the set-up failed"):
        runner.set_up()
    assert capfd.readouterr().out == "no network\n"
