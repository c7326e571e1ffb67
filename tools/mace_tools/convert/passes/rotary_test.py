"""Rotary embeddings in all their spellings become one node, and decoders stay what they were.

SPDX-License-Identifier: Apache-2.0
"""

from collections import Counter

import numpy as np
import pytest
from onnx import TensorProto as T

from mace_tools.convert.passes.transformers_test import MAX_NODES, check, loaded
from mace_tools.testing import rotary_nets
from mace_tools.testing.by_onnxruntime import Session
from mace_tools.testing.rotary_nets import KV_HEADS, SPELLINGS, RotaryNet, llama
from mace_tools.testing.transformers import DEPTH, Net, words

RNG = np.random.default_rng(5)
CASES = [(spelling, size, False) for spelling in SPELLINGS for size in (DEPTH, DEPTH // 2)]
CASES += [(spelling, DEPTH // 2, True) for spelling in SPELLINGS if spelling != "operator"]


def places(batch, sequence):
    """Of words of which those of the second text begin later."""
    return np.arange(sequence)[None] + 3 * np.arange(batch)[:, None]


@pytest.mark.parametrize("spelling, size, rows_first", CASES)
def test_few_nodes_a_block(tmp_path, spelling, size, rows_first):
    def net(blocks):
        return llama(blocks, spelling, size, rows_first=rows_first)

    one, three = (loaded(tmp_path, net(blocks)) for blocks in (1, 3))
    block = Counter(n.op for n in three.nodes) - Counter(n.op for n in one.nodes)
    assert sum(block.values()) <= 2 * MAX_NODES, block
    assert block["Attention"] == block["RotaryEmbedding"] == 2
    assert not {"Softmax", "Transpose", "Reshape", "Concat", "Slice", "Expand"} & set(block)
    model = net(2)
    graph = loaded(tmp_path, model)
    for batch, sequence in ((1, 1), (1, 7), (3, 20)):
        check(model, graph, {"ids": words(RNG, batch, sequence),
                             "places": places(batch, sequence)})


@pytest.mark.parametrize("spelling", ["halves", "pairs", "operator"])
def test_a_decoder_with_a_cache(tmp_path, spelling):
    """Keys are turned before they join those of earlier words."""
    model = llama(2, spelling, cached=True)
    graph = loaded(tmp_path, model)
    ops = Counter(n.op for n in graph.nodes)
    assert ops["Attention"] == ops["RotaryEmbedding"] == 2 and not ops["Softmax"], ops
    session = Session(model.SerializeToString())
    names = [i.name for i in model.graph.input[2:]]
    state = {n: np.zeros((2, KV_HEADS, 0, DEPTH), np.float32) for n in names}
    seen = 0
    for count in (5, 1, 3):
        feeds = {"ids": words(RNG, 2, count), "places": places(2, count) + seen, **state}
        check(model, graph, feeds)
        state = dict(zip(names, session.run(None, feeds)[1:]))
        seen += count


def single(build, wide=DEPTH, angles=(1, 1, 6)):
    """A model of what `build` makes of x [n, 2, 6, DEPTH] and angles of this shape."""
    net = Net(7)
    out = build(net)
    inputs = {n: (T.FLOAT, [*angles, wide]) for n in ("cos", "sin")}
    return net.model({"x": (T.FLOAT, ["n", 2, 6, DEPTH]), **inputs}, [out])


def halves(net, first="x", second="x"):
    size = DEPTH // 2
    part = RotaryNet.part
    minus = net.op("Neg", part(net, second, size, rotary_nets.END))
    return net.op("Concat", minus, part(net, second, 0, size), axis=-1)


def turned(net, other, x="x"):
    return net.op("Add", net.op("Mul", x, "cos"), net.op("Mul", other, "sin"))


def the_other_sign(net):
    part, size = RotaryNet.part, DEPTH // 2
    minus = net.op("Neg", part(net, "x", 0, size))
    return turned(net, net.op("Concat", part(net, "x", size, rotary_nets.END), minus, axis=-1))


def another_tensor(net):
    return turned(net, halves(net, second=net.op("Exp", "x")))


def uneven_parts(net):
    part = RotaryNet.part
    minus = net.op("Neg", part(net, "x", 3, rotary_nets.END))
    return turned(net, net.op("Concat", minus, part(net, "x", 0, 3), axis=-1))


def along_rows(net):
    first, second = net.ops("Split", ["x"], 2, axis=2)
    return turned(net, net.op("Concat", net.op("Neg", second), first, axis=2))


def mixed_axes(net):
    """A reshape that does not keep the first axes."""
    flat = net.op("Reshape", "x", net.ints(-1, 6, 2, DEPTH // 2, 2))
    even, odd = (net.op("Gather", flat, net.const(i, np.int64), axis=4) for i in range(2))
    pair = [net.op("Unsqueeze", p, net.ints(-1)) for p in (net.op("Neg", odd), even)]
    other = net.op("Reshape", net.op("Concat", *pair, axis=-1), net.ints(-1, 2, 6, DEPTH))
    # What was moved comes back: it is a rotation, but not one that is recognised.
    return turned(net, other)


def other_axes(net):
    flat = net.op("Reshape", "x", net.ints(-1, 6, 2, DEPTH))
    other = halves(net, second=net.op("Transpose", flat, perm=[0, 2, 1, 3]))
    return turned(net, other)


LOOK_ALIKES = [the_other_sign, another_tensor, uneven_parts, along_rows, mixed_axes, other_axes]


@pytest.mark.parametrize("build", LOOK_ALIKES)
def test_what_only_looks_like_it_stays_right(tmp_path, build):
    model = single(build)
    graph = loaded(tmp_path, model)
    assert "RotaryEmbedding" not in {n.op for n in graph.nodes}
    check_single(model, graph, (1, 1, 6, DEPTH))


def check_single(model, graph, angles):
    for n in (1, 3):
        check(model, graph, {"x": RNG.normal(size=(n, 2, 6, DEPTH)).astype("f"),
                             **{a: RNG.normal(size=angles).astype("f") for a in ("cos", "sin")}})


@pytest.mark.parametrize("angles", [(1, 1, 6), (1, 2, 6), (1, 2, 1)])
def test_angles_of_other_shapes(tmp_path, angles):
    """Not only cosines and sines: each element has two factors of its own."""
    model = single(lambda net: turned(net, halves(net)), angles=angles)
    graph = loaded(tmp_path, model)
    assert [n.op for n in graph.nodes] == ["RotaryEmbedding"]
    check_single(model, graph, (*angles, DEPTH))


def test_angles_that_x_broadcasts_to(tmp_path):
    """The operator would refuse them, so that the nodes stay as they are."""
    model = single(lambda net: turned(net, halves(net)), angles=(3, 2, 6))
    graph = loaded(tmp_path, model)
    assert "RotaryEmbedding" not in {n.op for n in graph.nodes}
    check_single(model, graph, (3, 2, 6, DEPTH))


def test_parts_of_wider_tensors(tmp_path):
    """Heads and angles that are slices: GPT-NeoX's packed products, tables of cosines and sines."""
    def build(net):
        half = DEPTH // 2
        x = RotaryNet.part(net, "x", 2, 6)
        a, b = net.ops("Split", [x, net.ints(2, 2)], 2, axis=-1)
        c, s = (RotaryNet.part(net, "cos", 1, 3), RotaryNet.part(net, "cos", half, half + 2))
        real = net.op("Sub", net.op("Mul", a, c), net.op("Mul", b, s))
        imaginary = net.op("Add", net.op("Mul", s, a), net.op("Mul", c, b))
        return net.op("Concat", real, imaginary, RotaryNet.part(net, "x", 6, 8), axis=3)

    model = single(build)
    graph = loaded(tmp_path, model)
    ops = Counter(n.op for n in graph.nodes)
    assert ops == {"RotaryEmbedding": 1, "Slice": 3}, ops
    assert next(n for n in graph.nodes if n.op == "RotaryEmbedding").attr("size") == 4
    check_single(model, graph, (1, 1, 6, DEPTH))


def test_a_tensor_joined_with_itself_again_and_again(tmp_path):
    """What is followed is limited: a model of few nodes may stand for very many elements."""
    def build(net):
        x = net.op("Add", net.op("Mul", "x", "cos"), net.op("Mul", "x", "sin"))
        for _ in range(20):
            x = net.op("Concat", x, x, axis=-1)
            x = net.op("Slice", x, net.ints(0), net.ints(DEPTH), net.ints(-1))
            x = net.op("Concat", x, net.op("Neg", x), axis=-1)
        return RotaryNet.part(net, x, 0, DEPTH)

    model = single(build)
    graph = loaded(tmp_path, model)
    assert "RotaryEmbedding" not in {n.op for n in graph.nodes}
