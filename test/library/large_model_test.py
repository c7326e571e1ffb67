"""A model with 100 MB of weights, compiled in: nothing copies them.

SPDX-License-Identifier: Apache-2.0
"""

import consumers
import numpy as np
import onnx
import pytest
from loading import WAYS, Ways
from onnx import TensorProto, helper, numpy_helper

from mace_tools.package.library import abis, compiled_models
from mace_tools.testing.needed import need_tools

pytestmark = pytest.mark.deep
ROWS, WIDTH = 204_800, 128
TABLE = np.arange(ROWS * WIDTH, dtype=np.float32).reshape(ROWS, WIDTH)
MIB = 1024  # in KiB
# What a process has of its own besides weights: its heap, stacks, and relocated tables. Measured
# 0.25 MiB.
LITTLE = 2 * MIB


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    """An embedding: it reads a few rows of a table, in place."""
    need_tools("bazel", "pkg-config")
    folder = tmp_path_factory.mktemp("large")
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "rows"], ["found"], "gather", axis=0)], "embedding",
        [helper.make_tensor_value_info("rows", TensorProto.INT32, [1])],
        [helper.make_tensor_value_info("found", TensorProto.FLOAT, [1, WIDTH])],
        [numpy_helper.from_array(TABLE, "table")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]),
              folder / "large.onnx")
    config = folder / "large.yml"
    assert consumers.cli.main(["init", str(folder / "large.onnx"), f"--output={config}",
                               "--model_name=large"]) == 0
    return Ways(consumers.Place(folder), config, "large")


@pytest.mark.parametrize("way", WAYS)
def test_all_ways_read_the_same_rows(ways, way):
    for row in (0, 77_777, ROWS - 1):
        found = ways.load(way, np.array([row], np.int32).tobytes())
        assert found.values == tuple(map(float, TABLE[row, :4]))


def test_weights_that_are_compiled_in_are_mapped_and_never_copied(ways):
    compiled, copied = ways.load("compiled in"), ways.load("stream")
    assert ways.from_code.stat().st_size > TABLE.nbytes
    # The checksum has read them all.
    assert compiled.rss_loaded * 1024 > TABLE.nbytes
    assert compiled.anonymous_loaded < LITTLE and compiled.anonymous_run < LITTLE
    # The same numbers of a way that copies show that a copy would be seen.
    assert copied.anonymous_loaded * 1024 > TABLE.nbytes


def test_weights_in_a_file_are_mapped_and_leave_memory_again(ways):
    found = ways.load("files")
    assert found.anonymous_loaded < LITTLE and found.rss_run < TABLE.nbytes / 1024 / 2


def test_the_compiler_reads_no_more_source_for_a_large_model(tmp_path, monkeypatch):
    """The assembler copies the weights' file, so that a large model takes as long as a copy."""
    sizes = []
    for bytes_of_weights in (4, 100_000_000):
        graph, data = tmp_path / "net.pb", tmp_path / "net.data"
        graph.write_bytes(b"graph")
        with data.open("wb") as file:
            file.truncate(bytes_of_weights)
        include = tmp_path / f"include{bytes_of_weights}"
        model = compiled_models.CodeModel("net", graph, data, bytes_of_weights)
        (include / "mace").mkdir(parents=True)
        (include / "mace" / "public").symlink_to(tmp_path / "public", target_is_directory=True)
        (tmp_path / "public").mkdir(exist_ok=True)
        for header in (consumers.REPO / "mace" / "public").glob("*.h"):
            (tmp_path / "public" / header.name).write_text(header.read_text())
        for name, text in compiled_models.headers("lib", [model]).items():
            (tmp_path / "public" / name).write_text(text)
        objects = compiled_models.compile(abis.ABIS["host"], [model], include, tmp_path)
        assert objects[-1].stat().st_size > bytes_of_weights
        sizes.append(sum(p.stat().st_size for p in (tmp_path / "net.S",
                                                    tmp_path / "mace_engine_factory.cc")))
    assert sizes[0] == sizes[1] < 10_000
