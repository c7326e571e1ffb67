"""ONNX's official node tests through importer, passes and the NumPy twin of the engine.

SPDX-License-Identifier: Apache-2.0

test/golden runs the same tests with the engine itself. What cannot pass stands with its reason in
test/golden/onnx_nodes_unsupported.txt.
"""

import pytest

from mace_tools.convert import reference
from mace_tools.graph.ir import NUMPY, Graph
from mace_tools.support.errors import MaceError
from mace_tools.testing import onnx_nodes

if not onnx_nodes.archive().is_file():
    pytest.skip(f"test data: no {onnx_nodes.archive()}", allow_module_level=True)
NAMES = onnx_nodes.names(onnx_nodes.archive())
UNSUPPORTED = onnx_nodes.known_unsupported()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return onnx_nodes.unpack(onnx_nodes.archive(), tmp_path_factory.mktemp("nodes"))


def problem(test: onnx_nodes.NodeTest) -> str:
    try:
        graph = test.convert()
    except MaceError as e:
        return f"does not convert: {e}"
    results = reference.run(graph, test.feeds(graph))
    return test.difference(graph, results) or wrong_inference(graph, results)


def wrong_inference(graph: Graph, results: dict) -> str:
    """Where inference stated another type or shape than the computation gives."""
    for name, array in results.items():
        tensor = graph.tensors[name]
        if tensor.static_shape is not None and tensor.static_shape != array.shape:
            return f"'{name}' was inferred as {tensor.static_shape}, it is {array.shape}"
        if NUMPY[tensor.dtype] != array.dtype:
            return f"'{name}' was inferred as {tensor.dtype}, it is {array.dtype}"
    return ""


@pytest.mark.parametrize("name", NAMES)
def test_node(folder, name):
    found = problem(onnx_nodes.read(folder / name))
    if name in UNSUPPORTED:
        assert found, f"passes: take {name} out of {onnx_nodes.UNSUPPORTED.name}"
    else:
        assert not found, found


def test_the_list_names_tests_that_exist():
    assert set(UNSUPPORTED) <= set(NAMES) and all(UNSUPPORTED.values())
