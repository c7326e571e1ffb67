"""ONNX models that ONNX Runtime quantized, run by the engine: within a step of ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import logging
from pathlib import Path

import numpy as np
import onnx
import pytest
from golden import Run, import_model, run_all
from onnx import helper, numpy_helper
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)

from mace_tools.testing.by_onnxruntime import Session

FEED = (1, 3, 16, 16)
FORMATS = {
    "u8s8": (QuantFormat.QDQ, QuantType.QUInt8, QuantType.QInt8, False, {}),
    "u8s8_channels": (QuantFormat.QDQ, QuantType.QUInt8, QuantType.QInt8, True, {}),
    "s8s8_channels": (QuantFormat.QDQ, QuantType.QInt8, QuantType.QInt8, True,
                      {"ActivationSymmetric": True}),
    "u8u8": (QuantFormat.QDQ, QuantType.QUInt8, QuantType.QUInt8, False, {}),
    "weights_in_pairs": (QuantFormat.QDQ, QuantType.QUInt8, QuantType.QInt8, False,
                         {"AddQDQPairToWeight": True}),
    "qlinear": (QuantFormat.QOperator, QuantType.QUInt8, QuantType.QInt8, True, {}),
    "qlinear_u8u8": (QuantFormat.QOperator, QuantType.QUInt8, QuantType.QUInt8, False, {}),
}


class Net:
    """A float network, node by node; weights are random but equal in each run."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list = []
        self.weights: dict[str, np.ndarray] = {}

    def op(self, kind: str, *inputs: str, **attrs) -> str:
        out = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [out], **attrs))
        return out

    def value(self, array) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = np.asarray(array)
        return name

    def weight(self, *shape: int) -> str:
        fan_in = np.prod(shape[1:]) if len(shape) > 2 else shape[0]
        return self.value(self.random.normal(0, fan_in**-0.5, shape).astype(np.float32))

    def conv(self, x: str, out: int, inputs: int, size: int, **attrs) -> str:
        return self.op("Conv", x, self.weight(out, inputs, size, size), self.weight(out),
                       pads=[size // 2] * 4, **attrs)

    def save(self, path: Path, y: str, shape: tuple[int, ...]) -> Path:
        graph = helper.make_graph(
            self.nodes, "net", [helper.make_tensor_value_info("x", 1, FEED)],
            [helper.make_tensor_value_info(y, 1, shape)],
            [numpy_helper.from_array(v, k) for k, v in self.weights.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                    ir_version=8), path)
        return path


def mobile(path: Path) -> Path:
    """Depthwise layers, clamps, a residual sum and a classifier."""
    n = Net(1)
    x = n.op("Relu", n.conv("x", 8, 3, 3, strides=[2, 2]))
    wide = n.op("Clip", n.conv(x, 16, 8, 1), n.value(np.float32(0)), n.value(np.float32(6)))
    deep = n.op("Clip", n.conv(wide, 16, 1, 3, group=16), n.value(np.float32(0)),
                n.value(np.float32(6)))
    x = n.op("Add", n.conv(deep, 8, 16, 1), x)
    x = n.op("Flatten", n.op("GlobalAveragePool", x))
    x = n.op("Gemm", x, n.weight(8, 10), n.weight(10))
    return n.save(path, n.op("Softmax", x, axis=-1), (1, 10))


def branches(path: Path) -> Path:
    """Pooling, gates, a concatenation of different scales, and resizing."""
    n = Net(2)
    x = n.op("MaxPool", n.conv("x", 8, 3, 3), kernel_shape=[2, 2], strides=[2, 2])
    gated = n.op("Mul", x, n.op("Sigmoid", n.conv(x, 8, 8, 1)))
    mean = n.op("AveragePool", x, kernel_shape=[3, 3], pads=[1] * 4)
    x = n.op("Concat", gated, mean, axis=1)
    x = n.op("Resize", x, "", n.value(np.float32([1, 1, 2, 2])), mode="nearest",
             coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    return n.save(path, n.conv(x, 4, 16, 3), (1, 4, 16, 16))


def tokens(path: Path) -> Path:
    """Products of computed matrices, and layers on the last axis."""
    n = Net(3)
    x = n.op("Reshape", n.conv("x", 12, 3, 4, strides=[4, 4]), n.value(np.int64([1, 12, -1])))
    x = n.op("Transpose", x, perm=[0, 2, 1])
    query, key = (n.op("MatMul", x, n.weight(12, 12)) for _ in range(2))
    shares = n.op("MatMul", query, n.op("Transpose", key, perm=[0, 2, 1]))
    x = n.op("MatMul", n.op("Softmax", shares, axis=-1), x)
    x = n.op("Add", n.op("MatMul", x, n.weight(12, 20)), n.weight(20))
    x = n.op("Tanh", x)
    return n.save(path, n.op("MatMul", x, n.weight(20, 6)), (1, 25, 6))


# How far outputs may be from ONNX Runtime's, in steps of the output. It computes the layers
# between in float32, and the engine on quantized tensors: each may differ by one, and `tokens`
# multiplies what differs by later layers. MAX_ERROR limits what that costs.
STEPS = {"mobile": 1, "branches": 2, "tokens": 6}
# The root mean square of the error, against the network in float32, relative to ONNX Runtime's.
MAX_ERROR = 1.1
NETS = {f.__name__: f for f in (mobile, branches, tokens)}


class Samples(CalibrationDataReader):
    def __init__(self) -> None:
        random = np.random.default_rng(7)
        self.left = iter([{"x": random.normal(size=FEED).astype(np.float32)} for _ in range(8)])

    def get_next(self):
        return next(self.left, None)


def by_onnxruntime(path: Path, feeds: dict) -> dict[str, np.ndarray]:
    outputs = [o.name for o in onnx.load(path).graph.output]
    return dict(zip(outputs, Session(path.read_bytes(), is_optimized=False).run(None, feeds)))


def runs_of(path: Path, folder: Path) -> Run:
    feeds = {"x": np.random.default_rng(9).normal(size=FEED).astype(np.float32)}
    run = Run(path.stem, import_model("onnx", path, feeds, None), feeds)
    run_all([run], folder)
    assert not run.error, run.error
    return run


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values, dtype=np.float64))))


@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("how", FORMATS)
def test_a_network_is_within_steps_of_onnxruntime_and_as_exact(tmp_path, net, how):
    logging.getLogger().setLevel(logging.ERROR)
    source = NETS[net](tmp_path / "float.onnx")
    shape, activations, weights, channels, extra = FORMATS[how]
    path = tmp_path / "quantized.onnx"
    quantize_static(source, path, Samples(), quant_format=shape, activation_type=activations,
                    weight_type=weights, per_channel=channels, extra_options=extra)
    run = runs_of(path, tmp_path / "run")
    wanted = by_onnxruntime(path, run.feeds)
    exact = by_onnxruntime(source, run.feeds)
    for name, want in wanted.items():
        ours, theirs = (rms(got - exact[name]) for got in (run.outputs[name], want))
        assert ours <= MAX_ERROR * theirs, (ours, theirs)
        steps = np.unique(np.round(want, 6))
        step = np.diff(steps).min(initial=np.ptp(want) / 16) if len(steps) > 1 else 1.0
        off = np.abs(run.outputs[name] - want)
        assert off.max() <= STEPS[net] * step + 1e-5 and off.mean() <= step / 2, (off.max(), step)
    made = [n.op for n in run.graph.nodes if run.graph.is_quantized(n)]
    layers = [n for n in run.graph.nodes
              if n.op in ("Conv2d", "DepthwiseConv2d", "FullyConnected")]
    assert layers and all(n.op in made and run.graph.is_quantized(n) for n in layers)


@pytest.mark.parametrize("net", NETS)
def test_ranges_found_while_the_model_runs(tmp_path, net):
    logging.getLogger().setLevel(logging.ERROR)
    path = tmp_path / "dynamic.onnx"
    quantize_dynamic(NETS[net](tmp_path / "float.onnx"), path, op_types_to_quantize=["MatMul"])
    run = runs_of(path, tmp_path / "run")
    for name, want in by_onnxruntime(path, run.feeds).items():
        np.testing.assert_allclose(run.outputs[name], want, rtol=1e-3, atol=2e-2)
