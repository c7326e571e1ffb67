"""Transformers become few nodes, for any batch and any number of words, and stay what they were.

SPDX-License-Identifier: Apache-2.0
"""

from collections import Counter

import numpy as np
import onnx
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.testing import transformers as nets
from mace_tools.testing.by_onnxruntime import Session
from mace_tools.testing.transformers import CHANNELS, DEPTH, HEADS, Net, T

RNG = np.random.default_rng(4)
MAX_NODES = 14  # of a block


def loaded(folder, model, shapes=None):
    """The converted model, with open dimensions where its inputs have names."""
    path = folder / "m.onnx"
    onnx.save(model, path)
    shapes = shapes or {i.name: tuple(d.dim_value or None for d in i.type.tensor_type.shape.dim)
                        for i in model.graph.input}
    return convert(importers.load("onnx", path, shapes))


def check(model, graph, feeds):
    session = Session(model.SerializeToString())
    want = session.run(None, feeds)
    got = reference.run(graph, feeds)
    for info, array in zip(model.graph.output, want):
        np.testing.assert_allclose(got[info.name], array, rtol=1e-4,
                                   atol=2e-6 * max(1, np.abs(array).max(initial=0)))


NETS = nets.with_feeds(RNG)


@pytest.mark.parametrize("name", NETS)
def test_few_nodes_a_block(tmp_path, name):
    make, feeds = NETS[name]
    one, three = (loaded(tmp_path, make(blocks)) for blocks in (1, 3))
    block = Counter(n.op for n in three.nodes) - Counter(n.op for n in one.nodes)
    assert sum(block.values()) <= 2 * MAX_NODES, block
    assert block["Attention"] == 2
    assert not {"Softmax", "Transpose", "Reshape", "MatMul", "Shape"} & set(block)
    model = make(2)
    graph = loaded(tmp_path, model)
    for batch, sequence in ((1, 1), (1, 7), (3, 20)):
        check(model, graph, feeds(batch, sequence))


@pytest.mark.parametrize("kv_heads", [HEADS, 2, 1])
@pytest.mark.parametrize("batch", [None, 2, 1])
def test_a_decoder_with_a_cache(tmp_path, kv_heads, batch):
    """Step by step, with the keys and values that each step leaves to the next; for any batch, and
    for a fixed one."""
    model = nets.cached_decoder(2, kv_heads)
    shapes = {i.name: (batch, *(d.dim_value or None for d in i.type.tensor_type.shape.dim[1:]))
              for i in model.graph.input}
    graph = loaded(tmp_path, model, shapes)
    ops = Counter(n.op for n in graph.nodes)
    assert ops["Attention"] == 2 and not ops["Softmax"] and not ops["Expand"], ops
    session = Session(model.SerializeToString())
    names = [i.name for i in model.graph.input[1:]]
    rows = batch or 2
    state = {n: np.zeros((rows, kv_heads, 0, DEPTH), np.float32) for n in names}
    for count in (5, 1, 1, 3):
        feeds = {"ids": nets.words(RNG, rows, count), **state}
        check(model, graph, feeds)
        state = dict(zip(names, session.run(None, feeds)[1:]))
    assert state["past_k0"].shape == (rows, kv_heads, 10, DEPTH)


def single(build, shapes=None, **inputs):
    """A model of what `build` makes of q, k and v, [2, 6, CHANNELS] or as `shapes` says."""
    net = Net(7)
    out = build(net)
    names = {n: (T.FLOAT, ["n", "s", CHANNELS]) for n in "qkv"}
    return net.model({**names, **inputs}, [out])


def plain(net, mask="", **_):
    return net.join(net.attend(net.split("q"), net.split("k", perm=(0, 2, 3, 1)),
                               net.split("v"), mask))


def both_scaled(net):
    """As torch exports scaled_dot_product_attention."""
    root = net.number(DEPTH**-0.25)
    q = net.op("Mul", net.split("q"), root)
    k = net.op("Mul", net.op("Transpose", net.split("k"), perm=[0, 1, 3, 2]), root)
    p = net.op("Softmax", net.op("MatMul", q, k), axis=-1)
    p = net.op("Where", net.op("IsNaN", p), net.number(0), p)
    return net.join(net.op("MatMul", p, net.split("v")))


def unscaled(net):
    scores = net.op("MatMul", net.split("q"), net.split("k", perm=(0, 2, 3, 1)))
    return net.join(net.op("MatMul", net.op("Softmax", scores, axis=-1), net.split("v")))


def without_joining(net):
    return net.attend(net.split("q"), net.split("k", perm=(0, 2, 3, 1)), net.split("v"))


def zeros_copy(net):
    def split(x, perm=(0, 2, 1, 3)):
        return net.op("Transpose", net.op("Reshape", x, net.ints(0, -1, HEADS, DEPTH)),
                      perm=list(perm))
    y = net.attend(split("q"), split("k", (0, 2, 3, 1)), split("v"))
    return net.op("Reshape", net.op("Transpose", y, perm=[0, 2, 1, 3]), net.ints(0, 0, CHANNELS))


@pytest.mark.parametrize("build", [plain, both_scaled, unscaled, without_joining, zeros_copy])
def test_spellings(tmp_path, build):
    def behind_layers(net):
        for name in "qkv":  # whose features are certain
            net.nodes.append(onnx.helper.make_node(
                "MatMul", [f"{name}_in", net.weight(CHANNELS, CHANNELS)], [name]))
        return build(net)

    net = Net(7)
    out = behind_layers(net)
    model = net.model({f"{n}_in": (T.FLOAT, ["n", "s", CHANNELS]) for n in "qkv"}, [out])
    graph = loaded(tmp_path, model)
    ops = Counter(n.op for n in graph.nodes)
    assert ops["Attention"] == 1 and not ops["Softmax"], ops
    if build is not without_joining:
        assert not ops["Transpose"] and not ops["Reshape"], ops
    for n, s in ((1, 3), (4, 9)):
        check(model, graph, {f"{c}_in": RNG.normal(size=(n, s, CHANNELS)).astype("f")
                             for c in "qkv"})


def other_rows(net):
    """The batch and the rows change places: what looks like heads is none."""
    swapped = net.op("Concat", net.extent("q", 1), net.extent("q", 0), net.ints(HEADS),
                     net.ints(DEPTH), axis=0)
    def split(x, perm=(0, 2, 1, 3)):
        return net.op("Transpose", net.op("Reshape", x, swapped), perm=list(perm))
    y = net.attend(split("q"), split("k", (0, 2, 3, 1)), split("v"))
    return net.op("Reshape", net.op("Transpose", y, perm=[0, 2, 1, 3]), net.shape("q", CHANNELS))


def softmax_of_rows(net):
    scores = net.op("MatMul", net.split("q"), net.split("k", perm=(0, 2, 3, 1)))
    return net.join(net.op("MatMul", net.op("Softmax", scores, axis=2), net.split("v")))


def scores_used_twice(net):
    scores = net.op("MatMul", net.split("q"), net.split("k", perm=(0, 2, 3, 1)))
    y = net.join(net.op("MatMul", net.op("Softmax", scores, axis=-1), net.split("v")))
    return net.op("Add", y, net.op("ReduceMax", scores, keepdims=0))


def masked_a_little(net):
    """A number that does not hide a key."""
    scores = net.op("MatMul", net.split("q"), net.split("k", perm=(0, 2, 3, 1)))
    low = net.op("Where", net.op("Less", scores, net.number(0)), scores, net.number(-1.0))
    return net.join(net.op("MatMul", net.op("Softmax", low, axis=-1), net.split("v")))


def masked_by_a_triangle(number):
    """A number that hides no key of a constant triangle."""
    def build(net):
        scores = net.op("MatMul", net.split("q"), net.split("k", perm=(0, 2, 3, 1)))
        rows = net.op("Squeeze", net.extent("q", 1), net.ints(0))
        sees = net.op("Slice", net.const(np.tri(8), bool), net.ints(0, 0), net.op(
            "Concat", *[net.op("Unsqueeze", rows, net.ints(0))] * 2, axis=0), net.ints(0, 1))
        low = net.op("Where", sees, scores, net.number(number))
        return net.join(net.op("MatMul", net.op("Softmax", low, axis=-1), net.split("v")))
    return build


@pytest.mark.parametrize("build, fused", [
    (other_rows, True), (softmax_of_rows, False), (scores_used_twice, False),
    (masked_a_little, False), (masked_by_a_triangle(0.0), False),
    (masked_by_a_triangle(-1.0), False), (masked_by_a_triangle(-1e4), True)])
def test_what_only_looks_like_attention_stays_right(tmp_path, build, fused):
    model = single(build)
    graph = loaded(tmp_path, model)
    assert Counter(n.op for n in graph.nodes)["Attention"] == int(fused)
    for n, s in ((2, 3), (3, 5)):
        check(model, graph, {c: RNG.normal(size=(n, s, CHANNELS)).astype("f") for c in "qkv"})


def probabilities_read_twice(net):
    p = net.op("Softmax", net.op("MatMul", net.split("q"), net.split("k", perm=(0, 2, 3, 1))),
               axis=-1)
    known = net.op("Where", net.op("IsNaN", p), net.number(0), p)
    y = net.join(net.op("MatMul", known, net.split("v")))
    return net.op("Add", y, net.op("ReduceMax", p, keepdims=0))


def root_without_nan(net):
    root = net.op("Sqrt", "q")
    known = net.op("Where", net.op("IsNaN", root), net.number(0), root)
    return net.op("MatMul", known, net.weight(CHANNELS, CHANNELS))


@pytest.mark.parametrize("build", [root_without_nan, probabilities_read_twice])
def test_what_replaces_nan_stays_where_there_is_no_attention(tmp_path, build):
    model = single(build)
    graph = loaded(tmp_path, model)
    assert "IS_NAN" in [n.attr("type") for n in graph.nodes if n.op == "Unary"]
    check(model, graph, {c: RNG.normal(size=(2, 3, CHANNELS)).astype("f")
                         for c in "qkv" if c in graph.inputs})


def test_a_query_without_keys_where_numbers_are_added(tmp_path):
    """The smallest float absorbs the scores, so that all keys count the same."""
    model = nets.encoder(1)
    mask = np.array([[1, 1, 0, 0], [0, 0, 0, 0]])
    check(model, loaded(tmp_path, model), {"ids": nets.words(RNG, 2, 4), "mask": mask})
