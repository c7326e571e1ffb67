"""Tests of the passes that move and remove transposes.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

import numpy as np
import pytest

from mace_tools.convert.passes.channel_shuffle import channel_shuffle
from mace_tools.convert.passes.dedupe import dedupe
from mace_tools.convert.passes.fc_after_transpose import fc_after_transpose
from mace_tools.convert.passes.fold_constants import fold_constants
from mace_tools.convert.passes.merge_views import merge_views
from mace_tools.convert.passes.sink_transposes import sink_transposes
from mace_tools.graph import permute
from mace_tools.testing.net import Net

X = (2, 6, 4, 8)  # NCHW


def between_convs(function) -> Net:
    """conv, then what `function` makes of it in NCHW, then conv."""
    net = Net(x=X)
    return net.out(net.conv(function(net, net.conv(net.graph.inputs[0], out=6))))


@pytest.mark.parametrize("perm", list(itertools.permutations(range(3))))
def test_permutation_algebra(perm):
    x = np.arange(24).reshape(2, 3, 4)
    y = x.transpose(perm)
    assert (y.transpose(permute.inverse(perm)) == x).all()
    for second in itertools.permutations(range(3)):
        both = permute.compose(perm, second)
        assert (x.transpose(both) == y.transpose(second)).all()
    for axis in range(3):
        rest = permute.drop(perm, [axis])
        assert (x.max(perm[axis]).transpose(rest) == y.max(axis)).all()
    for axis in range(4):
        wide = np.expand_dims(x, axis).transpose(permute.insert(perm, [axis]))
        assert (wide == np.expand_dims(y, axis)).all()


PASSED = {
    "relu": lambda n, x: n.op("Activation", x, activation="RELU"),
    "clip": lambda n, x: n.op("Clip", x, min=0.0, max=1.0),
    "unary": lambda n, x: n.op("Unary", x, type="ABS"),
    "self product": lambda n, x: n.op("Eltwise", x, x, type="PROD"),
    "plus scalar": lambda n, x: n.op("Eltwise", x, n.const(), type="SUM"),
    "plus channel": lambda n, x: n.op("Eltwise", n.const(6, 1, 1), x, type="SUB"),
    "plus rows": lambda n, x: n.op("Eltwise", x, n.const(4, 1), type="SUM"),
    "plus full": lambda n, x: n.op("Eltwise", x, n.const(2, 6, 4, 8), type="MAX"),
    "prelu": lambda n, x: n.op("PRelu", x, n.const(6, 1, 1)),
    "select": lambda n, x: n.op("Select", n.op("Compare", x, n.const(), type="LESS"), x,
                                n.const(6, 1, 1)),
    "residual": lambda n, x: n.op("Eltwise", x, n.conv(n.graph.inputs[0], out=6), type="SUM"),
    "concat": lambda n, x: n.op("Concat", x, n.conv(n.graph.inputs[0]), axis=1),
    "concat const": lambda n, x: n.op("Concat", x, n.const(2, 1, 4, 8), axis=1),
    "pad": lambda n, x: n.op("Pad", x, paddings=[0, 0, 0, 1, 1, 2, 0, 3]),
    "slice": lambda n, x: n.op("Slice", x, starts=[1, 0], ends=[5, 3], axes=[1, -2]),
    "slice all": lambda n, x: n.op("Slice", x, starts=[0, 1, 0, 2], ends=[2, 5, 4, 8]),
    "split": lambda n, x: n.op("Split", x, outputs=2, axis=1)[0],
    "softmax": lambda n, x: n.op("Softmax", x, axis=1),
    "softmax last": lambda n, x: n.op("Softmax", x, axis=-1),
    "cumsum": lambda n, x: n.op("Cumsum", x, axis=2),
    "reverse": lambda n, x: n.op("Reverse", x, axis=[1, 3]),
    "mean": lambda n, x: n.op("Reduce", x, reduce_type="MEAN", axis=[2, 3], keepdims=1),
    "max": lambda n, x: n.op("Reduce", x, reduce_type="MAX", axis=[-3], keepdims=1),
    "tile": lambda n, x: n.op("Tile", x, repeats=[1, 2, 1, 3]),
    "expand": lambda n, x: n.op("Expand", n.op("Slice", x, starts=[0], ends=[1], axes=[1]),
                                shape=[6, 1, 1]),
    "gather": lambda n, x: n.op("Gather", x, n.value([3, 0, 5], np.int64), axis=1),
    "squeeze": lambda n, x: n.op("ExpandDims", n.op("Squeeze", n.op(
        "Reduce", x, reduce_type="SUM", axis=[2], keepdims=1), axis=[2]), axis=[2]),
    "reduce and expand": lambda n, x: n.op("ExpandDims", n.op(
        "Reduce", x, reduce_type="SUM", axis=[3], keepdims=0), axis=[-1]),
    "regroup": lambda n, x: n.op("Reshape", n.op("Reshape", x, dim=[0, 6, -1]),
                                 dim=[2, 6, 4, 8]),
}  # fmt: skip


@pytest.mark.parametrize("name", PASSED)
def test_nothing_is_transposed_between_convolutions(name):
    net = between_convs(PASSED[name])
    ops = net.check(sink_transposes, fold_constants, dedupe, merge_views)
    at_output = net.graph.producer(net.graph.outputs[0]).op == "Transpose"
    assert ops["Transpose"] == 1 + at_output, ops  # the other one is of the input


def test_squeeze_and_excite_needs_no_transpose():
    def block(n, x):
        gate = n.op("Reduce", x, reduce_type="MEAN", axis=[2, 3], keepdims=0)
        gate = n.op("FullyConnected", gate, n.const(6, 6))
        gate = n.op("Reshape", gate, dim=[2, 6, 1, 1])
        return n.op("Eltwise", x, gate, type="PROD")

    ops = between_convs(block).check(sink_transposes, merge_views)
    assert ops["Transpose"] == 2


def test_a_transpose_stays_where_the_other_operand_would_need_one():
    net = Net(x=X, y=X)
    net.out(net.op("Eltwise", net.conv("x", out=6), "y", type="SUM"))
    assert net.check(sink_transposes)["Transpose"] == 2
    assert net.graph.producer(net.graph.outputs[0]).op == "Eltwise"


def test_the_other_operand_is_transposed_where_that_pays():
    net = Net(x=X, y=X)
    total = net.op("Eltwise", net.conv("x", out=6), "y", type="SUM")
    net.out(net.conv(net.op("Activation", total, activation="RELU")))
    assert net.check(sink_transposes)["Transpose"] == 3  # x, y and the output


def test_an_explicit_transpose_of_the_model_cancels():
    net = Net(x=X)
    net.out(net.op("Reshape", net.nhwc(net.conv("x")), dim=[2, -1, 2]))
    assert net.check(sink_transposes)["Transpose"] == 1


def test_outputs_keep_names_and_order():
    net = Net(x=X)
    inner = net.conv("x")
    net.out(net.op("Activation", inner, activation="RELU"), inner)
    names = list(net.graph.outputs)
    net.check(sink_transposes)
    assert net.graph.outputs == names


def test_shape_of_a_transposed_tensor():
    net = Net(x=X)
    y = net.conv("x")
    whole = net.op("Shape", y, output_type="i64")
    part = net.op("Shape", y, output_type="i32", start=1, end=3)
    net.out(net.conv(y), whole, part)
    assert net.check(sink_transposes)["Transpose"] == 2


@pytest.mark.parametrize("flatten", [
    lambda n, x: n.op("Flatten", x, axis=1),
    lambda n, x: n.op("Reshape", x, dim=[0, -1]),
    lambda n, x: n.op("Reshape", x, dim=[2, 192]),
])  # fmt: skip
def test_weights_after_flatten_are_reordered_instead(flatten):
    net = Net(x=X)
    y = flatten(net, net.conv("x", out=6))
    net.out(net.op("FullyConnected", y, net.const(5, 192)))
    assert net.check(sink_transposes, fc_after_transpose)["Transpose"] == 1


@pytest.mark.parametrize("dim", [[0, 0], [-1, 0]])
def test_an_extent_copied_from_an_axis_that_moves(dim):
    net = Net(x=(2, 1, 1, 6))
    y = net.op("Reshape", net.nchw("x"), dim=dim)
    net.out(net.op("FullyConnected", y, net.const(5, 6)))
    assert net.check(fc_after_transpose)["Transpose"] == 0
    assert net.graph.producer(y).inputs == ["x"]


def test_a_flatten_that_mixes_the_batch_keeps_its_transpose():
    net = Net(x=(2, 6, 1, 8))
    y = net.op("Reshape", net.conv("x", out=6), dim=[1, 96])
    net.out(net.op("FullyConnected", y, net.const(5, 96)))
    assert net.check(sink_transposes, fc_after_transpose, merge_views)["Transpose"] == 2


@pytest.mark.parametrize("first", [True, False])
def test_channel_shuffle(first):
    net = Net(x=X)
    y = net.conv("x", out=6) if first else net.op("Unary", "x", type="ABS")
    shape, dims = ([2, 3, 2, 4, 8], [0, 2, 1, 3, 4]) if first else ([2, 6, 4, 2, 4],
                                                                    [0, 1, 2, 4, 3])
    y = net.op("Transpose", net.op("Reshape", y, dim=shape), dims=dims)
    y = net.op("Reshape", y, dim=list(X))
    net.out(net.conv(y))
    ops = net.check(channel_shuffle, sink_transposes)
    assert ops["ChannelShuffle"] == 1 and ops["Reshape"] == 0 and ops["Transpose"] == 2


def test_transposes_of_ones_become_reshapes_and_merge():
    net = Net(x=(3, 4, 2, 5))
    mean = net.op("Reduce", "x", reduce_type="MEAN", axis=[1, 2], keepdims=1)  # 1 in every run
    y = net.op("Flatten", net.nchw(net.op("Unary", mean, type="ABS")), axis=1)
    net.out(net.op("Squeeze", net.op("ExpandDims", y, axis=[0]), axis=[0]))
    assert net.check(merge_views) == {"Reduce": 1, "Unary": 1, "Reshape": 1}


def test_equal_nodes_and_constants_are_merged():
    net = Net(x=X)
    a, b = (net.op("Eltwise", net.nhwc("x"), net.value([2.0]), type="PROD") for _ in "ab")
    net.out(net.op("Eltwise", a, b, type="SUM"))
    assert net.check(dedupe) == {"Transpose": 1, "Eltwise": 2}
    assert sum(t.is_const for t in net.graph.tensors.values()) == 1
