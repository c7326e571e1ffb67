"""Casts to types that the engine lacks, against ml_dtypes, whose types ONNX's own tests use.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper

from mace_tools.convert import importers, reference
from mace_tools.convert.importers import narrow_types
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import UnsupportedOps

FLOATS = {"float8e4m3fn": ml_dtypes.float8_e4m3fn, "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
          "float8e5m2": ml_dtypes.float8_e5m2, "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
          "float4e2m1": ml_dtypes.float4_e2m1fn, "float6e2m3": ml_dtypes.float6_e2m3fn,
          "float6e3m2": ml_dtypes.float6_e3m2fn}
INTEGERS = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4, "int2": ml_dtypes.int2,
            "uint2": ml_dtypes.uint2}


def number(name: str) -> int:
    return int(getattr(onnx.TensorProto, name.upper()))


def model(path: Path, x: np.ndarray, to: str, like: bool = False, **attrs: int) -> Path:
    kind = number(to)
    if like:
        nodes = [helper.make_node("CastLike", ["x", "like"], ["y"], **attrs)]
        constants = [helper.make_tensor("like", kind, [1], [0.0])]
    else:
        nodes, constants = [helper.make_node("Cast", ["x"], ["y"], to=kind, **attrs)], []
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(
        "x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
        [helper.make_tensor_value_info("y", kind, x.shape)], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=13)
    path.write_bytes(made.SerializeToString())
    return path


def run(path: Path, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return reference.run(convert(importers.load("onnx", path)), {"x": x})["y"]


def numbers_around(kind: type) -> np.ndarray:
    """All numbers of a type, those between two of them, and their neighbours in float32."""
    bits = ml_dtypes.finfo(kind).bits
    own = np.arange(1 << bits, dtype=np.uint8).view(kind).astype(np.float32)
    own = np.unique(own[np.isfinite(own)])
    near = np.concatenate([own, (own[1:] + own[:-1]) / 2, own * 1.01])
    near = np.concatenate([near, np.nextafter(near, np.float32(0)),
                           np.nextafter(near, np.float32(np.inf))])
    last = np.float32([3e38, -3e38, np.inf, -np.inf, np.nan, 1e-30, -0.0, own.max() * 1.2])
    near = np.concatenate([near, last])
    return near[(np.abs(near) >= np.finfo(np.float32).tiny) | (near == 0) | np.isnan(near)]


@pytest.mark.parametrize("saturate", [1, 0])
@pytest.mark.parametrize("name", FLOATS)
def test_a_small_float(tmp_path, name, saturate):
    x, kind = numbers_around(FLOATS[name]), FLOATS[name]
    most = float(ml_dtypes.finfo(kind).max)
    with np.errstate(all="ignore"):
        want = (np.clip(x, -most, most) if saturate else x).astype(kind).astype(np.float32)
    got = run(model(tmp_path / "m.onnx", x, name, saturate=saturate), x)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("like", [False, True])
def test_bfloat16(tmp_path, like):
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 1 << 32, 4000, np.uint32)
    bits[:2000:2] = bits[:2000:2] & ~np.uint32(0xFFFF) | np.uint32(0x8000)  # between two
    x = np.append(bits.view(np.float32), np.float32([np.inf, -np.inf, np.nan, 3.4e38, 0.0]))
    x = x[(np.abs(x) >= np.finfo(np.float32).tiny) | (x == 0) | np.isnan(x)]
    with np.errstate(all="ignore"):
        want = x.astype(ml_dtypes.bfloat16).astype(np.float32)
    got = run(model(tmp_path / "m.onnx", x, "bfloat16", like), x)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("kind", [np.float32, np.int32, np.int64, np.uint8, np.float16])
@pytest.mark.parametrize("name", INTEGERS)
def test_a_small_integer(tmp_path, name, kind):
    low, high = narrow_types.INTEGERS[name].limits
    x = np.arange(low, high + 1).astype(kind)
    if np.dtype(kind).kind == "f":
        x = x + np.where(x < 0, -0.25, 0.25).astype(kind)  # cut towards 0
    elif kind is not np.uint8:
        x = np.concatenate([x, x + 16, x - 32])  # the low bits
    want = np.trunc(x).astype(np.int64).astype(INTEGERS[name]).astype(np.int64)
    got = run(model(tmp_path / "m.onnx", x, name), x)
    assert got.dtype == narrow_types.INTEGERS[name].held
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS])
def test_like_another_and_back(tmp_path, name):
    x = np.float32([0, 1, 1.25, 1, 3.5 if name in FLOATS else 1])
    got = run(model(tmp_path / "m.onnx", x, name, like=True), x)
    kind = FLOATS.get(name) or INTEGERS[name]
    np.testing.assert_array_equal(got, x.astype(kind).astype(got.dtype))


def test_an_input_of_few_bits_is_an_int8(tmp_path):
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=1)], "g",
        [helper.make_tensor_value_info("x", number("int4"), [3])],
        [helper.make_tensor_value_info("y", 1, [3])])
    path = tmp_path / "m.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)],
                                       ir_version=12).SerializeToString())
    graph = importers.load("onnx", path)
    assert graph.tensors["x"].dtype == "i8" and "int4 tensor(s)" in graph.notes[0]
    x = np.int8([-8, 0, 7])
    np.testing.assert_array_equal(reference.run(graph, {"x": x})["y"], x.astype(np.float32))


@pytest.mark.parametrize("name", ["float8e8m0", "string", "complex64"])
def test_other_types_are_named(tmp_path, name):
    path = model(tmp_path / "m.onnx", np.float32([1]), name)
    with pytest.raises(UnsupportedOps, match=name):
        importers.load("onnx", path)
