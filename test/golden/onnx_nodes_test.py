"""ONNX's official node tests, through converter and engine.

SPDX-License-Identifier: Apache-2.0

What does not convert stands with its reason in onnx_nodes_unsupported.txt, what converts but has
no kernel on the CPU in onnx_nodes_engine.txt; a test in a list that passes fails.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from golden import Run, data_folder, run_all

from mace_tools.errors import MaceError
from mace_tools.testing import onnx_nodes

ARCHIVE = data_folder(*Path(onnx_nodes.ARCHIVE).parts)
NAMES = onnx_nodes.names(ARCHIVE)
UNSUPPORTED = onnx_nodes.known_unsupported()
NO_KERNEL = onnx_nodes.known_unsupported(Path(__file__).with_name("onnx_nodes_engine.txt"))


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
        found[run.name] = run.error or tests[run.name].difference(run.graph, run.outputs)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_node(name, problems):
    reason = UNSUPPORTED.get(name) or NO_KERNEL.get(name)
    if reason:
        assert problems[name], f"passes: take {name} out of the list"
    else:
        assert not problems[name], problems[name]


def test_the_lists_name_tests_that_exist():
    assert set(UNSUPPORTED) | set(NO_KERNEL) <= set(NAMES)
    assert not set(UNSUPPORTED) & set(NO_KERNEL)
