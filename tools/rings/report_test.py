"""Counting a suite's cases: every way it can end, the table, and the last line.

SPDX-License-Identifier: Apache-2.0
"""

import json

import pytest

from rings.report import Report
from rings.runner import Runner
from rings.steps import Bazel, Pytest
from rings.summary import Row, Summary

JUNIT = """<testsuites><testsuite>
<testcase name="Good" classname="A" status="run" result="completed"/>
<testcase name="Bad" classname="A"><failure message="no"/></testcase>
<testcase name="Crash" classname="A"><error message="signal 11"/></testcase>
<testcase name="Later" classname="A"><skipped message="a_test.cc:1&#10;test data: none"/></testcase>
<testcase name="DISABLED_Off" classname="A" status="notrun" result="suppressed"/>
</testsuite></testsuites>"""
ALL_PASSED = '<testsuite><testcase name="Good" classname="A"/></testsuite>'


def bazel_result(path, status="PASSED", label="//a:t", log="/x"):
    outputs = [{"name": "test.log", "uri": f"file://{log}"}]
    if path:
        outputs.append({"name": "test.xml", "uri": f"file://{path}"})
    return {"id": {"testResult": {"label": label}},
            "testResult": {"status": status, "testActionOutput": outputs}}


def not_built(label="//a:broken", aborted=None):
    event = {"id": {"targetCompleted": {"label": label}}, "completed": {}}
    if aborted:
        event = {"id": event["id"], "aborted": {"reason": aborted}}
    return event


@pytest.fixture
def suite(tmp_path, capsys, monkeypatch):
    """Runs a suite whose programs leave these results: (exit status, printed lines)."""

    def run(junit=None, events=None, status=0):
        def leave_results(runner, command, **_):
            for word in map(str, command):
                name, _, path = word.partition("=")
                if name == "--junitxml" and junit is not None:
                    open(path, "w").write(junit)
                if name == "--build_event_json_file" and events is not None:
                    open(path, "w").write("\n".join(map(json.dumps, events)))
            return status

        monkeypatch.setattr(Runner, "_run", leave_results)
        runner = Runner(tmp_path, tmp_path, tmp_path)
        runner.results.mkdir(parents=True)
        steps = (Pytest(("x",)),) if events is None else (Bazel(("//x",)),)
        report, _ = runner.run("s", steps)
        summary = Summary()
        summary.add("s", report, 2.5, "4 min")
        code = summary.finish()
        return code, capsys.readouterr().out.splitlines()

    return run


def test_counts_every_kind_of_case(suite):
    code, lines = suite(junit=JUNIT, status=1)
    assert code == 1
    assert lines[-1] == "1 passed, 2 failed, 2 skipped"
    assert "FAILED  s: A.Bad" in lines
    assert "skipped 1: test data: none" in lines


def test_all_passed(suite):
    code, lines = suite(junit=ALL_PASSED)
    assert (code, lines[-1]) == (0, "1 passed, 0 failed, 0 skipped")
    assert lines[-2].split() == ["s", "1", "0", "0", "2.5", "4", "min"]


@pytest.mark.parametrize("reason", ["not installed: chromium", "could not import 'onnx'", ""])
def test_a_skip_for_another_reason_than_the_known_ones_fails(suite, reason):
    case = f'<testcase name="Draws" classname="A"><skipped message="{reason}"/></testcase>'
    code, lines = suite(junit=ALL_PASSED.replace("</testsuite>", f"{case}</testsuite>"))
    assert (code, lines[-1]) == (1, "1 passed, 1 failed, 0 skipped")
    assert f"FAILED  s: A.Draws was skipped: {reason or 'no reason is given'}" in lines


def test_no_case_at_all_fails(suite):
    code, lines = suite(junit="<testsuite/>")
    assert (code, lines[-1]) == (1, "0 passed, 1 failed, 0 skipped")


def test_a_suite_that_died_early_fails(suite):
    code, lines = suite(status=2)
    assert (code, lines[-1]) == (1, "0 passed, 1 failed, 0 skipped")


def test_a_bad_exit_status_is_not_hidden_by_good_cases(suite):
    code, _ = suite(junit=ALL_PASSED, status=3)
    assert code == 1


def test_bazel_targets(suite, tmp_path):
    good = tmp_path / "good test.xml"
    good.write_text(ALL_PASSED)
    code, lines = suite(
        events=[{"id": {"started": {}}}, bazel_result(str(good).replace(" ", "%20")),
                bazel_result(None, "TIMEOUT", "//a:slow"), not_built(),
                not_built("//a:other_cpu", aborted="SKIPPED")],
        status=1)
    assert (code, lines[-1]) == (1, "1 passed, 2 failed, 1 skipped")
    assert "FAILED  s: //a:slow ended as TIMEOUT" in lines
    assert "FAILED  s: //a:broken does not build" in lines


def test_bazel_target_without_cases_fails(suite, tmp_path):
    empty = tmp_path / "empty.xml"
    empty.write_text("<testsuites/>")
    code, lines = suite(events=[bazel_result(empty)])
    assert code == 1
    assert "FAILED  s: //a:t holds no test case" in lines


def test_truncated_results_fail(suite):
    code, lines = suite(junit=JUNIT[:80])
    assert (code, lines[-1]) == (1, "0 passed, 1 failed, 0 skipped")


def test_the_log_of_a_failed_target_is_shown(suite, tmp_path):
    log = tmp_path / "test.log"
    log.write_text("early\n" * 100 + "what happened\n")
    _, lines = suite(events=[bazel_result(None, "FAILED", log=log)], status=3)
    assert "what happened" in lines
    assert lines.count("early") < 100
    assert lines[-1] == "0 passed, 1 failed, 0 skipped"


def test_lists_micro_kernels_that_no_test_ran(suite):
    junit = """<testsuite><testcase name="Good" classname="A"><properties>
<property name="listed gemm_f32_4x4__scalar" value="row"/>
<property name="listed gemm_f32_8x8__aarch64" value="row"/>
<property name="gemm_f32_4x4__scalar" value="executed"/></properties></testcase></testsuite>"""
    code, lines = suite(junit=junit)
    assert code == 0
    assert "s: 1 of 2 micro-kernels were run by no test here: gemm_f32_8x8__aarch64" in lines


def test_a_file_of_pytest_whose_cases_belong_to_outer_rings_is_no_failure(tmp_path, monkeypatch):
    statuses = {"dsp.0.events.json": 0, "dsp.1.xml": 5}
    good = tmp_path / "good.xml"
    good.write_text(ALL_PASSED)

    def leave_results(runner, command, **_):
        path = next(word.partition("=")[2] for word in map(str, command)
                    if word.startswith(("--junitxml", "--build_event_json")))
        text = "<testsuite/>" if path.endswith(".xml") else json.dumps(bazel_result(good))
        open(path, "w").write(text)
        return statuses[path.rpartition("/")[2]]

    monkeypatch.setattr(Runner, "_run", leave_results)
    runner = Runner(tmp_path, tmp_path, tmp_path)
    runner.results.mkdir(parents=True)
    report, _ = runner.run("dsp", (Bazel(("//x",)), Pytest(("y",), "quick")))
    assert (report.passed, report.failed) == (1, [])


def test_the_table_ends_with_the_rings_and_their_bounds(capsys):
    summary = Summary()
    summary.add("lint", Report(passed=3), 20)
    summary.keep(Row("asan/low", 7, 0, 2, 100, "30 min; kept from 012345678901"))
    assert summary.finish(1.5, [("quick", "4 min warm"), ("deep", "4 h")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "suite         passed  failed skipped  seconds  bound",
        "set-up                                    1.5",
        "lint               3       0       0     20.0",
        "asan/low           7       0       2    100.0  30 min; kept from 012345678901",
        "quick + deep      10       0       2    121.5  4 min warm; 4 h",
        "10 passed, 0 failed, 2 skipped"]
