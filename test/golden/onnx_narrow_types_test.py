"""ONNX types of 2, 4 and 16 bits, and floats of 4, 6 and 8 bits: as ONNX's
reference evaluator computes them.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from golden import Run, import_model, run_all
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from mace_tools.convert import emit, importers
from mace_tools.convert.passes.pipeline import convert

KINDS = {"INT4": ml_dtypes.int4, "UINT4": ml_dtypes.uint4, "INT2": ml_dtypes.int2,
         "UINT2": ml_dtypes.uint2, "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
         "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "FLOAT8E5M2": ml_dtypes.float8_e5m2,
         "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "FLOAT4E2M1": ml_dtypes.float4_e2m1fn}
RANDOM = np.random.default_rng(8)
X = RANDOM.standard_normal((2, 34)).astype(np.float32)
SHAPE = (34, 6)  # of the weights; blocks of 16 leave a shorter one
# Name: the shape of the scales, attributes of DequantizeLinear.
WAYS = {"tensor": ((), {}), "axis": ((6,), {"axis": 1}), "first axis": ((34,), {"axis": 0}),
        "block": ((3, 6), {"axis": 0, "block_size": 16}),
        "other block": ((34, 2), {"axis": 1, "block_size": 4})}


def weights(kind: str) -> np.ndarray:
    if "INT" in kind:
        low, high = (int(ml_dtypes.iinfo(KINDS[kind]).min), int(ml_dtypes.iinfo(KINDS[kind]).max))
        return RANDOM.integers(low, high + 1, SHAPE).astype(KINDS[kind])
    return RANDOM.standard_normal(SHAPE).astype(KINDS[kind])


def save(path: Path, nodes: list, constants: dict, opset: int = 25) -> Path:
    graph = helper.make_graph(
        [helper.make_node(op, i.split(), [o], **attrs) for op, i, o, attrs in nodes], "narrow",
        [helper.make_tensor_value_info("x", 1, X.shape)], [onnx.ValueInfoProto(name="y")],
        [v if isinstance(v, TensorProto) else numpy_helper.from_array(np.asarray(v), n)
         for n, v in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=13)
    onnx.save(model, path)
    return path


def typed(name: str, kind: str, values: np.ndarray) -> TensorProto:
    """With its contents in a field of numbers instead of raw data."""
    return helper.make_tensor(name, getattr(TensorProto, kind), values.shape,
                              values.astype(np.float32).ravel().tolist())


def dequantized(values: np.ndarray, scale: np.ndarray, zero: np.ndarray, attrs: dict) -> np.ndarray:
    """By the definition: (x - zero point) * scale."""
    if "block_size" in attrs:
        keep = [slice(None)] * 2
        keep[attrs["axis"]] = slice(SHAPE[attrs["axis"]])
        scale, zero = (np.repeat(v, attrs["block_size"], attrs["axis"])[tuple(keep)]
                       for v in (scale, zero))
    elif scale.ndim:
        shape = [-1 if k == attrs["axis"] else 1 for k in range(2)]
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    return (values.astype(np.float32) - zero.astype(np.float32)) * scale


def check(runs: list[Run], wanted: dict, folder: Path, atol: float = 1e-4) -> None:
    run_all(runs, folder)
    for run in runs:
        assert not run.error, (run.name, run.error)
        np.testing.assert_allclose(run.outputs["y"], wanted[run.name], rtol=1e-5, atol=atol,
                                   err_msg=run.name)


@pytest.mark.parametrize("kind", KINDS)
def test_constants_are_the_numbers_that_they_stand_for(tmp_path, kind):
    runs, wanted = [], {}
    for way, (shape, attrs) in WAYS.items():
        for raw in (False, True):
            values = weights(kind)
            scale = RANDOM.uniform(0.01, 0.1, shape).astype(np.float32)
            zero = np.zeros(shape, np.int64)
            operands, constants = "w s", {}
            if "INT" in kind:
                zero = RANDOM.integers(0, 2, shape)
                operands, constants = "w s z", {"z": typed("z", kind, np.asarray(zero))}
            constants |= {"w": numpy_helper.from_array(values, "w") if raw
                          else typed("w", kind, values), "s": scale}
            path = save(tmp_path / "m.onnx", [("DequantizeLinear", operands, "d", attrs),
                                              ("MatMul", "x d", "y", {})], constants)
            name = f"{way} {raw}"
            wanted[name] = X @ dequantized(values, scale, np.asarray(zero), attrs)
            runs.append(Run(name, import_model("onnx", path, {"x": X}, None), {"x": X}))
    check(runs, wanted, tmp_path)


@pytest.mark.parametrize("kind", [*KINDS, "FLOAT6E2M3", "FLOAT6E3M2", "FLOAT8E8M0"])
def test_constants_are_cast_and_moved(tmp_path, kind):
    numbers = [0.5, 1, 2, 1, 4, 2] if kind[0] == "F" else [0, 1, 1, 0, 1, 1]
    values = np.resize(np.float32(numbers), (6, 34))
    path = save(tmp_path / "m.onnx", [("Transpose", "w", "t", {"perm": [1, 0]}),
                                      ("Cast", "t", "f", {"to": 1}), ("MatMul", "x f", "y", {})],
                {"w": typed("w", kind, values)})
    run = Run(kind, import_model("onnx", path, {"x": X}, None), {"x": X})
    check([run], {kind: X @ values.T}, tmp_path)


@pytest.mark.parametrize("kind", ["INT4", "UINT4", "INT2", "UINT2", "INT16", "UINT16"])
def test_computed_tensors_are_rounded_to_few_bits(tmp_path, kind):
    runs, wanted = [], {}
    bits = int(kind[-2:].strip("T"))
    for per_axis in (False, True):
        zero = np.full(34 if per_axis else (), 1 if bits < 16 else 77)
        scale = np.float32(4 / (1 << bits))
        scale = scale * RANDOM.uniform(0.5, 1.5, 34).astype(np.float32) if per_axis else scale
        for moved in (False, True):
            nodes = [("QuantizeLinear", "x s z", "q", {}), ("DequantizeLinear", "q s z", "d", {})]
            nodes += [("Transpose", "d", "e", {"perm": [1, 0]})] if moved else [
                ("Mul", "d c", "e", {})]
            if not per_axis:
                nodes += [("QuantizeLinear", "e s z", "p", {}),
                          ("DequantizeLinear", "p s z", "e2", {}), ("Neg", "e2", "y", {})]
            else:
                nodes.append(("Neg", "e", "y", {}))
            path = save(tmp_path / "m.onnx", nodes, {"s": scale, "z": typed("z", kind, zero),
                                                     "c": np.float32(0.5)})
            name = f"{kind} {per_axis} {moved}"
            (wanted[name],) = ReferenceEvaluator(onnx.load(path)).run(None, {"x": X})
            runs.append(Run(name, import_model("onnx", path, {"x": X}, None), {"x": X}))
    check(runs, wanted, tmp_path, atol=1e-6)


@pytest.mark.parametrize("kind", ["INT4", "UINT4", "INT2"])
def test_integers_with_a_scale_for_each_row_are_stored_in_8_bits(tmp_path, kind):
    path = save(tmp_path / "m.onnx", [("DequantizeLinear", "w s", "d", {"axis": 1}),
                                      ("MatMul", "x d", "y", {})],
                {"w": typed("w", kind, weights(kind)), "s": np.full(6, 0.25, np.float32)})
    net, _ = emit.build(convert(importers.load("onnx", path)))
    assert net.data_bytes <= 34 * 6 + 64 + 6 * 4
