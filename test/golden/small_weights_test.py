"""Weights that a source model holds in 8 or 16 bits take no more in the converted one.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import numpy as np
import onnx
import pytest
from golden import Run, import_model, run_all, try_import
from onnx import helper, numpy_helper
from onnx_quantized_test import by_onnxruntime

from mace_tools.convert import emit
from mace_tools.testing.by_litert import litert
from mace_tools.testing.tflite_file import Maker

RANDOM = np.random.default_rng(4)
X = RANDOM.standard_normal((3, 64)).astype(np.float32)
SCALES = RANDOM.uniform(0.01, 0.1, 32).astype(np.float32)
MUL, LAST = ("Mul", "f s", "m", {}), ("MatMul", "x m", "y", {})
# How weights [64, 32] become floats: nodes between Cast and MatMul, the constant s, their shape.
WAYS = {
    "as they are": ([("Identity", "f", "m", {})], 1.0, None),
    "one scale": ([MUL], 0.013, None),
    "scales of columns": ([("Mul", "s f", "m", {})], SCALES, None),
    "scales of rows": ([MUL], np.resize(SCALES, (64, 1)), None),
    "a zero point": ([("Sub", "f z", "g", {}), ("Mul", "g s", "m", {})], SCALES, None),
    "transposed": ([("Mul", "f s", "g", {}), ("Transpose", "g", "m", {"perm": [1, 0]})],
                   np.resize(SCALES, 64), (32, 64)),
    "reshaped": ([("Mul", "f s", "g", {}), ("Reshape", "g shape", "m", {})], 0.02, (64, 4, 8)),
    "by fp16": ([("Cast", "f", "h", {"to": 10}), ("Cast", "h", "g", {"to": 1}),
                 ("Mul", "g s", "m", {})], 0.013, None),
}


def save(path: Path, way: str, kind: str) -> Path:
    nodes, scale, shape = WAYS[way]
    info = np.iinfo(kind)
    constants = {"w": RANDOM.integers(info.min, info.max + 1, shape or (64, 32)).astype(kind),
                 "s": np.float32(scale), "z": np.float32(info.max // 2 + 3),
                 "shape": np.int64([64, 32])}
    nodes = [("Cast", "w", "f", {"to": 1}), *nodes, LAST]
    graph = helper.make_graph(
        [helper.make_node(op, i.split(), [y], **attrs) for op, i, y, attrs in nodes], "cast",
        [helper.make_tensor_value_info("x", 1, X.shape)], [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                ir_version=8), path)
    return path


@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_weights_behind_cast_and_mul(tmp_path, kind):
    runs, wanted = [], {}
    for way in WAYS:
        path = save(tmp_path / "m.onnx", way, kind)
        wanted[way] = by_onnxruntime(path, {"x": X})["y"]
        runs.append(Run(way, import_model("onnx", path, {"x": X}, None), {"x": X}))
        net, _ = emit.build(runs[-1].graph)
        assert net.data_bytes <= 64 * 32 + 4 * 32, (way, net.data_bytes)
    run_all(runs, tmp_path)
    for run in runs:
        assert not run.error, (run.name, run.error)
        np.testing.assert_allclose(run.outputs["y"], wanted[run.name], rtol=1e-5, atol=1e-4 *
                                   np.abs(wanted[run.name]).max(), err_msg=run.name)


@pytest.mark.parametrize("op, shape, options", [
    ("FULLY_CONNECTED", (32, 64), "FullyConnectedOptions"),
    ("BATCH_MATMUL", (64, 32), "BatchMatMulOptions"), ("MUL", (3, 64), "MulOptions")])
def test_fp16_weights_of_tflite(tmp_path, op, shape, options):
    m = Maker()
    m.tensor("x", X.shape)
    m.const("w16", RANDOM.standard_normal(shape).astype(np.float16))
    m.tensor("w", shape)
    m.op("DEQUANTIZE", ["w16"], ["w"], "DequantizeOptions")
    m.op(op, ["x", "w"], ["y"], options)
    path = m.save(tmp_path, ["x"], ["y"])
    run = Run(op, try_import("tflite", path, {"x": X}, ["y"]), {"x": X})
    net, _ = emit.build(run.graph)
    assert net.data_bytes == 2 * np.prod(shape)
    run_all([run], tmp_path / "run")
    (want,) = litert(path.read_bytes(), {"x": X})
    np.testing.assert_allclose(run.outputs["y"], want, rtol=1e-5, atol=1e-4)
