"""Tests of the passes that fold, fuse and remove.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.passes.activation_patterns import activation_patterns
from mace_tools.convert.passes.flatten_atrous import flatten_atrous
from mace_tools.convert.passes.fold_constants import fold_constants
from mace_tools.convert.passes.fold_pad import fold_pad
from mace_tools.convert.passes.fold_scale import fold_scale
from mace_tools.convert.passes.fuse_activation import canonical_activations, fuse_activation
from mace_tools.convert.passes.fuse_bias import fuse_bias
from mace_tools.convert.passes.matmul_to_fc import matmul_to_fc
from mace_tools.convert.passes.prelu_pattern import prelu_pattern
from mace_tools.convert.passes.remove_noops import remove_noops
from mace_tools.graph.ir import Quant
from mace_tools.testing.net import Net

X = (2, 5, 7, 6)  # NHWC

LAYERS = {
    "Conv2d": lambda n: n.op("Conv2d", "x", n.const(8, 6, 3, 3)),
    "Conv2d with bias": lambda n: n.op("Conv2d", "x", n.const(8, 6, 1, 1), n.const(8)),
    "grouped": lambda n: n.op("Conv2d", "x", n.const(8, 3, 1, 1), group=2),
    "depthwise": lambda n: n.op("DepthwiseConv2d", "x", n.const(1, 6, 3, 3)),
    "depthwise x2": lambda n: n.op("DepthwiseConv2d", "x", n.const(2, 6, 3, 3), n.const(12)),
    "deconvolution": lambda n: n.op("Deconv2d", "x", n.const(8, 6, 2, 2), strides=[2, 2]),
    "grouped deconvolution": lambda n: n.op("Deconv2d", "x", n.const(8, 3, 2, 2), group=2),
    "fully connected": lambda n: n.op("FullyConnected", "x", n.const(4, 6), n.const(4)),
}  # fmt: skip


def channels(net: Net, name: str) -> int:
    return net.graph.shape(name)[-1]


@pytest.mark.parametrize("layer", LAYERS)
def test_batch_norm_and_activation_become_part_of_the_layer(layer):
    net = Net(x=X)
    y = LAYERS[layer](net)
    c = channels(net, y)
    y = net.op("BatchNorm", y, net.const(c), net.const(c), net.const(c), net.const(c, low=0.1),
               epsilon=1e-3)
    net.out(net.op("Activation", y, activation="RELUX", max_limit=6.0))
    assert len(net.check(fold_scale, fuse_activation)) == len(net.graph.nodes) == 1
    assert net.graph.nodes[0].attrs["max_limit"] == 6.0


@pytest.mark.parametrize("layer", LAYERS)
def test_scale_and_shift_in_any_spelling(layer):
    net = Net(x=X)
    y = LAYERS[layer](net)
    c = channels(net, y)
    y = net.op("Eltwise", net.const(c), y, type="PROD")
    y = net.op("BiasAdd", y, net.const(c))
    y = net.op("Eltwise", y, net.const(1, 1, 1, c, low=0.5), type="DIV")
    y = net.op("Eltwise", y, net.const(1, c), type="SUB")
    net.out(net.op("Eltwise", net.const(), y, type="SUB", activation="TANH"))
    net.check(fold_scale, fuse_bias, fold_scale, fuse_bias, tolerance=1e-4)
    assert [n.attrs.get("activation") for n in net.graph.nodes] == ["TANH"]


@pytest.mark.parametrize("axes, left", [([1], 2), ([0, -2], 2), ([-1], 4)])
def test_axes_that_are_added_before_the_channels_are_looked_through(axes, left):
    net = Net(x=X)
    y = LAYERS["Conv2d"](net)
    c = channels(net, y)
    y = net.op("ExpandDims", y, axis=axes)
    shape = (c,) if axes != [-1] else (1,)
    y = net.op("BiasAdd", y, net.const(*shape))
    y = net.op("Eltwise", y, net.const(*shape, low=0.5), type="PROD")
    net.out(y)
    net.check(fold_scale, fuse_bias, fold_scale, fuse_bias, tolerance=1e-4)
    assert len(net.graph.nodes) == left


@pytest.mark.parametrize("after", [
    lambda n, y: n.op("Eltwise", y, n.const(5, 1, 6), type="PROD"),       # not per channel
    lambda n, y: n.op("Eltwise", n.const(6), y, type="DIV"),              # c / y is not linear
    lambda n, y: n.op("Eltwise", y, n.const(1, 1, 1, 1, 6), type="PROD"),  # changes the rank
    lambda n, y: n.op("Eltwise", y, n.const(6), type="MAX"),
])  # fmt: skip
def test_what_is_not_an_affine_map_per_channel_stays(after):
    net = Net(x=X)
    net.out(after(net, net.op("Conv2d", "x", net.const(6, 6, 1, 1))))
    assert net.check(fold_scale, fuse_bias)["Eltwise"] == 1


def test_a_result_that_others_see_is_not_fused():
    net = Net(x=X)
    y = net.op("Conv2d", "x", net.const(6, 6, 1, 1))
    net.out(net.op("Activation", y, activation="RELU"), y)
    assert net.check(fuse_activation)["Activation"] == 1
    net = Net(x=X)
    y = net.op("Conv2d", "x", net.const(6, 6, 1, 1))
    y = net.op("Eltwise", net.op("Eltwise", y, net.const(6), type="PROD"), y, type="SUM")
    net.out(y)
    assert net.check(fold_scale)["Eltwise"] == 2


def test_a_shared_weight_is_scaled_for_one_layer_only():
    net = Net(x=X)
    w = net.const(6, 6, 1, 1)
    a, b = net.op("Conv2d", "x", w), net.op("Conv2d", "x", w)
    net.out(net.op("Eltwise", a, net.const(6), type="PROD"), b)
    assert net.check(fold_scale) == {"Conv2d": 2}


def test_no_second_activation_is_fused():
    net = Net(x=X)
    y = net.op("Conv2d", "x", net.const(6, 6, 1, 1), activation="RELU")
    y = net.op("BatchNorm", y, *(net.const(6, low=0.1) for _ in range(4)))
    net.out(net.op("Activation", y, activation="TANH"))
    assert net.check(fold_scale, fuse_activation) == {"Conv2d": 1, "BatchNorm": 1}


def test_an_activation_is_fused_past_a_reshape():
    net = Net(x=X)
    y = net.op("Reshape", net.op("Conv2d", "x", net.const(6, 6, 1, 1)), dim=[2, -1])
    net.out(net.op("Activation", y, activation="SIGMOID"))
    assert net.check(fuse_activation) == {"Conv2d": 1, "Reshape": 1}


def test_clips_and_maxima_are_activations():
    net = Net(x=X)
    y = net.op("Clip", net.op("Clip", "x", min=0.0), min=0.0, max=6.0)
    y = net.op("Eltwise", net.value(0.0), y, type="MAX")
    net.out(y, net.op("Clip", "x", min=-1.0, max=1.0))
    assert net.check(canonical_activations) == {"Activation": 3, "Clip": 1}


def relu6(net: Net, x: str) -> str:
    y = net.op("Eltwise", x, net.value(3.0), type="SUM")
    return net.op("Activation", y, activation="RELUX", max_limit=6.0)


PATTERNS = {
    "SWISH": lambda n: n.op("Eltwise", n.op("Activation", "x", activation="SIGMOID"), "x",
                            type="PROD"),
    "HARDSIGMOID": lambda n: n.op("Eltwise", relu6(n, "x"), n.value(6.0), type="DIV"),
    "SWISH.": lambda n: n.op("Eltwise", "x", n.op("Activation", n.op(
        "Eltwise", "x", n.value(1.702), type="PROD"), activation="SIGMOID"), type="PROD"),
    "HARDSWISH": lambda n: n.op("Eltwise", "x", n.op(
        "Eltwise", relu6(n, "x"), n.value(1 / 6), type="PROD"), type="PROD"),
    "HARDSWISH.": lambda n: n.op("Eltwise", n.op(
        "Eltwise", "x", relu6(n, "x"), type="PROD"), n.value(6.0), type="DIV"),
    "GELU": lambda n: n.op("Eltwise", n.op("Eltwise", "x", n.op("Eltwise", n.value(1.0), n.op(
        "Unary", n.op("Eltwise", "x", n.value(np.sqrt(2)), type="DIV"), type="ERF"),
        type="SUM"), type="PROD"), n.value(0.5), type="PROD"),
    "GELU.": lambda n: n.op("Eltwise", n.op("Eltwise", n.value(0.5), "x", type="PROD"), n.op(
        "Eltwise", n.op("Unary", n.op("Eltwise", "x", n.value(np.sqrt(0.5)), type="PROD"),
                        type="ERF"), n.value(1.0), type="SUM"), type="PROD"),
    # As tf.nn.gelu writes it.
    "GELU..": lambda n: n.op("Eltwise", n.op("Eltwise", n.value(0.5), "x", type="PROD"), erfc(
        n, n.op("Eltwise", n.op("Unary", "x", type="NEG"), n.value(np.sqrt(0.5)), type="PROD")),
        type="PROD"),
    "GELU...": lambda n: n.op("Eltwise", n.op("Eltwise", "x", erfc(n, n.op(
        "Eltwise", "x", n.value(-np.sqrt(2)), type="DIV")), type="PROD"), n.value(2.0), type="DIV"),
    "GELU....": lambda n: n.op("Eltwise", "x", n.op("Eltwise", n.op("Eltwise", n.op(
        "Unary", n.op("Eltwise", "x", n.value(np.sqrt(2)), type="DIV"), type="ERF"), n.value(0.5),
        type="PROD"), n.value(0.5), type="SUM"), type="PROD"),
}  # fmt: skip


def erfc(net, name):
    return net.op("Unary", name, type="ERFC")


@pytest.mark.parametrize("kind, factor", [("DIV", 6.0003), ("PROD", 0.1667)])
def test_another_slope_is_no_hard_sigmoid(kind, factor):
    net = Net(x=(2, 3))
    net.out(net.op("Eltwise", relu6(net, "x"), net.value(factor), type=kind))
    assert net.check(activation_patterns)["Eltwise"] == 2


NO_GELU = {
    "a quarter": lambda n: n.op("Eltwise", n.op("Eltwise", n.value(0.25), "x", type="PROD"), erfc(
        n, n.op("Eltwise", "x", n.value(-np.sqrt(0.5)), type="PROD")), type="PROD"),
    "of x, not -x": lambda n: n.op("Eltwise", n.op("Eltwise", n.value(0.5), "x", type="PROD"), erfc(
        n, n.op("Eltwise", "x", n.value(np.sqrt(0.5)), type="PROD")), type="PROD"),
    "of another tensor": lambda n: n.op("Eltwise", n.op(
        "Eltwise", n.value(0.5), n.op("Unary", "x", type="ABS"), type="PROD"), erfc(
        n, n.op("Eltwise", "x", n.value(-np.sqrt(0.5)), type="PROD")), type="PROD"),
    "divided by it": lambda n: n.op("Eltwise", n.op(
        "Eltwise", n.value(0.5), "x", type="PROD"), erfc(n, n.op(
            "Eltwise", "x", n.value(-np.sqrt(0.5)), type="PROD")), type="DIV"),
    "a number divided": lambda n: n.op("Eltwise", n.op(
        "Eltwise", n.value(0.5), "x", type="PROD"), erfc(n, n.op(
            "Eltwise", n.value(-np.sqrt(0.5)), "x", type="DIV")), type="PROD"),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_GELU)
def test_what_resembles_gelu_stays(name):
    net = Net(x=X)
    net.out(NO_GELU[name](net))
    net.check(activation_patterns)
    assert all(n.op != "Activation" for n in net.graph.nodes)


@pytest.mark.parametrize("name", PATTERNS)
def test_written_out_activations_are_found(name):
    net = Net(x=X)
    net.out(PATTERNS[name](net))
    net.check(activation_patterns)
    assert [n.attrs["activation"] for n in net.graph.nodes] == [name.rstrip(".")]


WIDER = {
    "hard sigmoid": lambda n: n.op("Eltwise", relu6(n, "x"), n.value([[[6.0]]]), type="DIV"),
    "of a sum": lambda n: n.op("Eltwise", n.op("Activation", n.op(
        "Eltwise", "x", n.value([[[3.0]]]), type="SUM"), activation="RELUX", max_limit=6.0),
        n.value(6.0), type="DIV"),
    "swish": lambda n: n.op("Eltwise", "x", n.op("Activation", n.op(
        "Eltwise", "x", n.value([[[1.702]]]), type="PROD"), activation="SIGMOID"), type="PROD"),
    "hard swish": lambda n: n.op("Eltwise", n.op(
        "Eltwise", "x", relu6(n, "x"), type="PROD"), n.value([[[6.0]]]), type="DIV"),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDER)
def test_numbers_that_add_axes_make_no_activation(name):
    net = Net(x=(4,))
    net.out(WIDER[name](net))
    net.check(activation_patterns)
    assert net.graph.producer(net.graph.outputs[0]).op == "Eltwise"


def test_six_over_relu6_is_no_hard_sigmoid():
    net = Net(x=X)
    net.out(net.op("Eltwise", net.value(6.0), relu6(net, "x"), type="DIV"))
    before = len(net.graph.nodes)
    activation_patterns(net.graph)
    assert len(net.graph.nodes) == before


@pytest.mark.parametrize("spelling", ["abs", "negated"])
def test_written_out_prelu_is_found(spelling):
    net = Net(x=X)
    positive = net.op("Activation", "x", activation="RELU")
    if spelling == "abs":
        low = net.op("Eltwise", "x", net.op("Unary", "x", type="ABS"), type="SUB")
        low = net.op("Eltwise", net.op("Eltwise", net.const(6), low, type="PROD"),
                     net.value(0.5), type="PROD")
    else:
        low = net.op("Activation", net.op("Unary", "x", type="NEG"), activation="RELU")
        low = net.op("Eltwise", net.const(6), low, type="PROD")
    net.out(net.op("Eltwise", positive, low, type="SUM"))
    assert net.check(prelu_pattern) == {"PRelu": 1}


@pytest.mark.parametrize("flags", [{}, {"transpose_b": 1}])
def test_a_product_with_a_constant_is_a_layer(flags):
    net = Net(x=(3, 4, 6))
    w = net.const(8, 6) if flags else net.const(6, 8)
    net.out(net.op("Eltwise", net.op("MatMul", "x", w, **flags), net.const(8), type="SUM"))
    assert net.check(matmul_to_fc, fuse_bias) == {"FullyConnected": 1}


def test_transposes_become_flags_of_matmul():
    net = Net(x=(2, 3, 4), y=(2, 3, 5))
    net.out(net.op("MatMul", net.op("Transpose", "x", dims=[0, 2, 1]), "y"))
    assert net.check(matmul_to_fc) == {"MatMul": 1}


def test_atrous_convolution():
    net = Net(x=(1, 9, 10, 4))
    y = net.op("SpaceToBatchNd", "x", block_shape=[2, 2], paddings=[2, 3, 2, 2])
    y = net.op("Conv2d", y, net.const(5, 4, 3, 3), net.const(5), activation="RELU")
    net.out(net.op("BatchToSpaceNd", y, block_shape=[2, 2], crops=[0, 1, 0, 0]))
    assert net.check(flatten_atrous) == {"Conv2d": 1}


@pytest.mark.parametrize("axis, kernel", [(1, (1, 3)), (-3, (1, 3)), (2, (3, 1))])
def test_atrous_convolution_over_one_axis(axis, kernel):
    """As Keras writes Conv1D(dilation_rate=2, padding="causal")."""
    net = Net(x=(2, 9, 4))
    y = net.op("SpaceToBatchNd", "x", block_shape=[2], paddings=[4, 1])
    y = net.op("Conv2d", net.op("ExpandDims", y, axis=[axis]), net.const(5, 4, *kernel))
    y = net.op("Squeeze", y, axis=[axis])
    net.out(net.op("BatchToSpaceNd", y, block_shape=[2], crops=[0, 1]))
    assert net.check(flatten_atrous) == {"ExpandDims": 1, "Conv2d": 1, "Squeeze": 1}


def test_atrous_with_stride_stays():
    net = Net(x=(1, 8, 8, 4))
    y = net.op("SpaceToBatchNd", "x", block_shape=[2, 2], paddings=[0, 0, 0, 0])
    y = net.op("Conv2d", y, net.const(5, 4, 2, 2), strides=[2, 2])
    net.out(net.op("BatchToSpaceNd", y, block_shape=[2, 2], crops=[0, 0, 0, 0]))
    assert net.check(flatten_atrous)["Conv2d"] == 1 and len(net.graph.nodes) == 3


POOL = {"kernels": [3, 3], "strides": [2, 2], "padding": 0}
PADDED = {
    "conv": (True, lambda n, x: n.op("Conv2d", x, n.const(4, 6, 3, 3))),
    "explicit": (True, lambda n, x: n.op("DepthwiseConv2d", x, n.const(1, 6, 3, 3), padding=4,
                                         padding_values=[1, 0, 0, 1])),
    "same": (False, lambda n, x: n.op("Conv2d", x, n.const(4, 6, 3, 3), padding=1)),
    "average": (True, lambda n, x: n.op("Pooling", x, pooling_type=1, **POOL)),
    "max of anything": (False, lambda n, x: n.op("Pooling", x, pooling_type=2, **POOL)),
}  # fmt: skip


@pytest.mark.parametrize("name", PADDED)
def test_padding_is_folded_where_it_is_exact(name):
    folded, function = PADDED[name]
    net = Net(x=X)
    net.out(function(net, net.op("Pad", "x", paddings=[0, 0, 1, 2, 0, 1, 0, 0])))
    assert net.check(fold_pad)["Pad"] == (0 if folded else 1)


def test_padding_before_max_pooling_of_what_is_never_negative():
    net = Net(x=X)
    y = net.op("Activation", "x", activation="RELU")
    y = net.op("Pad", y, paddings=[0, 0, 1, 2, 0, 1, 0, 0])
    net.out(net.op("Pooling", y, pooling_type=2, **POOL))
    assert net.check(fold_pad)["Pad"] == 0


@pytest.mark.parametrize("more", [
    {"padding": 4, "padding_values": [2, 0, 0, 0]}, {"padding": 4, "padding_values": [0, 2, 0, 0]},
    {"dilations": [2, 2]}])
def test_padding_stays_where_a_window_might_have_no_element(more):
    net = Net(x=X)
    y = net.op("Activation", "x", activation="RELU")
    y = net.op("Pad", y, paddings=[0, 0, 1, 0, 1, 0, 0, 0])
    net.out(net.op("Pooling", y, pooling_type=2, **{**POOL, **more}))
    assert net.check(fold_pad)["Pad"] == 1


@pytest.mark.parametrize("pads", [[0, 0, 1, 1, 1, 1, 0, 2], [1, 0, 1, 1, 1, 1, 0, 0]])
def test_padding_of_channels_or_batch_stays(pads):
    net = Net(x=X)
    y = net.op("Pad", "x", paddings=pads)
    net.out(net.op("Conv2d", y, net.const(4, channels(net, y), 3, 3)))
    assert net.check(fold_pad)["Pad"] == 1


def test_noops_go():
    net = Net(x=X)
    y = net.op("Identity", net.op("Unary", "x", type="ABS"))
    y = net.op("Cast", y, to="f32")
    y = net.op("Concat", net.op("Reshape", y, dim=list(X)), axis=0)
    y = net.op("Slice", y, starts=[0], ends=[2**63 - 1], axes=[2])
    y = net.op("Pad", net.op("Activation", y, activation="NOOP"), paddings=[0] * 8)
    y = net.op("Eltwise", y, net.value(1.0), type="PROD")
    y = net.op("Eltwise", y, net.value([0.0] * 6), type="SUM")
    net.out(net.op("Transpose", y, dims=[0, 1, 2, 3]))
    assert net.check(remove_noops) == {"Unary": 1}


def test_what_only_looks_like_a_noop_stays():
    net = Net(x=(6,))
    y = net.op("Eltwise", "x", net.value([[1.0]]), type="PROD")  # makes it 2-D
    y = net.op("Eltwise", net.value(0.0), y, type="SUB")
    net.out(net.op("Eltwise", y, net.value(1.0), type="SUM", activation="RELU"))
    assert net.check(remove_noops) == {"Eltwise": 3}


def test_quantized_1_and_0_are_neutral_only_where_they_stand_for_these_numbers():
    def product(kind: str, code: int, scale: float, zero: int, after: float) -> int:
        net = Net()
        net.graph.add_input("x", "i8", (6,)).quant = Quant(np.float32([0.5]), np.array([3]))
        constant = net.value([code], np.int8)
        net.graph.tensors[constant].quant = Quant(np.float32([scale]), np.array([zero]))
        y = net.op("Eltwise", "x", constant, type=kind)
        net.graph.tensors[y].quant = Quant(np.float32([after]), np.array([3]))
        net.graph.tensors[y].dtype = "i8"
        net.out(net.op("Dequantize", y))
        remove_noops(net.graph)
        return [node.op for node in net.graph.nodes].count("Eltwise")

    assert product("PROD", 1, 1.0, 0, 0.5) == 0 and product("SUM", 7, 0.25, 7, 0.5) == 0
    assert product("PROD", 1, 0.5, 0, 0.5) == 1 and product("PROD", 1, 0.5, 0, 0.25) == 1
    assert product("PROD", 1, 1.0, 0, 0.25) == 1 and product("SUM", 0, 0.25, 7, 0.5) == 1


def test_constants_are_folded_but_not_blown_up():
    net = Net(x=X)
    a = net.op("Eltwise", net.value([1.0, 2.0]), net.value(3.0), type="PROD")
    big = net.op("Fill", net.value([1000, 1000], np.int64), value=1.0)
    weight = net.op("Transpose", net.op("Fill", net.value([1, 1, 6, 9000], np.int64), value=0.5),
                    dims=[3, 2, 0, 1])
    net.out(net.op("Eltwise", net.op("Expand", "x", shape=[1]), net.op(
        "Reduce", a, reduce_type="SUM", axis=[]), type="SUM"),
        net.op("Unary", big, type="NEG"), net.op("Conv2d", "x", weight))
    ops = net.check(fold_constants)
    assert ops["Fill"] == 1 and ops["Reduce"] == 0 and ops["Transpose"] == 0
