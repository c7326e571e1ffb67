"""ONNX operators on integers, as NumPy and ONNX Runtime compute them: types for
which an op has no kernel are computed in wider ones, and wrap around.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import numpy as np
import onnx
import pytest
from golden import Run, import_model, run_all
from onnx import helper, numpy_helper
from onnx_quantized_test import by_onnxruntime

RANDOM = np.random.default_rng(11)
AXIS = {"a": np.int64([1])}


def draw(kind: str, *shape: int) -> np.ndarray:
    info = np.iinfo(kind)
    return RANDOM.integers(info.min, info.max, shape, kind, endpoint=True)


def wrapped(kind: str, values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return values.astype(kind)


def cases(kind: str) -> dict:
    """By name: operator, inputs, constants, attributes, and what is right (None: what ONNX Runtime
    computes)."""
    x, z = draw(kind, 3, 4, 5), draw(kind, 3, 4, 5)
    a, b, c = draw(kind, 2, 3, 4), draw(kind, 4, 5), draw(kind, 4)
    k = {"k": np.int64([3])}
    found = {
        "sum": ("ReduceSum", [x], AXIS, {}, wrapped(kind, x.sum(1, keepdims=True))),
        "product": ("ReduceProd", [x], AXIS, {}, wrapped(kind, x.prod(1, keepdims=True))),
        "max": ("ReduceMax", [x], AXIS, {}, x.max(1, keepdims=True)),
        "min": ("ReduceMin", [x], AXIS, {}, x.min(1, keepdims=True)),
        "argmax": ("ArgMax", [x], {}, {"axis": 1}, x.argmax(1)[:, None]),
        "topk": ("TopK", [x], k, {}, -np.sort(-x.astype(object), -1)[..., :3]),
        "cumsum": ("CumSum", [x], {"a": np.int64(1)}, {}, wrapped(kind, x.cumsum(1))),
        "abs": ("Abs", [x], {}, {}, np.abs(x)), "sign": ("Sign", [x], {}, {}, np.sign(x)),
        "relu": ("Relu", [x], {}, {}, np.maximum(x, 0)),
        "add": ("Add", [x, z], {}, {}, x + z), "mul": ("Mul", [x, z], {}, {}, x * z),
        "pow": ("Pow", [x], {"e": np.asarray(3, kind)}, {}, x * x * x),
        "matmul": ("MatMul", [a, b], {}, {}, a @ b),
        "constant": ("MatMul", [a], {"w": b}, {}, a @ b),
        "row": ("MatMul", [c, b], {}, {}, c @ b), "column": ("MatMul", [a, c], {}, {}, a @ c),
        "inner": ("MatMul", [c, c], {}, {}, c @ c),
        "gemm": ("Gemm", [b, a[0]], {}, {"transA": 1, "transB": 1}, b.T @ a[0].T),
    }
    if kind in ("int8", "uint8"):
        found["resize"] = ("Resize", [draw(kind, 1, 2, 5, 6)], {
            "roi": np.float32([]), "s": np.float32([1, 1, 1.7, 2.3])}, {"mode": "linear"}, None)
    return found


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "int64"])
def test_integers(tmp_path: Path, kind):
    runs, wanted = [], {}
    for name, (op, inputs, constants, attrs, want) in cases(kind).items():
        feeds = {f"x{k}": x for k, x in enumerate(inputs)}
        outputs = ["y", "places"] if op == "TopK" else ["y"]
        node = helper.make_node(op, [*feeds, *constants], outputs, **attrs)
        graph = helper.make_graph(
            [node], "integers", [helper.make_tensor_value_info(
                n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in feeds.items()],
            [onnx.ValueInfoProto(name=n) for n in outputs],
            [numpy_helper.from_array(v, n) for n, v in constants.items()])
        path = tmp_path / "m.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)],
                                    ir_version=8), path)
        wanted[name] = by_onnxruntime(path, feeds)["y"] if want is None else want
        runs.append(Run(name, import_model("onnx", path, feeds, None), feeds))
    run_all(runs, tmp_path)
    for run in runs:
        assert not run.error, (run.name, run.error)
        np.testing.assert_array_equal(run.outputs["y"], wanted[run.name].astype(
            np.int64 if run.name == "argmax" else kind), err_msg=run.name)
