"""TFLite weights behind a DEQUANTIZE: computed as LiteRT does, and stored in 8 bits.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import pytest
from golden import Run, run_all, try_import

from mace_tools import emit
from mace_tools.errors import UnsupportedOps
from mace_tools.importers import load
from mace_tools.passes.pipeline import convert
from mace_tools.testing.by_litert import litert
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
KINDS = [("int8", True), ("int8", False), ("uint8", False), ("int16", False)]


def layer(op: str, kind: str, per_channel: bool, moved: bool) -> tuple[Maker, dict]:
    """`moved`: the weights are transposed before they become floats."""
    d = np.random.default_rng(len(op))
    x_shape, shape, axis, operand, options, fields = LAYERS[op]
    info = np.iinfo(kind)
    codes = d.integers(info.min + 1, info.max, shape).astype(kind)
    scale = d.uniform(0.002, 0.02, shape[axis] if per_channel else 1).astype(np.float32)
    zero = np.full(len(scale), 0 if per_channel or kind == "int16" else info.max // 2 - 50)
    m = Maker()
    order = list(range(len(shape)))[::-1] if moved else list(range(len(shape)))
    back = np.argsort(order)
    m.tensor("w0", [shape[k] for k in order], kind, np.ascontiguousarray(codes.transpose(order)),
             scale, zero, order.index(axis))
    if moved:
        m.tensor("w1", shape, kind, None, scale, zero, axis)
        m.op("TRANSPOSE", ["w0", m.const("order", back.astype(np.int32))], ["w1"],
             "TransposeOptions")
    m.tensor("w", shape)
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
            m, feeds = layer(op, kind, per_channel, moved)
            name = f"{op}-{kind}-{per_channel}"
            path = m.save(tmp_path, ["x"], ["y"])
            graph = try_import("tflite", path, feeds, ["y"])
            assert not isinstance(graph, str), (name, graph)
            wanted[name] = litert(path.read_bytes(), feeds)
            runs.append(Run(name, graph, feeds))
    run_all(runs, tmp_path)
    judged = [run for run in runs if not isinstance(wanted[run.name], str)]
    assert len(judged) >= len(runs) // 2 if moved else len(judged) == len(runs), wanted
    for run in runs:
        assert not run.error, (run.name, run.error)
    for run in judged:
        np.testing.assert_allclose(run.outputs["y"], wanted[run.name][0], rtol=1e-4, atol=1e-3,
                                   err_msg=run.name)


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("kind, per_channel", KINDS[:3])
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
