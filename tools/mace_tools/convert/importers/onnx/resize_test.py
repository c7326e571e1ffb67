"""Resize with antialias, axes and keep_aspect_ratio_policy beside ONNX's own reference evaluator.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.support.errors import ModelError, UnsupportedOps

onnx = pytest.importorskip("onnx")
from onnx.reference import ReferenceEvaluator  # noqa: E402

from mace_tools.testing.onnx_cases import Case, i64, save, uniform  # noqa: E402

X = np.random.default_rng(7).uniform(-1, 1, (1, 2, 9, 7)).astype(np.float32)
# The evaluator computes in float32: antialiased, it is up to 1.5e-6 off its formulas in float64.
JUDGE = {"rtol": 1e-5, "atol": 2e-6}


def both(folder, operands, **attrs) -> tuple[np.ndarray, np.ndarray]:
    """Ours, and what the definition gives."""
    path = save(folder / "m.onnx", "Resize", Case(operands, attrs))
    got = reference.run(importers.load("onnx", path), {"x": operands[0]})["y0"]
    return got, ReferenceEvaluator(str(path)).run(None, {"x": operands[0]})[0]


COORDINATES = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
# One pixel by pytorch_half_pixel: the evaluator takes -0.5 for the 0 that the definition has.
SIZES = [(c, size) for c in COORDINATES for size in ((4, 3), (13, 3), (5, 14), (1, 1))
         if (c, size) != ("pytorch_half_pixel", (1, 1))]


@pytest.mark.parametrize("outside", [0, 1])
@pytest.mark.parametrize("coordinate, size", SIZES)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_antialias(tmp_path, mode, coordinate, outside, size):
    got, want = both(tmp_path, [X, None, None, i64(1, 2, *size)], mode=mode, antialias=1,
                     exclude_outside=outside,
                     coordinate_transformation_mode=coordinate)
    np.testing.assert_allclose(got, want, **JUDGE)


def test_antialias_with_scales_and_of_any_axes(tmp_path):
    got, want = both(tmp_path, [X, None, np.float32([1, 1, 0.5, 0.6])], mode="linear", antialias=1)
    np.testing.assert_allclose(got, want, **JUDGE)
    x = uniform(3, 8, 5)
    got, want = both(tmp_path, [x, None, None, i64(2, 3)], mode="cubic", antialias=1, axes=[2, 1])
    np.testing.assert_allclose(got, want, **JUDGE)


def test_antialias_changes_nothing_where_nothing_shrinks(tmp_path):
    path = save(tmp_path / "m.onnx", "Resize",
                Case([X, None, None, i64(1, 2, 18, 14)], {"mode": "linear", "antialias": 1}))
    assert "MatMul" not in {n.op for n in importers.load("onnx", path).nodes}


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("mode, size", [
    ("linear", (12, 12)), ("linear", (3, 3)), ("cubic", (5, 13)), ("nearest", (18, 21)),
    ("nearest", (9, 20))])
def test_keep_aspect_ratio_policy(tmp_path, policy, mode, size):
    """Some of these make extents that are not the input's times the scale."""
    try:
        got, want = both(tmp_path, [X, None, None, i64(*size)], mode=mode, axes=[2, 3],
                         keep_aspect_ratio_policy=policy)
    except UnsupportedOps as e:
        assert mode == "nearest" and "not the ratio of the sizes" in str(e)
        return
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_axes_name_what_sizes_and_scales_are_for(tmp_path):
    """Each beside the same with all axes, as the evaluator knows it."""
    for axes, numbers, whole in (
            ([2, 3], i64(4, 5), i64(1, 2, 4, 5)), ([3, 2], i64(5, 4), i64(1, 2, 4, 5)),
            ([-1], i64(5), i64(1, 2, 9, 5)), ([0, 1, 2, 3], i64(1, 2, 4, 5), i64(1, 2, 4, 5)),
            ([3, 2], np.float32([0.5, 2]), np.float32([1, 1, 2, 0.5]))):
        at = 3 if numbers.dtype == np.int64 else 2
        absent: list = [None] * (at - 1)
        path = save(tmp_path / "m.onnx", "Resize",
                    Case([X, *absent, numbers], {"mode": "linear", "axes": axes}))
        got = reference.run(importers.load("onnx", path), {"x": X})["y0"]
        np.testing.assert_allclose(got, both(tmp_path, [X, *absent, whole], mode="linear")[1],
                                   rtol=1e-5, atol=1e-6)
    with pytest.raises(ModelError, match="2 scales or sizes for 1 axes"):
        both(tmp_path, [X, None, None, i64(4, 5)], mode="linear", axes=[2])


@pytest.mark.parametrize("attrs, what", [
    ({"coordinate_transformation_mode": "half_pixel_symmetric"}, "half_pixel_symmetric"),
    ({"coordinate_transformation_mode": "tf_crop_and_resize"}, "tf_crop_and_resize"),
    ({"antialias": 1, "keep_aspect_ratio_policy": "not_larger"},
     "antialias and keep_aspect_ratio_policy")])
def test_what_the_engine_cannot_do_with_computed_sizes_is_refused(tmp_path, attrs, what):
    info = onnx.helper.make_tensor_value_info
    node = onnx.helper.make_node("Resize", ["x", "roi", "", "sizes"], ["y"], mode="linear", **attrs)
    roi = onnx.numpy_helper.from_array(np.float32([0, 0, 0.1, 0.2, 1, 1, 0.9, 0.8]), "roi")
    graph = onnx.helper.make_graph(
        [node], "g", [info("x", 1, X.shape), info("sizes", 7, [4])], [info("y", 1, None)], [roi])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)],
                                     ir_version=9), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedOps, match=f"{what} with computed sizes"):
        importers.load("onnx", tmp_path / "m.onnx")
