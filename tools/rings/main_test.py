"""The words that tools/test.sh takes, and its help.

SPDX-License-Identifier: Apache-2.0
"""

import re

import pytest

from rings.errors import Exit, RingsError
from rings.inputs import working_tree
from rings.main import help_text, main, plan_of
from rings.runner import ROOT, Runner
from rings.slices import ABOUT, SLICES, parts
from rings.steps import Bazel, Pytest
from rings.suites import EVERYTHING, RINGS, standard


def names(plan):
    return [suite.name for suite in plan.suites]


def test_no_name_is_the_quick_ring():
    plan = plan_of([], "quick")
    assert (plan.rings, names(plan), plan.slices) == (
        ["quick"], ["lint", "host", "gpu", "dsp", "python"], [])
    assert plan.suites == list(standard("quick"))


def test_the_full_ring_has_the_cases_of_its_mark():
    steps = [step for suite in plan_of(["full"], "quick").suites for step in suite.steps]
    assert {step.ring for step in steps if isinstance(step, Pytest)} == {"full"}
    assert all("-full" not in step.tags and "-deep" in step.tags for step in steps
               if isinstance(step, Bazel))


def test_a_suite_runs_its_cases_of_a_ring():
    for ring, tags in (("quick", "-gpu,-full,-deep"), ("full", "-gpu,-deep"), ("deep", "-gpu")):
        (host, python) = plan_of(["host", "python"], ring).suites
        assert (host.steps[0].tags, python.steps[0].ring) == (tags, ring)


@pytest.mark.parametrize(("ring", "grid"), [("quick", "small"), ("full", "small"),
                                            ("deep", "full")])
def test_rings_differ_in_the_grid_of_the_gpu(ring, grid):
    (gpu,) = plan_of(["gpu"], ring).suites
    assert f"--test_env=MACE_TEST_GRID={grid}" in gpu.steps[0].flags


def test_groups_and_slices():
    assert plan_of(["deep"], "quick").slices == list(SLICES)
    everything = plan_of(["all"], "quick")
    assert everything.rings == ["full", "deep"] and everything.slices == list(SLICES)
    assert {part.suite for part in plan_of(["arm"], "quick").slices} == {"aarch64", "armv7"}
    twice = plan_of(["asan/low", "asan", "asan/low"], "quick").slices
    assert [part.label for part in twice] == [f"asan/{name}" for name in parts()]
    assert plan_of(["full", "results"], "quick").results


@pytest.mark.parametrize("words", [["hots"], ["asan/none"], ["--ring=all"], ["--resum"]])
def test_an_unknown_word_is_refused_before_anything_starts(words, capsys, monkeypatch):
    monkeypatch.setattr(Runner, "set_up", lambda _: pytest.fail("sets up"))
    try:
        code = main(words)
    except SystemExit as stop:
        code = stop.code
    assert code == Exit.USAGE
    assert words[0].removeprefix("--ring=") in capsys.readouterr().err


def test_an_unknown_suite_names_its_cure():
    with pytest.raises(RingsError, match="unknown suite 'hots'") as refused:
        plan_of(["hots"], "quick")
    assert "--help" in refused.value.cure


def test_help_names_each_suite_ring_and_slice():
    text = help_text()
    words = set(re.findall(r"[\w/]+", text))
    assert {*RINGS, *(suite.name for suite in standard("quick")), *ABOUT} <= words
    assert {part.name for part in SLICES} <= words
    assert list(ABOUT) == list(dict.fromkeys(part.suite for part in SLICES)), "in the same order"
    assert max(map(len, text.splitlines())) <= 100


def test_every_python_file_that_a_slice_names_is_there():
    for part in SLICES:
        for step in part.steps:
            for word in step.arguments if isinstance(step, Pytest) else ():
                path = word.removeprefix("--ignore=")
                assert "/" not in path or (ROOT / path).exists(), f"{part.label}: {path}"


def test_every_python_case_of_the_deep_ring_is_in_a_slice():
    for path in working_tree(ROOT):
        if path.endswith("_test.py") and "pytest.mark.deep" in (ROOT / path).read_text() and (
                not path.startswith("tools/rings/")):
            assert any(runs(step, path) for part in SLICES for step in part.steps
                       if isinstance(step, Pytest)), f"{path} is in no slice of rings/slices.py"


def runs(step, path):
    return f"--ignore={path}" not in step.arguments and any(
        path == word or path.startswith(f"{word}/") for word in step.arguments)


def test_slices_by_folders_leave_no_test_out():
    """What the others have, `rest` leaves out of everything."""
    *others, (rest, _) = parts().values()
    taken = {f"-{target}" for targets, _ in others for target in targets}
    assert set(rest) == {*EVERYTHING, *taken}


def test_no_test_of_cpp_is_for_the_deep_ring_alone():
    """None of the slices runs such a target as it is built for this machine."""
    for path in working_tree(ROOT):
        text = (ROOT / path).read_text() if path.endswith(("BUILD.bazel", ".bzl")) else ""
        tags = re.findall(r"tags = \[([^\]]*)\]", text)
        assert not any('"deep"' in each and '"gpu"' not in each for each in tags), path
