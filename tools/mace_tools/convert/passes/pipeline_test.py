"""Tests of the whole list of passes and of what a user may ask of it.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.passes.pipeline import PASSES, Options, convert
from mace_tools.support.errors import MaceError, UnsupportedOps
from mace_tools.testing.net import Net


def image_net() -> Net:
    """A layer on an NCHW image, with an NCHW result."""
    net = Net(x=(1, 3, 6, 4))
    net.out(net.conv("x", out=5, kernel=3))
    for name in ("x", net.graph.outputs[0]):
        net.graph.tensors[name].data_format = "NCHW"
    return net


def test_order_of_dimensions_is_the_sources_unless_asked():
    net = image_net()
    graph = convert(net.graph)
    assert graph.shape("x") == (1, 3, 6, 4) and graph.shape(graph.outputs[0]) == (1, 5, 4, 2)


def test_asked_for_nhwc_no_transpose_is_left():
    net = image_net()
    out = net.graph.outputs[0]
    x = net.random.normal(size=(1, 3, 6, 4)).astype(np.float32)
    want = reference.run(net.graph, {"x": x})[out].transpose(0, 2, 3, 1)
    graph = convert(net.graph, Options({"x": "NHWC"}, {out: "NHWC"}))
    assert [n.op for n in graph.nodes] == ["Conv2d"]
    assert graph.tensors["x"].data_format == graph.tensors[out].data_format == "NHWC"
    got = reference.run(graph, {"x": x.transpose(0, 2, 3, 1)})[out]
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(MaceError, match="no input 'y'; it has 'x'"):
        convert(image_net().graph, Options({"y": "NHWC"}))


def test_a_second_conversion_changes_nothing():
    net = image_net()
    first = [str(n) for n in convert(net.graph).nodes]
    assert [str(n) for n in convert(net.graph).nodes] == first


def test_every_pass_says_what_it_does():
    for one in PASSES:
        module = __import__(one.__module__, fromlist=["_"])
        assert module.__doc__ and one.__module__.startswith("mace_tools.convert.passes.")


def test_an_input_that_is_an_output_stays():
    net = Net(x=(1, 2))
    net.out(net.op("Identity", "x"))
    assert [n.op for n in convert(net.graph).nodes] == ["Identity"]


def test_what_the_engine_does_not_have_is_reported_at_once():
    net = Net(x=(1, 2))
    y = net.op("Frobnicate", net.op("Softmax", "x", axes=1))
    net.out(net.op("Frobnicate", y))
    with pytest.raises(UnsupportedOps) as e:
        convert(net.graph)
    found = {o.op: (len(o.nodes), o.reason) for o in e.value.ops}
    assert found == {"Frobnicate": (2, "the engine has no such op"),
                     "Softmax": (1, "the engine's has no attribute axes")}


def test_operands_that_are_missing_stop_it_before_the_passes():
    net = Net(x=(1, 2))
    y = net.op("Eltwise", "x", type="PROD")
    net.out(net.op("Eltwise", y, "", type="SUM"), net.op("PRelu", "x"))
    with pytest.raises(UnsupportedOps) as e:
        convert(net.graph)
    assert {(o.op, o.reason) for o in e.value.ops} == {
        ("Eltwise", "it has 1 inputs, the engine's has 2"),
        ("Eltwise", "its input 1 is absent, and the engine requires it"),
        ("PRelu", "it has 1 inputs, the engine's has 2")}
