"""Resize beside ONNX Runtime, whose arithmetic decides which element mode nearest takes, and how
uint8 is rounded.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnx
import onnxruntime
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.ops.common.resizing import Axis, nearest
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.onnx_cases import Case, i64, save, uniform
from mace_tools.testing.onnx_file import model, node

NEAREST = ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")


def session(model: onnx.ModelProto | str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, 1
    model = model if isinstance(model, str) else model.SerializeToString()
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def row_resizer(**attrs) -> onnxruntime.InferenceSession:
    """Resizes the last axis of [1, 1, 1, N] to sizes that each run gives."""
    value, kinds = onnx.helper.make_tensor_value_info, onnx.TensorProto
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], **attrs)], "g",
        [value("x", kinds.FLOAT, [1, 1, 1, None]), value("sizes", kinds.INT64, [4])],
        [value("y", kinds.FLOAT, None)])
    return session(onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=8))


@pytest.mark.parametrize("rounding", NEAREST)
@pytest.mark.parametrize("coordinate, name", [
    ("asymmetric", "ASYMMETRIC"), ("half_pixel", "HALF_PIXEL"),
    ("pytorch_half_pixel", "PYTORCH_HALF_PIXEL"), ("align_corners", "ALIGN_CORNERS"),
    ("tf_half_pixel_for_nn", "TF_HALF_PIXEL_NN"), ("half_pixel_symmetric", "HALF_PIXEL_SYMMETRIC")])
def test_nearest_takes_the_elements_that_onnx_runtime_takes(coordinate, name, rounding):
    """Of all sizes up to 32, but equal ones, which it copies."""
    runtime = row_resizer(mode="nearest", nearest_mode=rounding,
                          coordinate_transformation_mode=coordinate)
    wrong = []
    for n in range(1, 33):
        x = np.arange(n, dtype=np.float32).reshape(1, 1, 1, n)
        for m in {*range(1, 33)} - {n}:
            want = runtime.run(None, {"x": x, "sizes": i64(1, 1, 1, m)})[0].ravel()
            if (nearest(name, rounding.upper(), Axis(n, m, m / n)) != want).any():
                wrong.append((n, m))
    assert wrong == []


def both(folder, operands, **attrs) -> tuple[np.ndarray, np.ndarray]:
    path = save(folder / "m.onnx", "Resize", Case(operands, attrs))
    got = reference.run(importers.load("onnx", path), {"x": operands[0]})["y0"]
    return got, session(str(path)).run(None, {"x": operands[0]})[0]


@pytest.mark.parametrize("axes", [[2, 3], [1]])
def test_nearest_in_a_graph(tmp_path, axes):
    """Ties, by the engine's operator and, along another axis, by indices."""
    for n, m, kind in ((20, 6, "half_pixel"), (7, 2, "asymmetric"), (26, 64, "asymmetric")):
        x = np.arange(3 * n * n, dtype=np.float32).reshape(
            [1, 3, n, n] if axes != [1] else [1, n, n, 3])
        got, want = both(tmp_path, [x, None, None, i64(*[m] * len(axes))], mode="nearest",
                         nearest_mode="round_prefer_ceil", coordinate_transformation_mode=kind,
                         axes=axes)
        assert got.tolist() == want.tolist()


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("scales", [
    (0.6, 0.6), (0.6, 1.7), (2.0, 0.3), (1.0, 0.9), (0.37, 1.0), (0.75, 0.5), (1.3, 1.9)])
def test_scales_before_opset_11(tmp_path, scales, mode):
    x = np.arange(3 * 20 * 40, dtype=np.float32).reshape(1, 3, 20, 40)
    path = model(tmp_path / "m.onnx", [node("Resize", "x s", "y", mode=mode)], {"x": x.shape},
                 ["y"], {"s": np.array([1, 1, *scales], np.float32)}, 10)
    got = reference.run(importers.load("onnx", path), {"x": x})["y"]
    np.testing.assert_allclose(got, session(str(path)).run(None, {"x": x})[0], rtol=1e-6,
                               atol=0 if mode == "nearest" else 1e-3)


@pytest.mark.parametrize("size", [(7, 6), (7, 30), (20, 6), (14, 5), (33, 40)])
@pytest.mark.parametrize("outside", [0, 1])
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_antialias_as_pytorch_writes_it(tmp_path, mode, outside, size):
    got, want = both(tmp_path, [uniform(1, 3, 14, 17), None, None, i64(1, 3, *size)], mode=mode,
                     antialias=1, exclude_outside=outside)
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-5)  # its positions are float32


@pytest.mark.parametrize("size", [(7, 6), (7, 30), (20, 6), (14, 5), (33, 40)])
@pytest.mark.parametrize("mode, outside", [("linear", 0), ("linear", 1), ("cubic", 1)])
def test_antialias_of_uint8_rounds_along_each_axis(tmp_path, mode, outside, size):
    x = np.random.default_rng(1).integers(0, 256, (1, 3, 14, 17)).astype(np.uint8)
    got, want = both(tmp_path, [x, None, None, i64(1, 3, *size)], mode=mode, antialias=1,
                     exclude_outside=outside)
    assert got.dtype == want.dtype and got.tolist() == want.tolist()


def test_antialias_of_other_integers_is_refused(tmp_path):
    x = np.ones((1, 1, 4, 4), np.int32)
    with pytest.raises(UnsupportedOps, match="mode linear for i32"):
        both(tmp_path, [x, None, None, i64(1, 1, 2, 2)], mode="linear", antialias=1)


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("rounding", NEAREST)
def test_nearest_with_keep_aspect_ratio_policy(tmp_path, policy, rounding):
    for shape, size in (((9, 7), (12, 12)), ((9, 7), (4, 5)), ((20, 13), (6, 9)), ((7, 5), (2, 2))):
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(1, 1, *shape)
        got, want = both(tmp_path, [x, None, None, i64(*size)], mode="nearest", axes=[2, 3],
                         nearest_mode=rounding, keep_aspect_ratio_policy=policy)
        assert got.tolist() == want.tolist(), (shape, size)
