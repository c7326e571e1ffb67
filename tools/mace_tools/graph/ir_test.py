"""Tests of the graph and of the files that it becomes.

SPDX-License-Identifier: Apache-2.0
"""

import os

import numpy as np
import pytest
import xxhash

from mace_tools.convert import emit
from mace_tools.graph.ir import Graph
from mace_tools.support import protos
from mace_tools.support.errors import MaceError
from mace_tools.testing.graphs import small_graph


def test_edges_follow_changes():
    g = small_graph()
    fc, act = g.nodes
    assert g.producer("h") is fc and g.consumers("h") == [act] and g.only_consumer("h") is act
    g.replace_uses("h", "x")
    assert g.consumers("h") == [] and set(g.consumers("x")) == {fc, act}
    g.prune()
    assert g.nodes == [act] and set(g.tensors) == {"x", "y"}


def test_bypass_keeps_the_name_of_an_output():
    g = small_graph()
    assert g.bypass(g.nodes[1], "h")
    assert g.outputs == ["y"] and g.producer("y").op == "FullyConnected"
    g.validate()


def test_bypass_refuses_to_merge_an_input_with_an_output():
    g = Graph()
    g.add_input("x", "f32", (1,))
    g.add("Identity", ["x"], ["y"])
    g.outputs = ["y"]
    assert not g.bypass(g.nodes[0], "x")
    assert len(g.nodes) == 1


def test_topo_sort_orders_and_names_cycles():
    g = small_graph()
    g.nodes.reverse()
    g.topo_sort()
    assert [n.op for n in g.nodes] == ["FullyConnected", "Activation"]
    g.set_inputs(g.nodes[0], ["y", "w", "b"])
    with pytest.raises(ValueError, match="FullyConnected 'h' is part of a cycle"):
        g.topo_sort()


def test_model_files_hold_the_weights_aligned_and_hashed(tmp_path):
    pb, data = tmp_path / "m.pb", tmp_path / "m.data"
    emit.write_model(small_graph(), pb, data)
    net = protos.mace().NetDef.FromString(pb.read_bytes())
    raw = data.read_bytes()
    assert [(t.name, list(t.dims), t.offset, t.data_size) for t in net.tensors] == [
        ("w", [2, 3], 0, 6), ("b", [2], 64, 2)]
    assert raw[:24] == np.arange(6, dtype="<f4").tobytes() and not any(raw[24:64])
    assert net.data_bytes == len(raw) == 72
    assert net.data_xxh3 == xxhash.xxh3_64_intdigest(raw)
    assert net.format_version == 2
    assert [(a.name, a.type) for a in net.op[1].arg] == [
        ("activation", 3), ("activation_coefficient", 1)]
    assert list(net.input_info[0].dims) == [1, 3]


def weights_of(tmp_path, stored, value):
    """The entry of a 2x3 weight full of `value`, and the bytes of all weights."""
    graph = small_graph()
    graph.tensors["w"].data = np.full((2, 3), value, np.float32)
    emit.write_model(graph, tmp_path / "m.pb", tmp_path / "m.data", stored=stored)
    net = protos.mace().NetDef.FromString((tmp_path / "m.pb").read_bytes())
    assert not net.tensors[1].HasField("stored_type"), "vectors stay floats"
    return net.tensors[0], (tmp_path / "m.data").read_bytes()


@pytest.mark.parametrize(("stored", "value", "bits"), [
    ("f16", 1.0, 0x3C00), ("f16", 1 + 2**-11, 0x3C00), ("f16", 1 + 2**-11 + 2**-20, 0x3C01),
    ("bf16", 1.0, 0x3F80), ("bf16", 1 + 2**-8, 0x3F80), ("bf16", -1 - 2**-8 - 2**-20, 0xBF81),
    ("bf16", 1e30, 0x714A),
])  # fmt: skip
def test_matrices_are_stored_as_fp16(tmp_path, stored, value, bits):
    entry, raw = weights_of(tmp_path, stored, value)
    assert entry.data_type == 1 and entry.data_size == 6
    assert entry.stored_type == {"f16": 3, "bf16": 6}[stored]
    assert raw[:12] == np.full(6, bits, "<u2").tobytes()


@pytest.mark.parametrize(("stored", "value"), [("f16", 65520.0), ("f16", np.inf), ("f16", 1e-8),
                                               ("bf16", np.nan), ("f32", 1.0)])
def test_weights_that_fp16_cannot_hold_stay_floats(tmp_path, stored, value):
    entry, raw = weights_of(tmp_path, stored, value)
    assert not entry.HasField("stored_type")
    assert raw[:24] == np.full(6, value, "<f4").tobytes()


def test_writing_twice_gives_the_same_bytes(tmp_path):
    for k in "ab":
        emit.write_model(small_graph(), tmp_path / f"{k}.pb", tmp_path / f"{k}.data")
    assert (tmp_path / "a.pb").read_bytes() == (tmp_path / "b.pb").read_bytes()
    assert (tmp_path / "a.data").read_bytes() == (tmp_path / "b.data").read_bytes()


def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MaceError, match="m.data: No space left on device"):
        emit.write_model(small_graph(), tmp_path / "m.pb", tmp_path / "m.data")
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(MaceError, match="cannot write .*file/m.data"):
        emit.write_model(small_graph(), tmp_path / "file" / "m.pb", tmp_path / "file" / "m.data")
