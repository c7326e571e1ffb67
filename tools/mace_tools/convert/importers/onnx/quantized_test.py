"""Scales, zero points and quantized values of ONNX models: what is refused, and what stays in
float32.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import MaceError, ModelError, UnsupportedOps
from mace_tools.testing import onnx_file
from mace_tools.testing.by_onnxruntime import Session
from mace_tools.testing.onnx_file import node

X = np.random.default_rng(4).normal(size=(2, 3)).astype(np.float32)
U8, I8, F32 = np.uint8, np.int8, np.float32


def save(tmp_path, nodes, outputs=("y",), opset=21, shape=(2, 3), **constants):
    return onnx_file.model(tmp_path / "m.onnx", nodes, {"x": shape}, outputs, constants, opset)


def pair(tmp_path, opset=21, attrs=None, **constants):
    """x -> QuantizeLinear -> DequantizeLinear -> y"""
    given = {"s": F32(0.5), "z": U8(3)} | constants
    return save(tmp_path, [node("QuantizeLinear", "x s z", "q", "quantize", **attrs or {}),
                           node("DequantizeLinear", "q s z", "y", **attrs or {})],
                opset=opset, **given)


@pytest.mark.parametrize("scale", [0.0, -0.5, np.nan, np.inf])
def test_scales_are_finite_and_above_zero(tmp_path, scale):
    with pytest.raises(ModelError) as e:
        importers.load("onnx", pair(tmp_path, s=F32(scale)))
    assert "QuantizeLinear 'quantize': the scale 's' is" in str(e.value)
    assert "finite and above 0; quantize the model again" in str(e.value)


@pytest.mark.parametrize("words, attrs, constants", [
    ("'s' holds 2 scales, and 'z' 3 zero points", {}, {"s": F32([1, 2]), "z": U8([1, 2, 3])}),
    ("'s' holds 2 scales, and axis 1 of its operand has the extent 3", {},
     {"s": F32([1, 2]), "z": U8([1, 2])}),
    ("its axis is 5, and its operand has 2 axes", {"axis": 5},
     {"s": F32([1, 2, 3]), "z": U8([1, 2, 3])}),
    ("the zero point 'other' is i8, and its quantized values are u8", {}, {"other": I8(3)}),
])
def test_numbers_that_do_not_fit_together(tmp_path, words, attrs, constants):
    path = pair(tmp_path, attrs=attrs, **constants)
    if "other" in constants:
        path = save(tmp_path, [node("QuantizeLinear", "x s z", "q"),
                               node("DequantizeLinear", "q s other", "y", "back")],
                    s=F32(1), z=U8(3), **constants)
    with pytest.raises(ModelError) as e:
        importers.load("onnx", path)
    assert words in str(e.value) and "Linear '" in str(e.value)


@pytest.mark.parametrize("number, kind", [(6, "int32"), (24, "float8e8m0")])
def test_quantized_types_that_do_not_convert_are_named(tmp_path, number, kind):
    path = save(tmp_path, [node("QuantizeLinear", "x s", "y", output_dtype=number)], s=F32(0.5),
                opset=23)
    with pytest.raises(UnsupportedOps) as e:
        importers.load("onnx", path)
    assert f"quantized values of the type {kind}" in str(e.value) and "8 bits" in str(e.value)


def test_an_absent_zero_point_is_zero_and_uint8(tmp_path):
    path = save(tmp_path, [node("QuantizeLinear", "x s", "y")], s=F32(0.5))
    graph = importers.load("onnx", path)
    got = reference.run(graph, {"x": X})["y"]
    np.testing.assert_array_equal(got, np.clip(np.rint(X / 0.5), 0, 255).astype(U8))


SQUARE = np.random.default_rng(5).normal(size=(3, 3)).astype(np.float32)
MORE = [node("Abs", "x", "a"), node("Add", "a half", "positive")]


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("zero", [U8, I8, None])
def test_a_computed_scale(tmp_path, axis, zero):
    """Of the tensor, or along an axis: where the tensor is square, only the axis tells which."""
    attrs, over = ({}, [0, 1]) if axis is None else ({"axis": axis}, [1 - axis % 2])
    zeros = "" if zero is None else " z"
    nodes = [*MORE, node("ReduceMax", "positive over", "s", keepdims=0),
             node("QuantizeLinear", f"x s{zeros}", "q", **attrs),
             node("DequantizeLinear", f"q s{zeros}", "y", **attrs)]
    given = {} if zero is None else {
        "z": zero(5) if axis is None else np.array([5, 1, 7], zero)}
    path = save(tmp_path, nodes, ("y",), 18, (3, 3), half=F32(0.01), over=np.int64(over), **given)
    x = SQUARE * 4
    wanted, = Session(path.read_bytes()).run(["y"], {"x": x})
    got = reference.run(convert(importers.load("onnx", path)), {"x": x})["y"]
    np.testing.assert_allclose(got, wanted, 1e-6)


def test_computed_scales_of_blocks_are_refused(tmp_path):
    nodes = [node("QuantizeLinear", "x x", "q", block_size=1)]
    with pytest.raises(UnsupportedOps, match="scales of blocks that are computed"):
        importers.load("onnx", save(tmp_path, nodes, ("q",)))
    nodes = [node("QuantizeLinear", "x x", "q")]
    with pytest.raises(UnsupportedOps, match=r"computed scales of the shape \[2, 3\]"):
        importers.load("onnx", save(tmp_path, nodes, ("q",)))


def test_blocks_of_constant_weights_become_floats(tmp_path):
    quantized = np.arange(-9, 9, dtype=I8).reshape(3, 6)
    scales = F32([[1, 2, 4], [0.5, 1, 2]])
    path = save(tmp_path, [node("DequantizeLinear", "w s", "r", axis=0, block_size=2),
                           node("MatMul", "x r", "y")],
                w=quantized.T[:6].reshape(6, 3)[:3].repeat(1, 0), s=scales)
    floats = quantized.T[:3] * scales.repeat(2, 0)[:3]
    got = reference.run(convert(importers.load("onnx", path)), {"x": X})["y"]
    np.testing.assert_allclose(got, X @ floats, rtol=1e-5)


def test_blocks_of_the_wrong_shape(tmp_path):
    path = save(tmp_path, [node("DequantizeLinear", "w s", "r", axis=0, block_size=2),
                           node("MatMul", "x r", "y")],
                w=np.zeros((3, 6), I8), s=np.ones((3, 6), F32))
    with pytest.raises(ModelError) as e:
        importers.load("onnx", path)
    assert "has the shape [3, 6], and 2 elements of axis 0 to a block need [2, 6]" in str(e.value)


def layer(tmp_path, bias_scale):
    """A convolution on quantized tensors whose bias has this scale."""
    nodes = [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "r"),
             node("DequantizeLinear", "w sw", "rw"), node("DequantizeLinear", "b sb", "rb"),
             node("Conv", "r rw rb", "c", "layer"), node("QuantizeLinear", "c s z", "p"),
             node("DequantizeLinear", "p s z", "y")]
    return save(tmp_path, nodes, shape=(1, 3, 4, 4), s=F32(0.5), z=U8(128), sw=F32(0.1),
                w=np.ones((2, 3, 1, 1), I8), b=np.int32([5, -3]), sb=F32(bias_scale))


def test_a_bias_has_the_scale_of_the_products(tmp_path):
    graph = convert(importers.load("onnx", layer(tmp_path, 0.05)))
    assert all(graph.is_quantized(n) for n in graph.nodes)
    with pytest.raises(MaceError) as e:
        convert(importers.load("onnx", layer(tmp_path, 0.06)))
    assert "its bias" in str(e.value) and "has the scale 0.06" in str(e.value)
    assert "product of scales 0.05" in str(e.value) and "quantize the model again" in str(e.value)


def test_an_operator_that_computes_with_quantized_values_as_integers_is_refused(tmp_path):
    path = save(tmp_path, [node("QuantizeLinear", "x s z", "q"), node("Cast", "q", "y", to=1)],
                s=F32(0.5), z=U8(3))
    with pytest.raises(ModelError) as e:
        convert(importers.load("onnx", path))
    assert "computes with the quantized values of 'q' as integers" in str(e.value)


def test_what_has_no_quantized_kernel_stays_between_quantized_tensors(tmp_path):
    path = save(tmp_path, [node("QuantizeLinear", "x s z", "q"),
                           node("DequantizeLinear", "q s z", "r"), node("Hardmax", "r", "e"),
                           node("QuantizeLinear", "e s z", "y")], s=F32(0.5), z=U8(3))
    graph = convert(importers.load("onnx", path))
    assert [n.op for n in graph.nodes if not graph.is_quantized(n)] == ["Hardmax"]
    assert any("computed in float32 between quantized tensors: 1 nodes (Hardmax)" in n
               for n in graph.notes)
    assert graph.tensors["y"].dtype == "u8" and graph.tensors["y"].quant.zero_point == [3]


def test_two_scales_of_one_tensor_are_not_merged(tmp_path):
    path = save(tmp_path, [node("QuantizeLinear", "x s z", "y"),
                           node("QuantizeLinear", "x t z", "v")], ("y", "v"),
                s=F32(0.5), t=F32(0.25), z=U8(3))
    got = reference.run(convert(importers.load("onnx", path)), {"x": X})
    for name, scale in (("y", 0.5), ("v", 0.25)):
        np.testing.assert_array_equal(got[name], np.clip(np.rint(X / scale) + 3, 0, 255))


def test_scales_of_float16_make_float16(tmp_path):
    path = save(tmp_path, [node("Cast", "x", "h", to=10), node("QuantizeLinear", "h s z", "q"),
                           node("DequantizeLinear", "q s z", "r"), node("Add", "r h", "y")],
                s=np.float16(0.5), z=U8(30))
    got = reference.run(convert(importers.load("onnx", path)), {"x": X})["y"]
    np.testing.assert_allclose(got, np.rint(X.astype(np.float16) / 0.5) * 0.5 + X, atol=2e-3)
