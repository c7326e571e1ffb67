"""TFLite weights behind a DEQUANTIZE: computed as LiteRT does, and stored in 8 bits.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
from golden import Run, run_all, try_import

from mace_tools.convert import emit
from mace_tools.convert.importers import load
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.by_litert import REFERENCE, litert
from mace_tools.testing.tflite_file import Maker

CONV = {"StrideH": 1, "StrideW": 1, "DilationHFactor": 1, "DilationWFactor": 1}
# Operator: the shapes of x and of the weights, the axis of the scales, operand, options.
LAYERS = {
    "FULLY_CONNECTED": ((4, 70), (9, 70), 0, 1, "FullyConnectedOptions", {}),
    "CONV_2D": ((1, 8, 7, 5), (6, 3, 3, 5), 0, 1, "Conv2DOptions", CONV),
    "DEPTHWISE_CONV_2D": ((1, 8, 7, 8), (1, 3, 3, 8), 3, 1, "DepthwiseConv2DOptions",
                          CONV | {"DepthMultiplier": 1}),
    "TRANSPOSE_CONV": ((1, 4, 4, 3), (6, 3, 3, 3), 0, 1, "TransposeConvOptions",
                       {"StrideH": 2, "StrideW": 2}),
    "BATCH_MATMUL": ((2, 4, 12), (2, 12, 5), 2, 1, "BatchMatMulOptions", {}),
    "GATHER": ((3,), (9, 40), 0, 0, "GatherOptions", {}),
    "MUL": ((3, 40), (3, 40), 1, 1, "MulOptions", {}),
}
STORED = ("FULLY_CONNECTED", "CONV_2D", "DEPTHWISE_CONV_2D", "GATHER")
# Of the weights: their type, and whether there is a scale for each index of the axis.
KINDS = [("int8", True), ("int8", False), ("uint8", False), ("int16", False), ("int4", True),
         ("int4", False), ("uint4", False), ("int2", True)]
LIMITS = {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1)}


def layer(op: str, kind: str, per_channel: bool, moved: bool, in_float: bool = False
          ) -> tuple[Maker, dict]:
    """`moved`: the weights are transposed before they become floats; `real`: they are floats."""
    d = np.random.default_rng(len(op))
    x_shape, shape, axis, operand, options, fields = LAYERS[op]
    low, high = LIMITS.get(kind) or (np.iinfo(kind).min, np.iinfo(kind).max)
    quantized = d.integers(low, high + 1, shape)
    scale = d.uniform(0.002, 0.02, shape[axis] if per_channel else 1).astype(np.float32)
    zero = np.full(len(scale), 0 if per_channel or kind == "int16" else high // 2 - 2)
    wide = [-1 if k == axis and per_channel else 1 for k in range(len(shape))]
    values = ((quantized - zero.reshape(wide)) * scale.reshape(wide)).astype(np.float32)
    quantized = quantized.astype(kind if kind not in LIMITS else "uint8" if kind[0] == "u"
                                 else "int8")
    m = Maker()
    order = list(range(len(shape)))[::-1] if moved else list(range(len(shape)))
    back = np.argsort(order)
    m.tensor("w0", [shape[k] for k in order], kind,
             np.ascontiguousarray(quantized.transpose(order)),
             scale, zero, order.index(axis))
    if moved and not in_float:
        m.tensor("w1", shape, kind, None, scale, zero, axis)
        m.op("TRANSPOSE", ["w0", m.const("order", back.astype(np.int32))], ["w1"],
             "TransposeOptions")
    m.tensor("w", shape, data=values if in_float else None)
    if not in_float:
        m.op("DEQUANTIZE", ["w1" if moved else "w0"], ["w"], "DequantizeOptions")
    feeds = {"x": d.uniform(-1, 3, x_shape).astype(np.float32)}
    if op == "GATHER":
        feeds = {"x": np.int32([7, 0, 3])}
    m.tensor("x", x_shape, feeds["x"].dtype.name)
    operands = ["x", "w"] if operand else ["w", "x"]
    if op in STORED and op != "GATHER":
        operands.append(m.const("b", d.uniform(-1, 1, shape[axis]).astype(np.float32)))
    if op == "TRANSPOSE_CONV":
        operands = [m.const("size", np.int32([1, 8, 8, 6])), "w", "x"]
    m.op(op, operands, ["y"], options, **fields)
    return m, feeds


@pytest.mark.parametrize("moved", [False, True])
def test_it_computes_what_the_weights_stand_for(tmp_path, moved):
    runs, wanted = [], {}
    for op in LAYERS:
        for kind, per_channel in KINDS:
            if moved and kind in LIMITS:
                continue
            m, feeds = layer(op, kind, per_channel, moved)
            name = f"{op}-{kind}-{per_channel}"
            path = m.save(tmp_path, ["x"], ["y"])
            graph = try_import("tflite", path, feeds, ["y"])
            assert not isinstance(graph, str), (name, graph)
            floats, _ = layer(op, kind, per_channel, False, in_float=True)
            wanted[name] = [litert(floats.bytes(["x"], ["y"]), feeds)]
            if kind == "int8" and not moved:  # LiteRT dequantizes others for some operators only
                wanted[name].append(litert(path.read_bytes(), feeds))
            runs.append(Run(name, graph, feeds))
    run_all(runs, tmp_path)
    for run in runs:
        assert not run.error, (run.name, run.error)
        for (want,) in wanted[run.name]:
            np.testing.assert_allclose(run.outputs["y"], want, rtol=1e-4, atol=1e-3,
                                       err_msg=run.name)


@pytest.mark.parametrize("kind", ["int4", "int8"])
@pytest.mark.parametrize("op", ["FULLY_CONNECTED", "CONV_2D"])
def test_narrow_weights_of_quantized_layers(tmp_path, op, kind):
    d = np.random.default_rng(3)
    x_shape, shape, _, _, options, fields = LAYERS[op]
    low, high = LIMITS.get(kind, (-128, 127))
    scale = d.uniform(0.002, 0.02, shape[0]).astype(np.float32) * 8 / high
    x = d.integers(-128, 128, x_shape).astype(np.int8)
    m = Maker()
    m.tensor("x", x_shape, "int8", None, 0.05, 3)
    m.tensor("w", shape, kind, d.integers(low + 1, high + 1, shape).astype(np.int8), scale,
             np.zeros(shape[0]))
    m.tensor("b", (shape[0],), "int32", d.integers(-900, 900, shape[0]).astype(np.int32),
             scale * np.float32(0.05), np.zeros(shape[0]))
    m.tensor("y", (), "int8", None, 0.05, -3)
    m.op(op, ["x", "w", "b"], ["y"], options, **fields)
    path = m.save(tmp_path, ["x"], ["y"])
    run = Run(op, try_import("tflite", path, {"x": x}, ["y"]), {"x": x})
    run_all([run], tmp_path / "run")
    (want,) = litert(path.read_bytes(), {"x": x}, REFERENCE)
    off = np.abs(run.outputs["y"].astype(int) - want)
    assert off.max() <= 1 and (off > 0).mean() < 0.02 and len(np.unique(want)) > 20
    assert {node.op for node in run.graph.nodes} <= {"FullyConnected", "Conv2d", "Reshape"}


def test_computed_tensors_of_4_bits_are_refused_by_name(tmp_path):
    m = Maker()
    m.tensor("x", (3, 4))
    m.tensor("q", (3, 4), "int2", None, 0.1, 0)
    m.op("QUANTIZE", ["x"], ["q"], "QuantizeOptions")
    m.op("DEQUANTIZE", ["q"], ["y"], "DequantizeOptions")
    with pytest.raises(UnsupportedOps) as e:
        load("tflite", m.save(tmp_path, ["x"], ["y"]))
    assert "a computed tensor of INT2" in str(e.value)


@pytest.mark.parametrize("moved, kind, per_channel", [
    *((False, *k) for k in KINDS if k[0] != "int16"), *((True, *k) for k in KINDS[:3])])
@pytest.mark.parametrize("op", STORED)
def test_weights_of_8_bits_stay_so(tmp_path, op, kind, per_channel, moved):
    m, _ = layer(op, kind, per_channel, moved)
    net, _ = emit.build(convert(load("tflite", m.save(tmp_path, ["x"], ["y"]))))
    # Beside them at most the scales, a bias and what aligns them.
    assert net.data_bytes <= max(t.data_size for t in net.tensors) + 3 * 64


def test_a_computed_tensor_with_scales_along_an_axis_is_refused(tmp_path):
    m = Maker()
    m.tensor("x", (3, 4), "int8", None, [0.1, 0.2, 0.3, 0.4], [0, 0, 0, 0], 1)
    m.tensor("y", (3, 4))
    m.op("DEQUANTIZE", ["x"], ["y"], "DequantizeOptions")
    with pytest.raises(UnsupportedOps) as e:
        convert(load("tflite", m.save(tmp_path, ["x"], ["y"])))
    assert "its input 0 has scales along an axis, the engine's has one scale" in str(e.value)
