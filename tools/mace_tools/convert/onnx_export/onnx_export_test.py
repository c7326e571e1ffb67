"""Quantized graphs as ONNX: onnxruntime computes what the engine does, within 2 LSB.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnx
import onnxruntime
import pytest

from mace_tools.analyze.quantize.post_training import quantize
from mace_tools.analyze.quantize.runs import Runs
from mace_tools.config.quantization_options import Choices
from mace_tools.convert import onnx_export
from mace_tools.graph import op_schema
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.testing.net import Net

SAME, FULL = (op_schema.numbers("Conv2d", "padding")[name] for name in ("SAME", "FULL"))
AVERAGE, MAX = (op_schema.numbers("Pooling", "pooling_type")[n] for n in ("AVERAGE", "MAX"))
LEVELS = (onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
          onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)


@pytest.fixture(scope="module")
def runs():
    return Runs(runner.find(Console(), None))


def session_of(model, level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    # Else fused products of uint8 and int8 saturate on x86 CPUs without VNNI.
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(model, options)


def pictures():
    """Windows with strides, groups and odd padding; sums; means; a product; a softmax."""
    net = Net(x=(1, 9, 8, 3))
    b = [net.value(np.linspace(-1, 1, n)) for n in (8, 8)]
    y = net.op("Conv2d", "x", net.const(8, 3, 3, 3), b[0], padding=SAME, strides=[2, 2],
               activation="RELUX", max_limit=3.0)
    y = net.op("DepthwiseConv2d", y, net.const(1, 8, 3, 3), b[1], padding=SAME, activation="RELU")
    c = net.op("Conv2d", y, net.const(8, 2, 1, 1), group=4)
    y = net.op("Eltwise", y, c, type="SUM", activation="RELU")
    y = net.op("Concat", y, c, axis=3)
    y = net.op("Pooling", y, pooling_type=MAX, kernels=[2, 2], strides=[1, 1], padding=SAME)
    y = net.op("Pad", y, pad_type="CONSTANT", paddings=[0, 0, 1, 0, 0, 1, 0, 0])
    y = net.op("Conv2d", y, net.const(6, 16, 2, 2), padding=FULL, activation="HARDSWISH")
    y = net.op("Reshape", y, net.value([1, -1], np.int32))
    # Small, so that a step of an operand of the softmax is about a step of its result.
    y = net.op("FullyConnected", y, net.value(net.random.normal(size=(7, 7 * 6 * 6)) / 100))
    return net.out(y, net.op("Softmax", y)).graph


def rows():
    """Products of three axes, a transpose, a mean, and activations of their own."""
    net = Net(x=(2, 5, 12))
    y = net.op("FullyConnected", "x", net.const(8, 12), net.value(np.linspace(-1, 1, 8)),
               activation="TANH")
    z = net.op("FullyConnected", "x", net.const(8, 12), activation="SIGMOID")
    y = net.op("MatMul", y, z, transpose_b=1)
    y = net.op("Transpose", y, dims=[1, 0, 2])
    y = net.op("Eltwise", y, net.value(np.float32([0.5])), type="PROD")
    y = net.op("Reduce", y, reduce_type="MEAN", axis=[2], keepdims=1)
    return net.out(net.op("FullyConnected", y, net.const(4, 1))).graph


@pytest.mark.parametrize("graph", [pictures, rows])
@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_onnxruntime_gives_the_same_quantized_values(graph, level, runs):
    source = graph()
    shape = source.tensors["x"].static_shape
    generator = np.random.default_rng(0)
    samples = [{"x": generator.normal(size=shape).astype(np.float32)} for _ in range(24)]
    made = quantize(source, samples, runs, Choices(float_ends=False), Console())
    model = onnx_export.render(made.graph)
    onnx.checker.check_model(onnx.load_from_string(model), full_check=True)
    session = session_of(model, level)
    kinds = {n.op_type for n in onnx.load_from_string(model).graph.node}
    assert {"QuantizeLinear", "DequantizeLinear"} <= kinds
    for sample, want in zip(samples, runs.each(made.graph, samples, made.graph.outputs)):
        for name, got in zip(made.graph.outputs, session.run(made.graph.outputs, sample)):
            steps = made.graph.tensors[made.assigned.quantized.get(name, name)].quant
            assert steps is not None
            assert np.abs(got - want[name]).max() <= 2.001 * steps.scale[0]


def test_layers_in_floats_are_exported_so(runs):
    source = rows()
    shape = source.tensors["x"].static_shape
    generator = np.random.default_rng(0)
    samples = [{"x": generator.normal(size=shape).astype(np.float32)} for _ in range(24)]
    made = quantize(source, samples, runs, Choices(), Console())
    last = made.graph.producer(made.graph.outputs[0])
    assert "last layers" in made.left_out[last.name]
    quantized = made.graph.producer(last.inputs[0]).inputs[0]
    largest = np.abs(made.graph.tensors[last.inputs[1]].data).max()  # one for each output
    steps = made.graph.tensors[quantized].quant.scale[0] * largest
    session = session_of(onnx_export.render(made.graph))
    for sample, want in zip(samples, runs.each(made.graph, samples, made.graph.outputs)):
        for name, got in zip(made.graph.outputs, session.run(made.graph.outputs, sample)):
            assert np.abs(got - want[name]).max() <= 2.001 * steps


def test_what_onnx_lacks_is_refused_with_all_nodes(runs):
    net = Net(x=(1, 4, 4, 8))
    y = net.op("Conv2d", "x", net.const(8, 8, 1, 1))
    y = net.op("DepthToSpace", y, block_size=2)
    y = net.op("LpNorm", y, p=2, axis=3)
    with pytest.raises(MaceError, match="DepthToSpace.*not written.*LpNorm.*leave --onnx out"):
        onnx_export.render(net.out(y).graph)


@pytest.mark.parametrize("size, fits", [(7, True), (2, False)])
def test_nearest_resize_is_refused_where_onnx_takes_other_elements(size, fits):
    """TensorFlow takes elements 0 and 7 of 14, and ONNX 0 and 6."""
    net = Net(x=(1, 14, 14, 8))
    y = net.op("Resize", "x", mode="NEAREST", coordinate="ASYMMETRIC", size=[size, size], by_step=1)
    graph = net.out(y).graph
    if fits:
        assert onnx_export.render(graph)
    else:
        with pytest.raises(MaceError, match="takes other elements"):
            onnx_export.render(graph)
