"""Products of integers, and quantization by ranges that are found while the model runs.

SPDX-License-Identifier: Apache-2.0

Integers are computed as float32, see integer_products.py.
Source: docs/ContribOperators.md of ONNX Runtime.
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.integer_products import REACH, product
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.conv import conv
from mace_tools.convert.importers.onnx.recurrent import recurrent
from mace_tools.convert.importers.onnx.scales import AGAIN, QUANTIZED_TYPES
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError, Unsupported

MS = "com.microsoft."


def difference(b: Builder, n: SourceNode, x: str, zero: str, axis: int) -> str:
    """Quantized values less their zero point, or zero points along an axis, as floats."""
    if b.dtype(x) not in QUANTIZED_TYPES or zero and b.dtype(zero) not in QUANTIZED_TYPES:
        wrong = x if b.dtype(x) not in QUANTIZED_TYPES else zero
        raise ModelError(f"{n.op} '{n.name}': its operand '{wrong}' is {b.dtype(wrong)}; quantized "
                         f"values are int8 or uint8; {AGAIN}")
    data, zeros = b.const(x), b.const(zero) if zero else None
    if zeros is not None and zeros.ndim == 1 and zeros.size > 1:
        zeros = zeros.reshape([-1 if k == axis % b.rank(x) else 1 for k in range(b.rank(x))])
    elif zeros is not None and zeros.size == 1:
        zeros = zeros.reshape(())
    if data is not None and (zeros is not None or not zero):
        return b.add_const(data.astype(np.float32) - (0 if zeros is None else zeros), "f32", "w")
    floats = b.op("Cast", x, to="f32")
    if zeros is not None:
        return b.op("Eltwise", floats, b.add_const(zeros, "f32"),
                    type="SUB") if zeros.any() else floats
    if not zero:
        return floats
    if (b.shape(zero) or (1,)) not in ((1,), ()):
        raise Unsupported(f"its zero points '{zero}' are computed while the model runs",
                          "quantize the model statically")
    return b.op("Eltwise", floats, b.op("Cast", zero, to="f32"), type="SUB")


def _operands(b: Builder, n: SourceNode, first: tuple[str, str],
              second: tuple[str, str]) -> tuple[str, str]:
    return difference(b, n, *first, axis=-2), difference(b, n, *second, axis=-1)


@registry.op("MatMulInteger")
def matmul_integer(b: Builder, n: SourceNode) -> str:
    """Exact, in float32"""
    x, w, x_zero, w_zero = [*n.inputs, "", ""][:4]
    y = product(b, *_operands(b, n, (x, x_zero), (w, w_zero)))
    return y if b.dtype(y) == "i32" else b.op("Cast", y, to="i32")


@registry.op("ConvInteger")
def conv_integer(b: Builder, n: SourceNode) -> str:
    """In float32, rounded to integers: exact up to the rounding of the float convolution"""
    x, w, x_zero, w_zero = [*n.inputs, "", ""][:4]
    inputs = [difference(b, n, x, x_zero, 1), difference(b, n, w, w_zero, 0)]
    y = conv(b, SourceNode(n.name, "Conv", inputs, n.outputs, n.attrs, opset=n.opset))
    note = "ConvInteger is computed in float32, which rounds large sums; quantize_static makes a " \
           "model that is computed in integers"
    if note not in b.graph.notes:
        b.graph.notes.append(note)
    return b.op("Cast", b.op("Unary", y, type="ROUND"), to="i32")


def dynamic_scale(b: Builder, x: str) -> tuple[str, str]:
    """Scale and zero point, as floats, by which uint8 values span the numbers x and 0."""
    zero, steps = b.add_const(np.float32(0)), b.add_const(np.float32(REACH))
    least, most = (b.op("Eltwise", b.op("Reduce", x, reduce_type=kind, axis=[], keepdims=0), zero,
                        type=kind) for kind in ("MIN", "MAX"))
    scale = b.op("Eltwise", b.op("Eltwise", most, least, type="SUB"), steps, type="DIV")
    # Where all numbers are 0, so is the scale; ONNX Runtime takes 1 then.
    none = b.op("Compare", scale, zero, type="EQUAL")
    scale = b.op("Select", none, b.add_const(np.float32(1)), scale)
    point = b.op("Eltwise", b.op("Unary", least, type="NEG"), scale, type="DIV")
    return scale, b.op("Unary", b.op("Clip", point, min=0.0, max=255.0), type="ROUND")


def dynamically_quantized(b: Builder, x: str, scale: str, point: str) -> str:
    """Uint8 values as floats."""
    units = b.op("Unary", b.op("Eltwise", x, scale, type="DIV"), type="ROUND")
    return b.op("Clip", b.op("Eltwise", units, point, type="SUM"), min=0.0, max=255.0)


@registry.op("DynamicQuantizeLinear")
def dynamic_quantize(b: Builder, n: SourceNode) -> list[str]:
    """Uint8 values by the range of the operand and 0"""
    scale, point = dynamic_scale(b, n.inputs[0])
    quantized = dynamically_quantized(b, n.inputs[0], scale, point)
    return [b.op("Cast", quantized, to="u8"), scale, b.op("Cast", point, to="u8")]


def _scaled(b: Builder, y: str, scales: list[str], bias: str) -> str:
    y = y if b.dtype(y) == "f32" else b.op("Cast", y, to="f32")
    factor = b.op("Eltwise", *scales, type="PROD")
    y = b.op("Eltwise", y, factor, type="PROD")
    return b.op("Eltwise", y, bias, type="SUM") if bias else y


@registry.op(f"{MS}MatMulIntegerToFloat")
def matmul_integer_to_float(b: Builder, n: SourceNode) -> str:
    """MatMulInteger, times both scales, and a bias"""
    x, w, x_scale, w_scale, x_zero, w_zero, bias = [*n.inputs, *[""] * 7][:7]
    y = product(b, *_operands(b, n, (x, x_zero), (w, w_zero)))
    return _scaled(b, y, [x_scale, w_scale], bias)


@registry.op(f"{MS}DynamicQuantizeMatMul")
def dynamic_matmul(b: Builder, n: SourceNode) -> str:
    """DynamicQuantizeLinear, then MatMulInteger, times both scales, and a bias"""
    x, w, w_scale, w_zero, bias = [*n.inputs, *[""] * 5][:5]
    scale, point = dynamic_scale(b, x)
    quantized = b.op("Eltwise", dynamically_quantized(b, x, scale, point), point, type="SUB")
    y = product(b, quantized, difference(b, n, w, w_zero, -1))
    return _scaled(b, y, [scale, w_scale], bias)


@registry.op(f"{MS}DynamicQuantizeLSTM")
def dynamic_lstm(b: Builder, n: SourceNode) -> list[str]:
    """LSTM of the operand as DynamicQuantizeLinear rounds it; its state stays in float32"""
    x, w, r, bias, lengths, hidden, cell, peepholes, *scales = [*n.inputs, *[""] * 12][:12]
    scale, point = dynamic_scale(b, x)
    units = b.op("Eltwise", dynamically_quantized(b, x, scale, point), point, type="SUB")
    floats = [b.op("Eltwise", units, scale, type="PROD"), _gates(b, n, w, *scales[:2]),
            _gates(b, n, r, *scales[2:])]
    note = "DynamicQuantizeLSTM keeps its state in float32, which ONNX Runtime rounds to 8 bits " \
           "in each step"
    if note not in b.graph.notes:
        b.graph.notes.append(note)
    return recurrent(b, SourceNode(n.name, "LSTM",
                                   [*floats, bias, lengths, hidden, cell, peepholes],
                                   n.outputs, n.attrs, opset=n.opset))


def _gates(b: Builder, n: SourceNode, w: str, scale: str, zero: str) -> str:
    """The weights [directions, inputs, 4 * hidden] as floats [directions, 4 * hidden, inputs]."""
    data, scales, zeros = (b.const(name) for name in (w, scale, zero))
    if data is None or scales is None or zeros is None:
        raise Unsupported(f"its weights '{w}' or their scales are computed while the model runs",
                          "make them constants of the source model")
    if data.ndim != 3 or data.dtype not in (np.int8, np.uint8) or zeros.size != scales.size or \
            scales.size not in (data.shape[0], data.shape[0] * data.shape[2]):
        raise ModelError(f"{n.op} '{n.name}': '{w}' is {b.dtype(w)} {list(data.shape)}, with "
                         f"{scales.size} scales and {zeros.size} zero points; {AGAIN}")
    by = [v.astype(np.float32).reshape(data.shape[0], 1, -1) for v in (scales, zeros)]
    floats = (data.astype(np.float32) - by[1]) * by[0]
    return b.add_const(np.ascontiguousarray(floats.transpose(0, 2, 1)), "f32", "gates")
