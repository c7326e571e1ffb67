"""QuantizeLinear and DequantizeLinear.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers import narrow_types
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.casts import rounded
from mace_tools.convert.importers.onnx.scales import (
    AGAIN,
    QUANTIZED,
    clamped,
    dequantized_of,
    plain_integers,
    quant_of,
    quantized_from,
)
from mace_tools.convert.importers.onnx.tensors import BFLOAT16, type_name
from mace_tools.convert.importers.source import SourceNode
from mace_tools.graph.ir import NUMPY, Quant, dtype_name
from mace_tools.graph.quantization import along
from mace_tools.support.errors import ModelError, Unsupported

MS = "com.microsoft."
FLOAT, FLOAT16 = 1, 10
# The quantized types, and the engine's that hold them.
HELD = {"uint8": "u8", "int8": "i8", "int16": "i16", "uint16": "i32",
        **{kind: dtype_name(form.held) for kind, form in narrow_types.INTEGERS.items()}}
EIGHT_BITS = "quantize the model to 8 bits (QuantType.QUInt8 or QInt8)"


@registry.op("QuantizeLinear", f"{MS}QuantizeLinear")
def quantize_linear(b: Builder, n: SourceNode) -> str:
    """The nearest quantized values, halves to even; constants are quantized when the model is
    converted"""
    x, scale, zero = [*n.inputs, ""][:3]
    if b.dtype(x) not in ("f32", "f16"):
        raise Unsupported(f"it quantizes {b.dtype(x)}", "cast its operand to float32 first")
    axis = n.attr("axis", 1)
    n.only("precision", 0, "divide in float32")
    saturates, kind = bool(n.flag("saturate", 1)), _quantized_type(b, n, zero)
    floats = x if b.dtype(x) == "f32" else b.op("Cast", x, to="f32")
    if kind in narrow_types.FLOATS:
        b.model.retyped[n.outputs[0]] = kind
        return rounded(b, b.op("Eltwise", floats, _factor(b, n, x, scale, zero), type="DIV"), kind,
                       saturates)
    dtype = HELD[kind]
    if _has_blocks(b, n, x, scale):
        return _quantized_blocks(b, n, floats, scale, zero, kind)
    if b.const(scale) is None:
        return _quantized(b, n, floats, scale, zero, kind)
    quant = quant_of(b, n, scale, zero, dtype, axis, b.extents(x))
    if kind in narrow_types.INTEGERS:
        floats = clamped(b, floats, quant, _limits(kind))
    if kind == "uint16":
        return plain_integers(b, floats, quant, dtype, _limits(kind))
    return quantized_from(b, floats, quant, dtype)


@registry.op("DequantizeLinear", f"{MS}DequantizeLinear")
def dequantize_linear(b: Builder, n: SourceNode) -> str:
    """Scale times quantized values less the zero point; constants become floats when the model is
    converted, unless a node computes with their quantized values"""
    x, scale, zero = [*n.inputs, ""][:3]
    axis, dtype = n.attr("axis", 1), b.dtype(x)
    to = n.attr("output_dtype", 0) or (FLOAT16 if b.dtype(scale) == "f16" else FLOAT)
    if to not in (FLOAT, FLOAT16, BFLOAT16):
        raise Unsupported(f"its attribute output_dtype is {type_name(to)}", "dequantize to float32")
    if dtype == "f32":
        floats = b.op("Eltwise", x, _factor(b, n, x, scale, zero), type="PROD")
    else:
        _check_quantized(b, n, x)
        if _has_blocks(b, n, x, scale):
            floats = _float_blocks(b, n, x, scale, zero)
        elif b.const(scale) is None:
            floats = computed_scale(b, n, x, scale, zero)
        else:
            floats = dequantized_of(b, x, quant_of(b, n, scale, zero, dtype, axis, b.extents(x)))
    return b.op("Cast", floats, to="f16") if to == FLOAT16 else floats


def _quantized_type(b: Builder, n: SourceNode, zero: str) -> str:
    """The type of the quantized values, a key of HELD: that of the zero point, or else an
    attribute."""
    number = n.attr("output_dtype", 0)
    given = (b.source_type(2) or np.dtype(NUMPY[b.dtype(zero)]).name) if zero else ""
    wanted = type_name(number) if number else given or "uint8"
    if given and wanted != given:
        raise ModelError(f"{n.op} '{n.name}': output_dtype is {wanted}, and its zero point "
                         f"'{zero}' is {given}; leave out the attribute")
    if wanted not in HELD and (wanted not in narrow_types.FLOATS or wanted == "float8e8m0"):
        raise Unsupported(f"quantized values of the type {wanted}", EIGHT_BITS)
    return wanted


def _limits(kind: str) -> tuple[int, int]:
    """The least and the largest code of a type."""
    if kind in narrow_types.INTEGERS:
        return narrow_types.INTEGERS[kind].limits
    return int(np.iinfo(kind).min), int(np.iinfo(kind).max)


def _check_quantized(b: Builder, n: SourceNode, quantized: str) -> None:
    """Errors: ModelError for a type that is not quantized."""
    if b.dtype(quantized) not in (*QUANTIZED, "i32"):
        raise ModelError(f"{n.op} '{n.name}': '{quantized}' is {b.dtype(quantized)}, which is not "
                         f"a quantized type; {AGAIN}")


def computed_scale(b: Builder, n: SourceNode, x: str, scale: str, zero: str) -> str:
    """With a scale that is computed, as DynamicQuantizeLinear does."""
    floats = b.op("Cast", x, to="f32")
    if zero:
        floats = b.op("Eltwise", floats, _aligned(b, n, zero, x), type="SUB")
    return b.op("Eltwise", floats, _aligned(b, n, scale, x), type="PROD")


def _quantized(b: Builder, n: SourceNode, floats: str, scale: str, zero: str, kind: str) -> str:
    """The nearest quantized values by a scale that is computed."""
    units = b.op("Unary", b.op("Eltwise", floats, _aligned(b, n, scale, floats), type="DIV"),
                 type="ROUND")
    if zero:
        units = b.op("Eltwise", units, _aligned(b, n, zero, floats), type="SUM")
    low, high = _limits(kind)
    return b.op("Cast", b.op("Clip", units, min=float(low), max=float(high)), to=HELD[kind])


def _aligned(b: Builder, n: SourceNode, v: str, x: str) -> str:
    """Scales or zero points of a tensor, or along its axis, as floats that broadcast with x."""
    v, shape, rank = b.op("Cast", v, to="f32"), b.extents(v), b.rank(x)
    if shape in ((), (1,)):
        return b.op("Reshape", v, dim=[])
    axis = n.attr("axis", 1)
    if len(shape) != 1 or not -rank <= axis < rank:
        raise Unsupported(f"computed scales of the shape {list(shape)}",
                          "quantize activations with one scale for each tensor")
    return b.op("ExpandDims", v, axis=list(range(1, rank - axis % rank)))


def _factor(b: Builder, n: SourceNode, x: str, scale: str, zero: str) -> str:
    """The scales of floats of 8 bits and less, whose zero point is 0, as a tensor that broadcasts
    with x."""
    zeros = b.const(zero) if zero else np.zeros(1)
    if zeros is None or zeros.any():
        raise Unsupported("floats with a zero point other than 0", EIGHT_BITS)
    if _has_blocks(b, n, x, scale):
        return b.add_const(_blocks(b, n, x, scale, "").scale, "f32", "scales")
    if b.const(scale) is None:
        return _aligned(b, n, scale, x)
    quant = quant_of(b, n, scale, "", "f32", n.attr("axis", 1), b.extents(x))
    return b.add_const(along(quant.scale, quant.axis, b.rank(x)), "f32", "scales")


def _has_blocks(b: Builder, n: SourceNode, x: str, scale: str) -> bool:
    """Whether scales are of blocks: others ignore the block_size."""
    return bool(n.attr("block_size", 0)) and b.rank(scale) == b.rank(x) > 0


def _blocks(b: Builder, n: SourceNode, x: str, scale: str, zero: str) -> Quant:
    """The scale and the zero point of every element of x, as tensors of its shape."""
    shape, scales, zeros = b.extents(x), b.const(scale), b.const(zero) if zero else None
    size, axis, rank = n.attr("block_size", 0), n.attr("axis", 1), b.rank(x)
    if None in shape or scales is None or zero and zeros is None:
        raise Unsupported("scales of blocks that are computed, or of a tensor of unknown size",
                          "quantize activations with one scale for each tensor")
    where = f"{n.op} '{n.name}'"
    if not -rank <= axis < rank or size < 0:
        raise ModelError(f"{where}: its axis is {axis} and its block_size {size}, and '{x}' has "
                         f"the shape {list(shape)}; {AGAIN}")
    axis %= rank
    wanted = [int(d) for d in shape if d is not None]
    wanted[axis] = -(-wanted[axis] // size)
    if list(scales.shape) != wanted or zeros is not None and list(zeros.shape) != wanted:
        raise ModelError(f"{where}: '{scale}' has the shape {list(scales.shape)}, and {size} "
                         f"elements of axis {axis} to a block need {wanted}; {AGAIN}")
    if not (np.isfinite(scales) & (scales > 0)).all():
        raise ModelError(f"{where}: a scale of '{scale}' is not finite and above 0; {AGAIN}")
    keep = [slice(None)] * rank
    keep[axis] = slice(shape[axis])
    parts = [np.repeat(v, size, axis)[tuple(keep)]
             for v in (scales, np.zeros_like(scales, np.int64) if zeros is None else zeros)]
    return Quant(parts[0].astype(np.float32), parts[1].astype(np.int64))


def _float_blocks(b: Builder, n: SourceNode, x: str, scale: str, zero: str) -> str:
    quant, data = _blocks(b, n, x, scale, zero), b.const(x)
    if data is not None:
        units = data.astype(np.int64) - quant.zero_point
        return b.add_const(units.astype(np.float32) * quant.scale, "f32", "floats")
    floats = b.op("Eltwise", b.op("Cast", x, to="f32"), b.add_const(quant.zero_point, "f32"),
                  type="SUB")
    return b.op("Eltwise", floats, b.add_const(quant.scale, "f32"), type="PROD")


def _quantized_blocks(b: Builder, n: SourceNode, x: str, scale: str, zero: str, kind: str) -> str:
    quant = _blocks(b, n, x, scale, zero)
    units = b.op("Eltwise", x, b.add_const(quant.scale, "f32"), type="DIV")
    quantized = b.op("Eltwise", b.op("Unary", units, type="ROUND"),
                     b.add_const(quant.zero_point, "f32"), type="SUM")
    low, high = _limits(kind)
    return b.op("Cast", b.op("Clip", quantized, min=float(low), max=float(high)), to=HELD[kind])
