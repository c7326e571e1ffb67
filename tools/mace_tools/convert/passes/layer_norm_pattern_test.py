"""Tests of finding written-out layer normalization.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.convert.passes.layer_norm_pattern import layer_norm_pattern
from mace_tools.testing.net import Net

X = (2, 5, 7, 6)


def mean(net: Net, x: str, *axes: int) -> str:
    return net.op("Reduce", x, reduce_type="MEAN", axis=list(axes), keepdims=1)


def squares(net: Net, kind: str, d: str, m: str) -> str:
    return {"POW": lambda: net.op("Eltwise", d, net.value(2.0), type="POW"),
            "PROD": lambda: net.op("Eltwise", d, d, type="PROD"),
            "SQUARE": lambda: net.op("Unary", d, type="SQUARE"),
            "SQR_DIFF": lambda: net.op("Eltwise", "x", m, type="SQR_DIFF")}[kind]()


@pytest.mark.parametrize("kind", ["POW", "PROD", "SQUARE", "SQR_DIFF"])
@pytest.mark.parametrize("axes", [(-1,), (2, 3)])
@pytest.mark.parametrize("root", ["SQRT", "RSQRT"])
def test_layer_norm_as_pytorch_writes_it(kind, axes, root):
    net = Net(x=X)
    m = mean(net, "x", *axes)
    d = net.op("Eltwise", "x", m, type="SUB")
    var = mean(net, squares(net, kind, d, m), *axes)
    deviation = net.op("Unary", net.op("Eltwise", var, net.value(1e-3), type="SUM"), type=root)
    y = net.op("Eltwise", d, deviation, type="DIV" if root == "SQRT" else "PROD")
    y = net.op("Eltwise", net.const(*X[axes[0]:]), y, type="PROD")
    net.out(net.op("Eltwise", y, net.const(1, 6), type="SUM"))
    assert net.check(layer_norm_pattern) == {"LayerNorm": 1}


def test_an_epsilon_that_adds_axes_makes_no_layer_norm():
    net = Net(x=X)
    m = mean(net, "x", -1)
    d = net.op("Eltwise", "x", m, type="SUB")
    var = net.op("Eltwise", mean(net, squares(net, "PROD", d, m), -1),
                 net.value([[[[[1e-3]]]]]), type="SUM")
    net.out(net.op("Eltwise", d, net.op("Unary", var, type="SQRT"), type="DIV"))
    assert "LayerNorm" not in net.check(layer_norm_pattern)


@pytest.mark.parametrize("kind", ["POW", "PROD", "SQUARE"])
@pytest.mark.parametrize("axes", [(-1,), (2, 3)])
@pytest.mark.parametrize("root", ["SQRT", "RSQRT", "RECIPROCAL", "ONE"])
def test_rms_norm(kind, axes, root):
    net = Net(x=X)
    y = net.op("Eltwise", mean(net, squares(net, kind, "x", ""), *axes), net.value(1e-3),
               type="SUM")
    y = net.op("Unary", y, type="RSQRT" if root == "RSQRT" else "SQRT")
    if root == "RECIPROCAL":
        y = net.op("Unary", y, type="RECIPROCAL")
    elif root == "ONE":
        y = net.op("Eltwise", net.value(1.0), y, type="DIV")
    y = net.op("Eltwise", "x", y, type="DIV" if root == "SQRT" else "PROD")
    net.out(net.op("Eltwise", net.const(*X[axes[0]:]), y, type="PROD"))
    assert net.check(layer_norm_pattern) == {"LayerNorm": 1}


def test_another_root_is_no_rms_norm():
    net = Net(x=X, z=X)
    var = mean(net, net.op("Unary", "z", type="SQUARE"), -1)
    root = net.op("Unary", net.op("Eltwise", var, net.value(1e-3), type="SUM"), type="SQRT")
    net.out(net.op("Eltwise", "x", root, type="DIV"))
    assert "LayerNorm" not in net.check(layer_norm_pattern)


@pytest.mark.parametrize("gamma", [True, False])
def test_layer_norm_as_tensorflow_writes_it(gamma):
    net = Net(x=X)
    m = mean(net, "x", 3)
    var = mean(net, net.op("Eltwise", "x", m, type="SQR_DIFF"), 3)
    a = net.op("Unary", net.op("Eltwise", var, net.value(1e-3), type="SUM"), type="RSQRT")
    a = net.op("Eltwise", a, net.const(6), type="PROD") if gamma else a
    shift = net.op("Eltwise", net.const(6), net.op("Eltwise", m, a, type="PROD"), type="SUB")
    net.out(net.op("Eltwise", net.op("Eltwise", "x", a, type="PROD"), shift, type="SUM"))
    assert net.check(layer_norm_pattern) == {"LayerNorm": 1}


@pytest.mark.parametrize("axes, other", [((1, 2), (1, 2)), ((3,), (2,))])
def test_a_norm_over_other_axes_is_no_layer_norm(axes, other):
    net = Net(x=X)
    d = net.op("Eltwise", "x", mean(net, "x", *axes), type="SUB")
    var = mean(net, net.op("Unary", d, type="SQUARE"), *other)
    deviation = net.op("Unary", net.op("Eltwise", var, net.value(1e-3), type="SUM"), type="SQRT")
    net.out(net.op("Eltwise", d, deviation, type="DIV"))
    assert net.check(layer_norm_pattern)["LayerNorm"] == 0


@pytest.mark.parametrize("spoiled", ["POW", "SUM"])
def test_an_activation_on_the_way_is_no_layer_norm(spoiled):
    net, relu = Net(x=X), {spoiled: {"activation": "RELU"}}
    d = net.op("Eltwise", "x", mean(net, "x", 3), type="SUB")
    var = mean(net, net.op("Eltwise", d, net.value(2.0), type="POW", **relu.get("POW", {})), 3)
    var = net.op("Eltwise", var, net.value(1e-3), type="SUM", **relu.get("SUM", {}))
    net.out(net.op("Eltwise", d, net.op("Unary", var, type="SQRT"), type="DIV"))
    assert net.check(layer_norm_pattern)["LayerNorm"] == 0


@pytest.mark.parametrize("spoiled", ["SQR_DIFF", "SUM", "gamma", "PROD"])
def test_an_activation_within_tensorflow_s_form_is_no_layer_norm(spoiled):
    net, relu = Net(x=X), {spoiled: {"activation": "RELU"}}
    m = mean(net, "x", 3)
    var = mean(net, net.op("Eltwise", "x", m, type="SQR_DIFF", **relu.get("SQR_DIFF", {})), 3)
    var = net.op("Eltwise", var, net.value(1e-3), type="SUM", **relu.get("SUM", {}))
    a = net.op("Eltwise", net.op("Unary", var, type="RSQRT"), net.const(6), type="PROD",
               **relu.get("gamma", {}))
    shift = net.op("Eltwise", net.const(6), net.op("Eltwise", m, a, type="PROD",
                                                   **relu.get("PROD", {})), type="SUB")
    net.out(net.op("Eltwise", net.op("Eltwise", "x", a, type="PROD"), shift, type="SUM"))
    assert net.check(layer_norm_pattern)["LayerNorm"] == 0
