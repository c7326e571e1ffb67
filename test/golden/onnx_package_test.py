"""The node tests that the installed onnx package makes, through converter and engine.

SPDX-License-Identifier: Apache-2.0

What does not pass is listed with its reason in onnx_package_unsupported.txt; a listed test that
passes is a failure. This prints how many tests are converted, refused and wrong, by operator:

    cd test/golden && ~/.cache/mace/venv/bin/python -m pytest -s -q onnx_package_test.py
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import pytest
from golden import Run, run_all

from mace_tools.support.errors import MaceError
from mace_tools.testing import onnx_nodes, onnx_package
from mace_tools.testing.onnx_nodes import NodeTest

pytestmark = pytest.mark.full
UNSUPPORTED = onnx_nodes.known_unsupported(onnx_package.UNSUPPORTED)
MIN_OPERATORS = 172  # of which every test passes that is about floats, integers or bools


@dataclass
class Results:
    refused: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Results:
    """What becomes of each test; all are run by one process."""
    found, runs, tests = Results(), [], {}
    folder = tmp_path_factory.mktemp("models")
    for name in onnx_package.cases():
        test = onnx_package.read(name, folder)
        run = test if isinstance(test, str) else converted(test)
        if isinstance(run, str) or isinstance(test, str):
            found.refused[name] = str(run)
        else:
            runs.append(run)
            tests[name] = test
    run_all(runs, tmp_path_factory.mktemp("runs"))
    for run in runs:
        wrong = run.error or tests[run.name].difference(run.graph, run.outputs)
        if wrong:
            found.wrong[run.name] = wrong
        else:
            found.passed.append(run.name)
    print(summary(found))
    return found


def converted(test: NodeTest) -> Run | str:
    """The test as it is, or with parameters as constants; or why it does not convert."""
    reason = ""
    for fixed in onnx_package.parameters(test):
        try:
            graph = test.convert(fixed)
        except MaceError as e:
            reason = reason or str(e)
        else:
            return Run(test.name, graph, test.feeds(graph, fixed))
    return reason


def summary(results: Results) -> str:
    operators = {name: onnx_package.operator(name) for name in
                 (*results.passed, *results.refused, *results.wrong)}
    lines = [f"{len(operators)} tests: {len(results.passed)} pass, {len(results.refused)} are "
             f"refused, {len(results.wrong)} are wrong; operators: {len(complete(results))} pass "
             "all of theirs"]
    by_operator: dict[str, Counter] = defaultdict(Counter)
    for name, reason in (*results.refused.items(), *results.wrong.items()):
        why = next((t.strip() for t in reason.splitlines() if "why:" in t), reason)
        by_operator[operators[name]][why.splitlines()[0][:100]] += 1
    for operator, reasons in sorted(by_operator.items()):
        lines += [f"  {operator} x{count}: {why}" for why, count in reasons.items()]
    return "\n".join(lines)


def complete(results: Results) -> set[str]:
    """The operators of which every test of numbers passes."""
    bad = {onnx_package.operator(name) for name in (*results.refused, *results.wrong)
           if not onnx_package.is_of_other_types(UNSUPPORTED.get(name, ""))}
    return {onnx_package.operator(name) for name in results.passed} - bad


def test_what_passed_still_passes(results):
    problems = {**results.refused, **results.wrong}
    unexpected = {name: why for name, why in problems.items() if name not in UNSUPPORTED}
    assert not unexpected, "\n".join(f"{name}: {why}" for name, why in unexpected.items())


def test_what_is_listed_does_not_pass(results):
    listed = sorted(set(results.passed) & set(UNSUPPORTED))
    assert not listed, f"take these out of {onnx_package.UNSUPPORTED.name}: {', '.join(listed)}"


def test_the_list_names_tests_that_exist():
    assert set(UNSUPPORTED) <= set(onnx_package.cases()) and all(UNSUPPORTED.values())


def test_operators(results):
    assert len(complete(results)) >= MIN_OPERATORS
