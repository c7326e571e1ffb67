"""Scales and zero points of ONNX's quantized tensors, and dequantizing and quantizing.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.source import SourceNode
from mace_tools.graph import op_schema
from mace_tools.graph.ir import NUMPY, Quant
from mace_tools.graph.quantization import along, as_signed, nearest, same_quant
from mace_tools.support.errors import ModelError, Unsupported

QUANTIZED_TYPES = ("i8", "u8")
QUANTIZED = (*QUANTIZED_TYPES, "i16")  # of which the engine has quantized tensors
AGAIN = "quantize the model again"


def quant_of(b: Builder, n: SourceNode, scale: str, zero: str, dtype: str, axis: int | None,
             extents: tuple | None) -> Quant:
    """The quantization that operands of a node give a tensor of the quantized values `dtype`.

    Errors: ModelError for numbers that cannot be; Unsupported for those that are computed."""
    scales, zeros = b.const(scale), b.const(zero) if zero else None
    if scales is None or zero and zeros is None:
        raise Unsupported(f"its scale or zero point '{scale if scales is None else zero}' is "
                          "computed while the model runs",
                          "quantize the model statically, with constant scales")
    where = f"{n.op} '{n.name}'"
    flat = scales.astype(np.float32).reshape(-1)
    good = np.isfinite(flat) & (flat > 0)
    if not good.all():
        raise ModelError(f"{where}: the scale '{scale}' is {flat[~good][0]}; scales are finite and "
                         f"above 0; {AGAIN}")
    if zeros is None:
        zeros = np.zeros_like(flat, np.int64)
    elif b.dtype(zero) != dtype:
        raise ModelError(f"{where}: the zero point '{zero}' is {b.dtype(zero)}, and its quantized "
                         f"values are {dtype}; they must have one type; {AGAIN}")
    elif zeros.size != flat.size:
        raise ModelError(f"{where}: '{scale}' holds {flat.size} scales, and '{zero}' {zeros.size} "
                         f"zero points; they must be as many; {AGAIN}")
    quant = Quant(flat, zeros.astype(np.int64).reshape(-1), None)
    return quant if flat.size == 1 else _along(where, quant, scale, axis, extents)


def _along(where: str, quant: Quant, scale: str, axis: int | None,
           extents: tuple | None) -> Quant:
    """The same along an axis, if that has as many elements."""
    count = quant.scale.size
    if axis is None or extents is None:
        raise ModelError(f"{where}: '{scale}' holds {count} scales for a tensor that has one; "
                         f"{AGAIN}")
    if not -len(extents) <= axis < len(extents):
        raise ModelError(f"{where}: its axis is {axis}, and its operand has {len(extents)} axes; "
                         f"set the axis to that of the {count} scales '{scale}'")
    axis %= len(extents)
    if extents[axis] != count:
        raise ModelError(f"{where}: '{scale}' holds {count} scales, and axis {axis} of its operand "
                         f"has the extent {extents[axis]}; {AGAIN}")
    return Quant(quant.scale, quant.zero_point, axis)


def dequantized_constant(b: Builder, data: np.ndarray, quant: Quant, dtype: str) -> str:
    """A constant of the dequantized values."""
    zero = along(quant.zero_point, quant.axis, data.ndim)
    scale = along(quant.scale, quant.axis, data.ndim)
    floats = (data.astype(np.int64) - zero).astype(np.float32) * scale
    keeps = dtype in QUANTIZED_TYPES or dtype == "i32" and not quant.zero_point.any()
    b.rounds_floats()
    return b.add_dequantized(floats, as_signed(quant, dtype) if keeps else None, "floats")


def dequantized_of(b: Builder, x: str, quant: Quant) -> str:
    """The numbers for which the quantized values x stand, which may be a constant."""
    data, dtype = b.const(x), b.dtype(x)
    if data is not None:
        return dequantized_constant(b, data, quant, dtype)
    b.rounds_floats()
    own = b.quant(x)
    if own is None and quant.axis is None and dtype in QUANTIZED and _adopt(b, x, quant):
        own = quant
    if own is None:
        floats = b.op("Cast", x, to="f32")
        zero = along(quant.zero_point, quant.axis, b.rank(x)).astype(np.float32)
        if zero.any():
            floats = b.op("Eltwise", floats, b.add_const(zero), type="SUB")
        scale = along(quant.scale, quant.axis, b.rank(x))
        return b.op("Eltwise", floats, b.add_const(scale), type="PROD")
    floats = b.op("Dequantize", x)
    if same_quant(own, quant):
        return floats
    # The same quantized values with other scales.
    factor = along(quant.scale, quant.axis, b.rank(x)) / own.scale[0]
    shift = along(quant.scale * (own.zero_point[0] - quant.zero_point), quant.axis, b.rank(x))
    floats = b.op("Eltwise", floats, b.add_const(factor.astype(np.float32)), type="PROD")
    return b.op("Eltwise", floats, b.add_const(shift.astype(np.float32)), type="SUM")


def _adopt(b: Builder, x: str, quant: Quant) -> bool:
    """Gives an input of the model these scales, and what only moves its elements, if nothing else
    reads it. Returns whether it did."""
    path = [x]
    while path[-1] not in b.graph.inputs:
        maker = b.graph.producer(path[-1])
        if maker is None or maker.is_custom or len(maker.outputs) > 1 or not maker.inputs or \
                op_schema.all_ops()[maker.op].on_quantized != "moves" or maker.op in (
                    "Concat", "Stack", "Pad"):
            return False
        path.append(maker.inputs[0])
    readers = [m for m in b.model.nodes if path[-1] in m.inputs]
    if len(readers) != 1 or any(len(b.graph.consumers(t)) > 1 for t in path) \
            or path[-1] in b.model.outputs:
        return False
    for name in path:
        b.set_quant(name, quant)
    return True


def quantized_from(b: Builder, x: str, quant: Quant, dtype: str) -> str:
    """The quantized values that are nearest to the numbers x, ties to even."""
    b.rounds_floats()
    data = b.const(x)
    if data is not None:
        quantized = b.add_const(nearest(data, quant, dtype), dtype, "quantized")
    elif quant.axis is not None:
        limits = np.iinfo(NUMPY[dtype])
        return plain_integers(b, x, quant, dtype, (limits.min, limits.max))
    else:
        quantized = b.op("Quantize", x, to=dtype, rounding="EVEN")
    b.set_quant(quantized, quant)
    return quantized


def clamped(b: Builder, x: str, quant: Quant, limits: tuple[int, int]) -> str:
    """x between the numbers that these values dequantize to."""
    low, high = (((limit - quant.zero_point) * quant.scale).astype(np.float32) for limit in limits)
    data = b.const(x)
    if data is None and quant.axis is None:
        return b.op("Clip", x, min=low.item(), max=high.item())
    low, high = (along(v, quant.axis, b.rank(x)) for v in (low, high))
    if data is not None:  # NaN stays
        return b.add_const(np.minimum(np.maximum(data, low), high))
    x = b.op("Eltwise", x, b.add_const(low), type="MAX")
    return b.op("Eltwise", x, b.add_const(high), type="MIN")


def plain_integers(b: Builder, x: str, quant: Quant, dtype: str, limits: tuple[int, int]) -> str:
    """The quantized values of the numbers x as integers, without a quantization: those that the
    engine has for no tensor, with scales along an axis or of 16 bits without a sign."""
    scale = along(quant.scale, quant.axis, b.rank(x))
    zero = along(quant.zero_point, quant.axis, b.rank(x)).astype(np.float32)
    units = b.op("Unary", b.op("Eltwise", x, b.add_const(scale), type="DIV"), type="ROUND")
    quantized = b.op("Eltwise", units, b.add_const(zero), type="SUM")
    return b.op("Cast", b.op("Clip", quantized, min=float(limits[0]), max=float(limits[1])),
                to=dtype)
