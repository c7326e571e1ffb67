"""Operators on quantized tensors: QLinearConv, QLinearMatMul and those of ONNX Runtime.

SPDX-License-Identifier: Apache-2.0

Each becomes the float operator between Dequantize and Quantize, which the passes turn
into one that computes on quantized values, as with QuantizeLinear and DequantizeLinear around it.
Source: docs/ContribOperators.md of ONNX Runtime.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.conv import conv
from mace_tools.convert.importers.onnx.pooling import global_pool, pool
from mace_tools.convert.importers.onnx.scales import (
    AGAIN,
    QUANTIZED_TYPES,
    dequantized_of,
    quant_of,
    quantized_from,
)
from mace_tools.convert.importers.source import SourceNode
from mace_tools.graph.ir import Quant
from mace_tools.support.errors import ModelError, Unsupported

MS = "com.microsoft."


def operand(b: Builder, n: SourceNode, names: Sequence[str], axis: int | None = None) -> str:
    """The numbers for which an operand stands that is given quantized, scale and zero point; its
    scales may lie along an axis if one is given."""
    x, scale, zero = names
    if b.dtype(x) not in QUANTIZED_TYPES:
        raise ModelError(f"{n.op} '{n.name}': its operand '{x}' is {b.dtype(x)}; quantized values "
                         f"are int8 or uint8; {AGAIN}")
    return dequantized_of(b, x, quant_of(b, n, scale, zero, b.dtype(x), axis, b.extents(x)))


def result(b: Builder, n: SourceNode, y: str, scale: str, zero: str, like: str) -> str:
    """The quantized values of a result, of the type of the zero point, or else of the operand
    `like`."""
    dtype = b.dtype(zero) if zero else b.dtype(like)
    if dtype not in QUANTIZED_TYPES:
        raise ModelError(f"{n.op} '{n.name}': the zero point '{zero}' is {dtype}; quantized values "
                         f"are int8 or uint8; {AGAIN}")
    return quantized_from(b, y, quant_of(b, n, scale, zero, dtype, None, None), dtype)


def float_bias(b: Builder, n: SourceNode, bias: str, x_scale: str, w_scale: str) -> str:
    """The numbers for which a bias stands, whose unit is the product of two scales."""
    data = b.const(bias)
    if data is None or b.dtype(bias) != "i32":
        raise Unsupported(f"its bias '{bias}', which is no constant of int32",
                          "quantize the model again with a constant bias")
    unit = (b.const(x_scale).astype(np.float64) * b.const(w_scale)).reshape(-1)
    if unit.size not in (1, data.size):
        raise ModelError(f"{n.op} '{n.name}': '{w_scale}' holds {unit.size} scales, and its bias "
                         f"'{bias}' {data.size} numbers; {AGAIN}")
    flat = data.reshape(-1) * unit
    quant = Quant(unit.astype(np.float32), np.zeros(unit.size, np.int64),
                  0 if unit.size > 1 else None)
    return b.add_dequantized(flat.astype(np.float32).reshape(data.shape),
                             quant if data.ndim == 1 else None, "bias")


def _as(n: SourceNode, op: str, *inputs: str) -> SourceNode:
    """The node as one of another operator, which reads its attributes."""
    return SourceNode(n.name, op, list(inputs), n.outputs, n.attrs, opset=n.opset)


@registry.op("QLinearConv")
def qlinear_conv(b: Builder, n: SourceNode) -> str:
    """Conv on quantized tensors"""
    bias = [float_bias(b, n, i, n.inputs[1], n.inputs[4]) for i in n.inputs[8:9] if i]
    x, w = operand(b, n, n.inputs[:3]), operand(b, n, n.inputs[3:6], axis=0)
    y = conv(b, _as(n, "Conv", x, w, *bias))
    return result(b, n, y, n.inputs[6], n.inputs[7], n.inputs[0])


@registry.op("QLinearMatMul")
def qlinear_matmul(b: Builder, n: SourceNode) -> str:
    """MatMul on quantized tensors; scales of the second operand may be those of its columns"""
    rows = b.rank(n.inputs[0]) - 2
    x, w = operand(b, n, n.inputs[:3], axis=rows), operand(b, n, n.inputs[3:6], axis=-1)
    return result(b, n, b.op("MatMul", x, w), n.inputs[6], n.inputs[7], n.inputs[0])


@registry.op(f"{MS}QGemm")
def qgemm(b: Builder, n: SourceNode) -> str:
    """Gemm of quantized tensors, to a quantized tensor or, without a scale of the result, to
    floats"""
    names = [*n.inputs, *[""] * 9][:9]
    alpha, turned = n.attr("alpha", 1.0), n.flag("transB")
    x, w = operand(b, n, names[:3]), operand(b, n, names[3:6], axis=0 if turned else 1)
    y = b.op("MatMul", x, w, transpose_a=n.flag("transA"), transpose_b=turned)
    if alpha != 1:
        y = b.op("Eltwise", y, b.add_const(np.float32(alpha)), type="PROD")
    if names[6]:
        bias = float_bias(b, n, names[6], names[1], names[4])
        if alpha != 1:  # the unit of C has the factor, too
            bias = b.op("Eltwise", bias, b.add_const(np.float32(alpha)), type="PROD")
        y = b.op("Eltwise", y, bias, type="SUM")
    return result(b, n, y, names[7], names[8], names[0]) if names[7] else y


@registry.op(f"{MS}QLinearAdd", f"{MS}QLinearMul")
def qlinear_binary(b: Builder, n: SourceNode) -> str:
    """Add or Mul on quantized tensors"""
    x, y, scale, zero = (*(operand(b, n, n.inputs[k : k + 3]) for k in (0, 3)),
                         *[*n.inputs[6:], ""][:2])
    total = b.op("Eltwise", x, y, type="SUM" if n.op.endswith("Add") else "PROD")
    return result(b, n, total, scale, zero, n.inputs[0])


def _unary(b: Builder, n: SourceNode) -> tuple[str, Any]:
    """The operand, and what quantizes a result."""
    x, x_scale, x_zero, scale, zero = [*n.inputs, ""][:5]
    return operand(b, n, (x, x_scale, x_zero)), lambda y: result(b, n, y, scale, zero, x)


@registry.op(f"{MS}QLinearAveragePool")
def qlinear_average(b: Builder, n: SourceNode) -> str:
    """AveragePool on quantized tensors"""
    n.only("channels_last", 0, "export the model without ONNX Runtime's optimizations")
    x, quantize = _unary(b, n)
    return quantize(pool(b, _as(n, "AveragePool", x))[0])


@registry.op(f"{MS}QLinearGlobalAveragePool")
def qlinear_global_average(b: Builder, n: SourceNode) -> str:
    """GlobalAveragePool on quantized tensors"""
    n.only("channels_last", 0, "export the model without ONNX Runtime's optimizations")
    x, quantize = _unary(b, n)
    return quantize(global_pool(b, _as(n, "GlobalAveragePool", x)))


@registry.op(f"{MS}QLinearSigmoid", f"{MS}QLinearLeakyRelu")
def qlinear_activation(b: Builder, n: SourceNode) -> str:
    """Sigmoid or LeakyRelu on quantized tensors"""
    x, quantize = _unary(b, n)
    if n.op.endswith("Sigmoid"):
        return quantize(b.op("Activation", x, activation="SIGMOID"))
    return quantize(b.op("Activation", x, activation="LEAKYRELU",
                         activation_coefficient=n.attr("alpha", 0.01)))


@registry.op(f"{MS}QLinearSoftmax")
def qlinear_softmax(b: Builder, n: SourceNode) -> str:
    """Softmax on quantized tensors"""
    x, quantize = _unary(b, n)
    if n.attr("opset", 13) < 13:
        raise Unsupported(f"Softmax as of opset {n.attr('opset')}, over several axes",
                          "export the model with opset 13 or newer")
    return quantize(b.op("Softmax", x, axis=n.attr("axis", -1)))


@registry.op(f"{MS}QLinearConcat")
def qlinear_concat(b: Builder, n: SourceNode) -> str:
    """Concat of quantized values, each operand with scales of its own"""
    parts = [operand(b, n, n.inputs[k : k + 3]) for k in range(2, len(n.inputs), 3)]
    return result(b, n, b.op("Concat", *parts, axis=n.attr("axis")), n.inputs[0], n.inputs[1],
                  n.inputs[2])
