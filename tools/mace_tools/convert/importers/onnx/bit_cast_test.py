"""BitCast between all types of the same size, against NumPy's views of the same bytes.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from onnx import helper

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.ir import NUMPY
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.onnx_nodes import as_held

TYPES = [np.dtype(t) for t in ("i1", "u1", "i2", "u2", "f2", ml_dtypes.bfloat16, "i4", "u4", "f4",
                               "i8", "u8", "f8")]
PAIRS = [(a, b) for a, b in itertools.permutations(TYPES, 2) if a.itemsize == b.itemsize]
DOUBLES = np.array([0.0, -0.0, 1.0, -1.5, 3.5e38, -3.5e38, 1e-40, np.inf, -np.inf, np.nan,
                    np.pi, -1e300, 2.0**-126, 16777217.0, 0.1])


def model(path: Path, x: np.ndarray, to: np.dtype) -> Path:
    kind, number = (helper.np_dtype_to_tensor_dtype(t) for t in (x.dtype, to))
    nodes = [helper.make_node("BitCast", ["x"], ["y"], to=number)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", kind, x.shape)],
                              [helper.make_tensor_value_info("y", number, x.shape)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 26)], ir_version=12)
    path.write_bytes(made.SerializeToString())
    return path


def values(kind: np.dtype) -> np.ndarray:
    """Numbers of many exponents, all of which float32 holds, and NaN where there is one."""
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return np.array([0, 1, info.max, info.min, info.max // 3, info.max - 2], kind)
    known = np.array([0, -0.0, 1, -1.5, 2.0**-14, -(2.0**15), np.inf, -np.inf, 0.375], kind)
    wide = [2.0**100, -(2.0**-100)] if kind.name != "float16" else [3.5, -7]
    return np.append(known, np.array(wide, kind))


def run(path: Path, x: np.ndarray) -> np.ndarray:
    graph = convert(importers.load("onnx", path))
    return reference.run(graph, {"x": as_held(x, graph.tensors["x"].dtype)})["y"]


@pytest.mark.parametrize("kind, to", PAIRS, ids=lambda t: t.name)
def test_the_bits_stay(tmp_path, kind, to):
    x = values(kind)
    want = x.view(to)
    if to.name in ("float32", "float16", "bfloat16"):  # the engine takes denormal numbers for 0
        keep = (np.abs(want.astype(np.float32)) >= np.finfo(np.float32).tiny) | (want == 0)
        x, want = x[keep], want[keep]
    got = run(model(tmp_path / "m.onnx", x, to), x)
    with np.errstate(over="ignore", invalid="ignore"):
        held = want.astype(np.float32) if to.name in ("bfloat16", "float64") else want
        np.testing.assert_array_equal(got, held.astype(got.dtype))


def test_a_double_is_the_nearest_float(tmp_path):
    x = DOUBLES.view(np.int64)
    with np.errstate(over="ignore", under="ignore"):
        want = DOUBLES.astype(np.float32)
    want[np.abs(want) < np.finfo(np.float32).tiny] = 0
    got = run(model(tmp_path / "m.onnx", x, np.dtype("f8")), x)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(DOUBLES))


def test_bits_of_doubles_are_warned_of(tmp_path):
    graph = importers.load("onnx", model(tmp_path / "m.onnx", DOUBLES, np.dtype("i8")))
    assert any("after they were rounded to float32" in note for note in graph.notes)


@pytest.mark.parametrize("to, reason", [(np.dtype("i8"), "the bits of f32 as i64"),
                                        (np.dtype("f2"), "the bits of f32 as f16")])
def test_another_size_is_refused(tmp_path, to, reason):
    with pytest.raises(UnsupportedOps, match=reason):
        importers.load("onnx", model(tmp_path / "m.onnx", np.float32([1]), to))


def test_all_types_of_the_engine_are_tried():
    assert {t.name for t in TYPES} >= {np.dtype(t).name for t in NUMPY.values()} - {"bool"}
