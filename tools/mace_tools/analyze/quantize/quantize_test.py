"""Quantization of small graphs, with the engine.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.analyze.quantize.post_training import quantize
from mace_tools.analyze.quantize.runs import Runs
from mace_tools.config.quantization_options import METHODS, Choices
from mace_tools.convert import emit
from mace_tools.graph import op_schema
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.testing.net import Net

SAME, VALID = (op_schema.numbers("Conv2d", "padding")[name] for name in ("SAME", "VALID"))
AVERAGE = op_schema.numbers("Pooling", "pooling_type")["AVERAGE"]


@pytest.fixture(scope="module")
def runs():
    return Runs(runner.find(Console(), None))


def samples(count, *shape, seed=0):
    generator = np.random.default_rng(seed)
    return [{"x": generator.normal(size=shape).astype(np.float32)} for _ in range(count)]


def layers(activation="RELU", **more):
    """Convolution, depthwise convolution, convolution, addition, mean, softmax."""
    net = Net(x=(1, 8, 8, 3))
    act = {"activation": activation, **more}
    bias = [net.value(np.linspace(-1, 1, n)) for n in (8, 8, 6)]
    y = net.op("Conv2d", "x", net.const(8, 3, 3, 3), bias[0], padding=SAME, **act)
    y = net.op("DepthwiseConv2d", y, net.const(1, 8, 3, 3), bias[1], padding=SAME, **act)
    a = net.op("Conv2d", y, net.const(6, 8, 1, 1), bias[2])
    b = net.op("Conv2d", y, net.const(6, 8, 1, 1))
    y = net.op("Eltwise", a, b, type="SUM", activation="RELU")
    y = net.op("Concat", y, a, axis=3)
    y = net.op("Pad", y, pad_type="CONSTANT", paddings=[0, 0, 1, 1, 1, 1, 0, 0])
    y = net.op("Pooling", y, pooling_type=AVERAGE, kernels=[5, 5], strides=[5, 5],
               padding=VALID)
    y = net.op("Reshape", y, net.value([1, 48], np.int32))
    y = net.op("FullyConnected", y, net.const(5, 48))
    return net.out(y, net.op("Softmax", y)).graph


def worst(made):
    return min(e.similarity for e in made.outputs.values())


@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_the_outputs(runs, method):
    made = quantize(layers(), samples(24, 1, 8, 8, 3), runs, Choices(method=method), Console())
    assert worst(made) > 0.99
    q = [n for n in made.graph.nodes if made.graph.tensors[n.outputs[0]].quant is not None]
    assert len(q) >= 8 and made.equalized == 1


@pytest.mark.parametrize("activation", ["RELUX", "HARDSWISH", "TANH", "LEAKYRELU"])
def test_activations(runs, activation):
    more = {"max_limit": 2.0} if activation == "RELUX" else {}
    made = quantize(layers(activation, **more), samples(24, 1, 8, 8, 3), runs, Choices(), Console())
    assert worst(made) > 0.98


def test_the_same_seed_gives_the_same_model(runs):
    def built(seed):
        made = quantize(layers(), samples(12, 1, 8, 8, 3, seed=seed), runs, Choices(), Console())
        net, weights = emit.build(made.graph)
        return net.SerializeToString(deterministic=True), [w.tobytes() for _, w in weights]

    assert built(1) == built(1)
    assert built(1) != built(2)


def test_equal_scales_where_values_are_moved(runs):
    graph = quantize(layers(), samples(12, 1, 8, 8, 3), runs, Choices(float_ends=False),
                     Console()).graph
    for node in graph.nodes:
        if node.op in ("Concat", "Pad", "Reshape"):
            quants = [graph.tensors[n].quant for n in (node.inputs[0], *node.outputs)]
            if quants[0] is not None:
                assert quants[0].scale == quants[1].scale, node
    softmax = next(n for n in graph.nodes if n.op == "Softmax")
    quant = graph.tensors[softmax.outputs[0]].quant
    assert (quant.scale[0], quant.zero_point[0]) == (1 / 256, -128)


def test_float_nodes_stay_in_floats(runs):
    graph = layers()
    chosen = next(n for n in graph.nodes if n.op == "DepthwiseConv2d").name
    made = quantize(graph, samples(8, 1, 8, 8, 3), runs, Choices(float_nodes=(chosen,)), Console())
    node = next(n for n in made.graph.nodes if n.name == chosen)
    assert made.graph.tensors[node.outputs[0]].quant is None
    assert made.left_out[chosen] == "as asked"
    with pytest.raises(MaceError, match="float_nodes: the model has no node 'nothing'"):
        quantize(graph, samples(8, 1, 8, 8, 3), runs, Choices(float_nodes=("nothing",)), Console())


def test_a_budget_leaves_layers_in_floats_until_it_is_met(runs):
    graph, given = layers(), samples(8, 1, 8, 8, 3)
    plain = quantize(graph, given, runs, Choices(float_ends=False), Console())
    budget = (1 - worst(plain)) / 4
    made = quantize(graph, given, runs, Choices(float_ends=False, accuracy_budget=budget),
                    Console())
    assert 1 - worst(made) <= budget
    assert any("budget" in why for why in made.left_out.values())
    with pytest.raises(MaceError, match="accuracy budget 1e-12 cannot be met"):
        quantize(graph, given, runs, Choices(accuracy_budget=1e-12), Console())


def ends_net():
    """Narrow layers, wide ones, and two last ones, one of which is large."""
    net = Net(x=(1, 16, 16, 3))
    relu = {"activation": "RELU", "padding": SAME}
    first = net.op("Conv2d", "x", net.const(8, 3, 3, 3), **relu)
    second = net.op("DepthwiseConv2d", first, net.const(1, 8, 3, 3), **relu)
    y = net.op("Conv2d", second, net.const(96, 8, 3, 3), **relu)
    wide = y = net.op("Conv2d", y, net.const(96, 96, 3, 3), **relu)
    y = net.op("Pooling", y, pooling_type=AVERAGE, kernels=[16, 16], strides=[16, 16],
               padding=VALID)
    last = net.op("Conv2d", y, net.const(10, 96, 1, 1), net.value(np.linspace(-1, 1, 10)))
    return net, [first, second], wide, last


def test_first_and_last_layers_stay_in_floats(runs):
    net, first, wide, last = ends_net()
    graph = net.out(net.op("Softmax", last)).graph
    given = samples(8, 1, 16, 16, 3)
    made = quantize(graph, given, runs, Choices(), Console())
    floats = {o for n in made.graph.nodes for o in n.outputs
              if n.op in ("Conv2d", "DepthwiseConv2d") and made.graph.tensors[o].quant is None}
    assert floats == {*first, last} and wide in made.assigned.quantized
    whys = {why for name, why in made.left_out.items()
            if graph.producer(last).name == name or graph.producer(first[0]).name == name}
    assert whys == {"first layers, which multiply little for each pixel",
                    "last layers, with weights stored quantized"}
    stored = [made.graph.tensors[n.inputs[1]].stored for n in made.graph.nodes
              if last in n.outputs]
    assert stored == ["i8"]
    everything = quantize(graph, given, runs, Choices(float_ends=False), Console())
    assert all(o in everything.assigned.quantized for o in (*first, last))
    assert worst(made) >= worst(everything)


def test_last_layers_that_multiply_much_are_quantized(runs):
    net, _, wide, last = ends_net()
    large = net.op("Conv2d", wide, net.const(30, 96, 3, 3), padding=SAME)
    made = quantize(net.out(last, large).graph, samples(4, 1, 16, 16, 3), runs, Choices(),
                    Console())
    assert last in made.assigned.quantized and large in made.assigned.quantized


def test_a_model_of_first_and_last_layers_only_is_quantized(runs):
    net = Net(x=(1, 8, 8, 3))
    y = net.op("Conv2d", "x", net.const(8, 3, 3, 3), padding=SAME)
    made = quantize(net.out(y).graph, samples(4, 1, 8, 8, 3), runs, Choices(), Console())
    assert y in made.assigned.quantized


def test_channels_of_zeros_and_tensors_that_are_constant(runs):
    net = Net(x=(1, 4, 4, 3))
    w = net.random.normal(size=(4, 3, 1, 1)).astype(np.float32)
    w[1] = 0
    y = net.op("Conv2d", "x", net.value(w), net.value([0, 1000.0, 0, 0]))
    z = net.op("Conv2d", y, net.value(np.zeros((2, 4, 1, 1))), activation="RELU")
    made = quantize(net.out(y, z).graph, samples(8, 1, 4, 4, 3), runs, Choices(), Console())
    assert worst(made) > 0.999


def test_models_without_a_layer_to_quantize(runs):
    graph = (net := Net(x=(1, 4))).out(net.op("Softmax", "x")).graph
    with pytest.raises(MaceError, match="the model has no layer that int8"):
        quantize(graph, samples(8, 1, 4), runs, Choices(), Console())


def test_an_infinite_range_names_node_and_tensor(runs):
    net = Net(x=(1, 4, 4, 3))
    y = net.op("Conv2d", "x", net.value(np.full((2, 3, 1, 1), 3e38)))
    graph = net.out(y).graph
    with pytest.raises(MaceError, match=r"Conv2d .* 't0_0' has .* infinite .* with sample 1"):
        quantize(graph, samples(8, 1, 4, 4, 3), runs, Choices(), Console())


def test_one_element(runs):
    net = Net(x=(1, 1))
    graph = net.out(net.op("FullyConnected", "x", net.const(1, 1))).graph
    assert worst(quantize(graph, samples(9, 1, 1), runs, Choices(), Console())) > 0.99
