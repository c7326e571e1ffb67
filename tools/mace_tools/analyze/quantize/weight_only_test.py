"""Weights stored quantized: what is stored, how near it is, and what the engine computes with it.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.analyze.quantize import text
from mace_tools.analyze.quantize.runs import Runs
from mace_tools.analyze.quantize.weight_only import (
    MIN_DB,
    blocks_of_4_bits,
    inputs_of,
    store_weights,
)
from mace_tools.convert import emit, reference
from mace_tools.graph.ir import Graph
from mace_tools.graph.quantized_weights import store
from mace_tools.graph.source_blocks import SourceBlocks
from mace_tools.run import runner
from mace_tools.support import protos
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.testing.net import Net


@pytest.fixture(scope="module")
def runs():
    return Runs(runner.find(Console(), None))


def net() -> Graph:
    """A table, and two products: one of a few rows, one of many."""
    n = Net(x=(2, 50, 40))
    y = n.op("FullyConnected", "x", n.value(n.random.normal(size=(33, 40))),
             n.value(np.linspace(-1, 1, 33)), activation="RELU")
    words = n.op("Gather", n.value(n.random.normal(size=(20, 33))), n.value([3, -1], np.int64))
    z = n.op("FullyConnected", words, n.value(n.random.normal(size=(7, 33))))
    return n.out(y, z, words).graph


@pytest.mark.parametrize("kind, bits, least", [("int8", "i8", 38), ("int4", "i4", 20)])
def test_the_engine_computes_with_the_quantized_weights(kind, bits, least, runs):
    source = net()
    made = store_weights(source, kind)
    assert [w.kind for w in made.weights.values()] == [bits] * 3 and not made.left_out
    assert all(w.error.sqnr_db >= least for w in made.weights.values())
    samples = [{"x": np.random.default_rng(k).normal(size=(2, 50, 40)).astype(np.float32)}
               for k in range(3)]
    for sample, got in zip(samples, runs.each(made.graph, samples, made.graph.outputs)):
        floats = reference.run(source, sample)
        for name, want in reference.run(made.graph, sample).items():
            np.testing.assert_allclose(got[name], want, rtol=1e-4, atol=1e-4)
            cosine = np.vdot(got[name], floats[name]) / (
                np.linalg.norm(got[name]) * np.linalg.norm(floats[name]))
            assert cosine > (0.9999 if kind == "int8" else 0.993)


def test_the_file_has_a_fraction_of_the_bytes():
    size = {kind: emit.build(store_weights(net(), kind).graph)[0].data_bytes
            for kind in ("int8", "int4")}
    plain = emit.build(net())[0].data_bytes
    assert size["int4"] < size["int8"] < plain / 3
    proto, _ = emit.build(store_weights(net(), "int4").graph)
    stored = [t.stored_type for t in proto.tensors if len(t.dims) == 2]
    assert stored == [protos.mace().DT_UINT8] * 3


def test_samples_show_which_errors_matter(runs):
    """Inputs that are nearly the same few vectors, in other proportions each time."""
    n = Net(x=(4, 70))
    graph = n.out(n.op("FullyConnected", "x", n.value(n.random.normal(size=(24, 70))))).graph
    d = np.random.default_rng(3)
    few = d.normal(size=(6, 70)) * np.linspace(0.1, 3, 70)
    samples = [{"x": (d.normal(size=(4, 6)) @ few + 0.01 * d.normal(size=(4, 70))
                      ).astype(np.float32)} for _ in range(40)]
    seen = inputs_of(graph, runs, samples[:30])
    (products,) = seen.values()
    rows = np.concatenate([s["x"] for s in samples[:30]]).astype(np.float64)
    np.testing.assert_allclose(products, rows.T @ rows / len(rows), rtol=1e-4, atol=1e-4)

    def error(made):
        assert [(w.kind, w.error.sqnr_db >= MIN_DB) for w in made.weights.values()] == [
            ("i4", True)]
        wanted = [reference.run(graph, s)[graph.outputs[0]] for s in samples[30:]]
        got = [reference.run(made.graph, s)[graph.outputs[0]] for s in samples[30:]]
        return float(np.square(np.stack(got) - np.stack(wanted)).sum())

    plain, better = (error(store_weights(graph, "int4", seen=s)) for s in ({}, seen))
    assert better < 0.3 * plain


def test_inputs_of_weights_that_stay_alone(runs):
    """A weight that two nodes read, and one of too many columns, are not looked at."""
    n = Net(x=(1, 8))
    shared = n.const(8, 8)
    y = n.op("FullyConnected", n.op("FullyConnected", "x", shared), shared)
    wide = n.op("Tile", y, n.value([1, 400], np.int32))
    graph = n.out(n.op("FullyConnected", wide, n.const(3, 3200))).graph
    assert inputs_of(graph, runs, [{"x": np.ones((1, 8), np.float32)}]) == {}


def test_blocks_keep_their_ends():
    rows = np.zeros((2, 40), np.float32)
    rows[0, 3], rows[1, 39] = -2.0, 1e-3
    quantized, scales = blocks_of_4_bits(rows)
    in_float = quantized * np.repeat(scales.astype(np.float32), 32, 1)[:, :40]
    np.testing.assert_allclose(in_float, rows, rtol=1e-2)
    assert quantized.min() >= -8 and quantized.max() <= 7 and scales.shape == (2, 2)


def test_what_4_bits_keep_too_little_of_gets_8():
    n = Net(x=(1, 32))
    w = n.random.normal(size=(4, 32)).astype(np.float32) * 1e-2
    w[:, 0] = 1  # takes all of the range of its block
    w[:, 1:] += np.sign(w[:, 1:]) * 0.03
    made = store_weights(n.out(n.op("FullyConnected", "x", n.value(w))).graph, "int4")
    assert [one.kind for one in made.weights.values()] == ["i8"]


def test_what_stays_in_floats_and_why():
    n = Net(x=(3, 8))
    shared = n.const(8, 8)
    y = n.op("FullyConnected", "x", shared)
    y = n.op("Eltwise", y, n.op("Reduce", shared, reduce_type="SUM", axis=[0], keepdims=1),
             type="SUM")
    z = n.op("FullyConnected", y, n.const(5, 8))
    graph = n.out(z).graph
    made = store_weights(graph, "int8")
    assert len(made.weights) == 1
    assert "something else reads it as floats: Reduce" in next(iter(made.left_out.values()))
    last = next(node for node in graph.nodes if node.outputs == [z])
    with pytest.raises(MaceError, match="no weight can be stored quantized"):
        store_weights(graph, "int8", (last.name,))


def test_weights_that_are_not_finite_are_named():
    n = Net(x=(1, 4))
    graph = n.out(n.op("FullyConnected", "x", n.value([[1, np.inf, 0, 0]]))).graph
    with pytest.raises(MaceError, match="FullyConnected.*NaN or infinite.*float_nodes"):
        store_weights(graph, "int4")


def branches() -> Graph:
    """A product in each branch of an If, and one before it."""
    random = np.random.default_rng(7)
    parts = {}
    for name in ("then", "else"):
        part = Graph(name)
        part.add_input("x", "f32", (1, 64))
        weight = part.add_const("w", random.normal(size=(8, 64)).astype(np.float32))
        part.add("FullyConnected", ["x", weight], ["y"])
        part.outputs = ["y"]
        parts[name] = part
    graph = Graph("model")
    graph.add_input("condition", "bool", ())
    graph.add_input("x", "f32", (1, 64))
    graph.subgraphs = parts
    weight = graph.add_const("w", random.normal(size=(64, 64)).astype(np.float32))
    graph.add("FullyConnected", ["x", weight], ["before"])
    graph.add("If", ["condition", "before"], ["y"], then_branch="then", else_branch="else")
    graph.outputs = ["y"]
    return graph


@pytest.mark.parametrize("dynamic", [False, True])
def test_weights_of_branches_are_stored(dynamic, runs):
    source = branches()
    made = store_weights(source, "int4", dynamic=dynamic)
    assert set(made.weights) == {"w", "then/w", "else/w"} and not made.left_out
    parts = (made.graph, *made.graph.subgraphs.values())
    layers = [n for part in parts for n in part.nodes if n.op == "FullyConnected"]
    assert [n.attrs.get("dynamic", 0) for n in layers] == [int(dynamic)] * 3
    assert all(t.stored == "i4" for part in parts for t in part.tensors.values() if t.is_const)
    # The source stays as it is.
    assert not any(t.stored for g in (source, *source.subgraphs.values())
                   for t in g.tensors.values())
    for branch in (True, False):
        sample = {"condition": np.array(branch),
                  "x": np.random.default_rng(1).normal(size=(1, 64)).astype(np.float32)}
        got, = runs.each(made.graph, [sample], ["y"])
        want = reference.run(source, sample)["y"]
        cosine = np.vdot(got["y"], want) / np.linalg.norm(got["y"]) / np.linalg.norm(want)
        assert 0.98 < cosine < 0.999999


@pytest.mark.parametrize("kind", ["int8", "int4"])
def test_dynamic_quantization_rounds_the_rows_of_activations(kind, runs):
    """What the engine computes is what the definition says."""
    source = net()
    made = store_weights(source, kind, dynamic=True)
    layers = [n for n in made.graph.nodes if n.op == "FullyConnected"]
    assert len(layers) == 2 and all(n.attrs["dynamic"] == 1 for n in layers)
    sample = {"x": np.random.default_rng(5).normal(size=(2, 50, 40)).astype(np.float32)}
    got, = runs.each(made.graph, [sample], made.graph.outputs)
    x = sample["x"].reshape(100, 40)
    largest = np.abs(x).max(1, keepdims=True)
    rounded = np.rint(x * (np.float32(127) / largest)) * (largest / np.float32(127))
    want = np.maximum(rounded @ made.graph.const(layers[0].inputs[1]).T
                      + made.graph.const(layers[0].inputs[2]), 0)
    np.testing.assert_allclose(got[layers[0].outputs[0]].reshape(100, 33), want,
                               rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("stored", ["i8b", "i4z"])
def test_weights_in_blocks_of_the_other_kinds(stored, runs):
    """int8 in blocks and int4 with zero points, as importers store them."""
    random = np.random.default_rng(3)
    graph = Graph("blocks")
    graph.add_input("x", "f32", (3, 70))
    name = graph.add_const("w", np.zeros((9, 70), np.float32))
    low, high = (-128, 128) if stored == "i8b" else (0, 16)
    values = random.integers(low, high, (9, 70), np.int8)
    scales = random.uniform(0.01, 0.02, (9, 3)).astype(np.float16)
    zeros = random.uniform(0, 15, (9, 3)).astype(np.float16) if stored == "i4z" else None
    store(graph.tensors[name], stored, values, scales, zeros)
    wide = [np.repeat(t.astype(np.float32), 32, 1)[:, :70] for t in (scales, zeros)
            if t is not None]
    floats = (values - (wide[1] if zeros is not None else 0)) * wide[0]
    np.testing.assert_allclose(graph.const(name), floats, rtol=1e-6)
    graph.add("FullyConnected", ["x", name], ["y"])
    graph.add("Gather", [name, graph.add_const("rows", np.array([8, 0], np.int64))], ["z"], axis=0)
    graph.outputs = ["y", "z"]
    assert emit.build(graph)[0].format_version == 3
    sample = {"x": random.normal(size=(3, 70)).astype(np.float32)}
    got, = runs.each(graph, [sample], ["y", "z"])
    np.testing.assert_allclose(got["y"], sample["x"] @ floats.T, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(got["z"], floats[[8, 0]], rtol=1e-6)


def test_weights_that_the_source_quantized_become_dynamic_as_they_are():
    graph = Graph("blocks")
    graph.add_input("x", "f32", (3, 64))
    for name in ("w", "table"):
        graph.add_const(name, np.zeros((64, 64), np.float32))
        store(graph.tensors[name], "i4", np.full((64, 64), -3, np.int8),
              np.full((64, 2), 0.5, np.float16))
    graph.add("FullyConnected", ["x", "w"], ["y"])
    rows = graph.add_const("rows", np.array([8, 0], np.int64))
    graph.add("Gather", ["table", rows], ["z"], axis=0)
    graph.outputs = ["y", "z"]
    made = store_weights(graph, "int8", dynamic=True)
    assert (made.kept, made.weights, made.left_out) == (["w", "table"], {}, {})
    shown = list(text.weight_lines(made, True))
    assert "quantized in the source: w, table" in shown
    assert not any("float32" in line for line in shown)
    layer, = (n for n in made.graph.nodes if n.op == "FullyConnected")
    assert layer.attrs["dynamic"] == 1 and made.graph.tensors["w"].stored == "i4"
    with pytest.raises(MaceError, match="no weight can be stored quantized"):
        store_weights(graph, "int8")
    with pytest.raises(MaceError, match="no weight can be stored quantized"):
        store_weights(graph, "int8", (layer.name,), dynamic=True)


@pytest.mark.parametrize("dynamic", [False, True])
def test_blocks_of_the_source_keep_their_values_with_rounded_scales(dynamic):
    """As of MatMulNBits whose scales fp16 does not hold."""
    random = np.random.default_rng(3)
    values, scales = random.integers(0, 16, (9, 64)), random.uniform(0.01, 0.02, (9, 2))
    blocks = SourceBlocks("i4z", values.astype(np.int8), scales.astype(np.float32),
                          np.full((9, 2), 3, np.float32))
    floats = (values - 3) * np.repeat(blocks.scales, 32, 1)
    graph = Graph("blocks")
    graph.add_input("x", "f32", (3, 64))
    graph.add("FullyConnected", ["x", graph.add_const("w", floats.astype(np.float32))], ["y"])
    graph.outputs = ["y"]
    graph.tensors["w"].source_blocks = blocks
    made = store_weights(graph, "int8", dynamic=dynamic)
    tensor, weight = made.graph.tensors["w"], made.weights["w"]
    assert tensor.stored == "i4z" and weight.kind == "i4" and 60 < weight.error.sqnr_db < 90
    np.testing.assert_array_equal(
        tensor.data, (values - 3) * np.repeat(scales.astype(np.float16).astype(np.float32), 32, 1))
    graph.tensors["w"].data = graph.const("w") * 2  # a pass that knows nothing of the blocks
    made = store_weights(graph, "int8", dynamic=dynamic)
    assert made.graph.tensors["w"].stored == "i8"
