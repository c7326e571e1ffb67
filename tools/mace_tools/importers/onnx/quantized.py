"""QuantizeLinear and DequantizeLinear.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.errors import ModelError, Unsupported
from mace_tools.importers.builder import Builder
from mace_tools.importers.onnx import registry
from mace_tools.importers.onnx.scales import AGAIN, CODES, codes_from, quant_of, real_of
from mace_tools.importers.onnx.tensors import ELEMENT, type_name
from mace_tools.importers.source import SourceNode
from mace_tools.ir import Quant, dtype_name

MS = "com.microsoft."
FLOAT = 1
EIGHT_BITS = "quantize the model to 8 bits (QuantType.QUInt8 or QInt8)"


@registry.op("QuantizeLinear", f"{MS}QuantizeLinear")
def quantize_linear(b: Builder, n: SourceNode) -> str:
    """The nearest codes, halves to even; constants are quantized when the model is converted"""
    x, scale, zero = [*n.inputs, ""][:3]
    if b.dtype(x) not in ("f32", "f16"):
        raise Unsupported(f"it quantizes {b.dtype(x)}", "cast its operand to float32 first")
    axis = n.attr("axis", 1)
    n.only("precision", 0, "divide in float32")
    n.only("saturate", 1, "8-bit floats are not supported")
    dtype = _code_type(b, n, zero)
    if n.attr("block_size", 0):
        return _blocks_of_codes(b, n, x, scale, zero, dtype)
    quant = quant_of(b, n, scale, zero, dtype, axis, b.extents(x))
    return codes_from(b, x if b.dtype(x) == "f32" else b.op("Cast", x, to="f32"), quant, dtype)


@registry.op("DequantizeLinear", f"{MS}DequantizeLinear")
def dequantize_linear(b: Builder, n: SourceNode) -> str:
    """Scale times codes less the zero point; constants become floats when the model is converted,
    unless a node computes with their codes"""
    x, scale, zero = [*n.inputs, ""][:3]
    axis, dtype = n.attr("axis", 1), b.dtype(x)
    if n.attr("output_dtype", 0) not in (0, FLOAT):
        raise Unsupported(f"its attribute output_dtype is {_type_text(n.attr('output_dtype'))}",
                          "dequantize to float32")
    _check_bits(b, n, x)
    if n.attr("block_size", 0):
        return _real_blocks(b, n, x, scale, zero)
    if b.const(scale) is None and dtype in (*CODES, "i32"):
        return _computed_scale(b, x, scale, zero)
    real = real_of(b, x, quant_of(b, n, scale, zero, dtype, axis, b.extents(x)))
    return b.op("Cast", real, to="f16") if b.dtype(scale) == "f16" else real


def _code_type(b: Builder, n: SourceNode, zero: str) -> str:
    """The type of the codes: that of the zero point, or else an attribute."""
    number = n.attr("output_dtype", 0)
    if zero:
        _check_bits(b, n, zero)
        given = b.dtype(zero)
        if number and (number not in ELEMENT or dtype_name(ELEMENT[number]) != given):
            raise ModelError(f"{n.op} '{n.name}': output_dtype is "
                             f"{_type_text(number)}, and its zero point '{zero}' is {given}; "
                             "leave out the attribute")
        if given not in CODES:
            raise Unsupported(f"codes of the type {given}", EIGHT_BITS)
        return given
    if number not in (0, 2, 3):
        raise Unsupported(f"codes of the type {_type_text(number)}", EIGHT_BITS)
    return "i8" if number == 3 else "u8"


def _type_text(number: int) -> str:
    return np.dtype(ELEMENT[number]).name if number in ELEMENT else type_name(number)


def _check_bits(b: Builder, n: SourceNode, codes: str) -> None:
    """Errors: Unsupported for codes of 16 bits."""
    kind = b.model.retyped.get(codes, b.dtype(codes))
    if kind in ("i16", "uint16"):
        raise Unsupported(f"codes of 16 bits, '{codes}'", EIGHT_BITS)
    if b.dtype(codes) not in (*CODES, "i32"):
        raise ModelError(f"{n.op} '{n.name}': '{codes}' is {kind}, which are no codes; {AGAIN}")


def _computed_scale(b: Builder, x: str, scale: str, zero: str) -> str:
    """With the scale that DynamicQuantizeLinear computes."""
    real = b.op("Cast", x, to="f32")
    if zero:
        real = b.op("Eltwise", real, b.op("Cast", zero, to="f32"), type="SUB")
    return b.op("Eltwise", real, scale, type="PROD")


def _blocks(b: Builder, n: SourceNode, x: str, scale: str, zero: str) -> Quant:
    """The scale and the zero point of every element of a constant x, as tensors of its shape."""
    data, scales, zeros = b.const(x), b.const(scale), b.const(zero) if zero else None
    size, axis = n.attr("block_size", 0), n.attr("axis", 1)
    if data is None or scales is None or zero and zeros is None:
        raise Unsupported("scales of blocks of a computed tensor",
                          "quantize activations with one scale for each tensor")
    where = f"{n.op} '{n.name}'"
    if not -data.ndim <= axis < data.ndim or size < 0:
        raise ModelError(f"{where}: its axis is {axis} and its block_size {size}, and '{x}' has "
                         f"the shape {list(data.shape)}; {AGAIN}")
    axis %= data.ndim
    wanted = list(data.shape)
    wanted[axis] = -(-wanted[axis] // size)
    if list(scales.shape) != wanted or zeros is not None and list(zeros.shape) != wanted:
        raise ModelError(f"{where}: '{scale}' has the shape {list(scales.shape)}, and {size} "
                         f"elements of axis {axis} to a block need {wanted}; {AGAIN}")
    if not (np.isfinite(scales) & (scales > 0)).all():
        raise ModelError(f"{where}: a scale of '{scale}' is not finite and above 0; {AGAIN}")
    keep = [slice(None)] * data.ndim
    keep[axis] = slice(data.shape[axis])
    parts = [np.repeat(v, size, axis)[tuple(keep)]
             for v in (scales, np.zeros_like(scales, np.int64) if zeros is None else zeros)]
    return Quant(parts[0].astype(np.float32), parts[1].astype(np.int64))


def _real_blocks(b: Builder, n: SourceNode, x: str, scale: str, zero: str) -> str:
    quant = _blocks(b, n, x, scale, zero)
    units = b.const(x).astype(np.int64) - quant.zero_point
    return b.add_const(units.astype(np.float32) * quant.scale, "f32", "real")


def _blocks_of_codes(b: Builder, n: SourceNode, x: str, scale: str, zero: str, dtype: str) -> str:
    quant = _blocks(b, n, x, scale, zero)
    limits = np.iinfo(np.uint8 if dtype == "u8" else np.int8)
    codes = np.rint(b.const(x).astype(np.float32) / quant.scale).astype(np.float64)
    codes = np.clip(codes + quant.zero_point, limits.min, limits.max)
    return b.add_const(codes, dtype, "codes")
