"""Single ONNX operators on quantized tensors, run by the engine: within a step of ONNX Runtime, and
equal where nothing but Quantize and Dequantize computes.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import numpy as np
import onnx
import pytest
from golden import Run, import_model, run_all
from onnx import helper, numpy_helper
from onnx_quantized_test import by_onnxruntime

RANDOM = np.random.default_rng(21)
KINDS = {"u8": np.uint8, "i8": np.int8}
IMAGE = (2, 4, 7, 6)


def weight(*shape: int) -> np.ndarray:
    return RANDOM.integers(-127, 128, shape).astype(np.int8)


def channels(count: int) -> np.ndarray:
    return RANDOM.uniform(0.002, 0.02, count).astype(np.float32)


# Operator: shape of its inputs, weight and its scales along axis, scale of the result and of the
# inputs (0: the same), attributes.
LAYERS = {
    "Conv": ([IMAGE], (weight(6, 4, 3, 3), channels(6), 0), 0.11, {"pads": [1, 0, 2, 1]}),
    "Conv grouped": ([IMAGE], (weight(6, 2, 3, 3), channels(6), 0), 0.11, {"group": 2}),
    "Conv depthwise": ([IMAGE], (weight(4, 1, 3, 3), channels(4), 0), 0.09, {"group": 4}),
    "Conv multiplied": ([IMAGE], (weight(8, 1, 3, 3), channels(8), 0), 0.09, {"group": 4}),
    "Conv one": ([IMAGE], (weight(6, 4, 1, 1), np.float32(0.01), 1), 0.07, {"strides": [2, 2]}),
    "MatMul": ([(12, 9)], (weight(9, 5), channels(5), 1), 0.1, {}),
    "Gemm": ([(12, 9)], (weight(5, 9), channels(5), 0), 0.1, {"transB": 1}),
    "Add": ([IMAGE, IMAGE], None, 0.041, {}), "Sub": ([IMAGE, IMAGE], None, 0.043, {}),
    "Mul": ([IMAGE, (4, 1, 1)], None, 0.037, {}), "Sigmoid": ([IMAGE], None, 1 / 256, {}),
    "Tanh": ([IMAGE], None, 1 / 128, {}), "LeakyRelu": ([IMAGE], None, 0.02, {"alpha": 0.2}),
    "Abs": ([IMAGE], None, 0.02, {}),
    "Relu": ([IMAGE], None, 0.02, {}), "Softmax": ([(12, 9)], None, 1 / 256, {"axis": -1}),
    "AveragePool": ([IMAGE], None, 0.0, {"kernel_shape": [3, 3], "pads": [1] * 4}),
}
EXACT = {
    "MaxPool": ([IMAGE], None, 0.0, {"kernel_shape": [3, 3], "pads": [1] * 4}),
    "Concat": ([IMAGE, IMAGE], None, 0.033, {"axis": 1}),
    "Transpose": ([IMAGE], None, 0.017, {"perm": [0, 2, 1, 3]}),
    "Flatten": ([IMAGE], None, 0.0, {}), "Identity": ([IMAGE], None, 0.05, {}),
}


def save(path: Path, name: str, kind: str) -> Path:
    """x (quantized values) -> DequantizeLinear -> operator -> QuantizeLinear -> y (quantized
    values)."""
    shapes, weights, out, attrs = (LAYERS | EXACT)[name]
    nodes, constants, all_floats, inputs = [], {}, [], []
    zero = KINDS[kind](131 if kind == "u8" else 3)
    for k, shape in enumerate(shapes):
        constants |= {f"s{k}": np.float32(0.021 + 0.007 * k), f"z{k}": zero + KINDS[kind](k)}
        nodes.append(helper.make_node("DequantizeLinear", [f"x{k}", f"s{k}", f"z{k}"], [f"r{k}"]))
        all_floats.append(f"r{k}")
        inputs.append(helper.make_tensor_value_info(
            f"x{k}", helper.np_dtype_to_tensor_dtype(np.dtype(KINDS[kind])), shape))
    if weights is not None:
        w, scale, axis = weights
        bias = RANDOM.integers(-3000, 3000, scale.size if scale.ndim else w.shape[0])
        constants |= {"w": w, "sw": scale, "b": bias.astype(np.int32),
                      "sb": (np.float32(0.021) * scale).astype(np.float32)}
        nodes.append(helper.make_node("DequantizeLinear", ["w", "sw"], ["rw"], axis=axis))
        all_floats.append("rw")
        if name != "MatMul":
            nodes.append(helper.make_node("DequantizeLinear", ["b", "sb"], ["rb"], axis=0))
            all_floats.append("rb")
    least = name in ("Softmax", "Sigmoid", "Relu")
    constants |= {"sy": np.float32(out or 0.021),
                  "zy": KINDS[kind](np.iinfo(KINDS[kind]).min if least else zero)}
    nodes += [helper.make_node(name.split()[0], all_floats, ["r"], **attrs),
              helper.make_node("QuantizeLinear", ["r", "sy", "zy"], ["y"])]
    graph = helper.make_graph(nodes, "layer", inputs, [onnx.ValueInfoProto(name="y")],
                              [numpy_helper.from_array(np.asarray(v), n)
                               for n, v in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                ir_version=8), path)
    return path


def results(tmp_path: Path, name: str, kind: str) -> tuple[Run, np.ndarray, np.ndarray]:
    path = save(tmp_path / "m.onnx", name, kind)
    limits = np.iinfo(KINDS[kind])
    feeds = {f"x{k}": RANDOM.integers(limits.min, limits.max + 1, shape).astype(KINDS[kind])
             for k, shape in enumerate((LAYERS | EXACT)[name][0])}
    run = Run(name, import_model("onnx", path, feeds, None), feeds)
    run_all([run], tmp_path / "run")
    assert not run.error, run.error
    got, want = run.outputs["y"], by_onnxruntime(path, feeds)["y"]
    assert got.dtype == want.dtype and len(np.unique(want)) > 20
    return run, got.astype(int), want.astype(int)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_computes_quantized(tmp_path, name, kind):
    run, got, want = results(tmp_path, name, kind)
    off = np.abs(got - want)
    assert off.max() <= 1 and off.mean() <= 0.1
    floats = {n.op for n in run.graph.nodes if not run.graph.is_quantized(n)}
    assert not floats, floats
    assert "Dequantize" not in {n.op for n in run.graph.nodes}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", EXACT)
def test_what_moves_quantized_values_is_exact(tmp_path, name, kind):
    _, got, want = results(tmp_path, name, kind)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("kind", KINDS)
def test_quantizing_rounds_halves_to_even(tmp_path, kind):
    zero = KINDS[kind](7)
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"])
    x = np.concatenate([np.arange(-300, 300) * 0.25, [1e30, -1e30, np.inf, -np.inf]])
    x = x.astype(np.float32)
    graph = helper.make_graph(
        [node], "ties", [helper.make_tensor_value_info("x", 1, x.shape)],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(np.float32(0.5), "s"), numpy_helper.from_array(zero, "z")])
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)],
                                ir_version=8), path)
    run = Run("ties", import_model("onnx", path, {"x": x}, None), {"x": x})
    run_all([run], tmp_path / "run")
    assert not run.error, run.error
    np.testing.assert_array_equal(run.outputs["y"], by_onnxruntime(path, {"x": x})["y"])
