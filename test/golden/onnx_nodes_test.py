"""ONNX's official node tests, through converter and engine.

SPDX-License-Identifier: Apache-2.0

What cannot pass is listed with its reason in onnx_nodes_unsupported.txt; a listed test that passes
is a failure. Every model that converts must run.
"""

from pathlib import Path

import pytest
from golden import Run, data_folder, run_all

from mace_tools.support.errors import MaceError
from mace_tools.testing import onnx_nodes

ARCHIVE = data_folder(*Path(onnx_nodes.ARCHIVE).parts)
NAMES = onnx_nodes.names(ARCHIVE)
UNSUPPORTED = onnx_nodes.known_unsupported()
NEVER_RUNS = "converts and does not run: "


@pytest.fixture(scope="module")
def problems(tmp_path_factory) -> dict[str, str]:
    """What is wrong with each test, "" where all is well; all are run by one process."""
    folder = onnx_nodes.unpack(ARCHIVE, tmp_path_factory.mktemp("nodes"))
    tests = {name: onnx_nodes.read(folder / name) for name in NAMES}
    found: dict[str, str] = {}
    runs = []
    for name, test in tests.items():
        try:
            graph = test.convert()
        except MaceError as e:
            found[name] = f"does not convert: {e}"
            continue
        runs.append(Run(name, graph, test.feeds(graph)))
    run_all(runs, tmp_path_factory.mktemp("runs"))
    for run in runs:
        difference = "" if run.error else tests[run.name].difference(run.graph, run.outputs)
        found[run.name] = NEVER_RUNS + run.error if run.error else difference
    return found


@pytest.mark.parametrize("name", NAMES)
def test_node(name, problems):
    if name in UNSUPPORTED:
        assert problems[name], f"passes: take {name} out of the list"
        assert not problems[name].startswith(NEVER_RUNS), problems[name]
    else:
        assert not problems[name], problems[name]


def test_the_list_names_tests_that_exist():
    assert set(UNSUPPORTED) <= set(NAMES)
