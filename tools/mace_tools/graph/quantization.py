"""Quantized values and what they dequantize to, and how operators that move elements move scales.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mace_tools.graph import op_schema
from mace_tools.graph.ir import NUMPY, Node, Quant, Tensor


def same_quant(a: Quant | None, b: Quant | None) -> bool:
    """Whether both are there and equal."""
    return a is not None and b is not None and as_key(a) == as_key(b)


def as_key(quant: Quant | None) -> tuple | None:
    """The contents of a quantization, for comparison and for dictionaries."""
    if quant is None:
        return None
    return quant.axis, tuple(quant.scale.tolist()), tuple(quant.zero_point.tolist())


def along(values: np.ndarray, axis: int | None, rank: int) -> np.ndarray:
    """Scales or zero points, in a shape that broadcasts with a tensor of this rank."""
    if axis is None:
        return values.reshape(())
    return values.reshape([-1 if k == axis else 1 for k in range(rank)])


def dequantized(data: np.ndarray, quant: Quant) -> np.ndarray:
    """The dequantized values."""
    zero = along(quant.zero_point, quant.axis, data.ndim)
    scale = along(quant.scale, quant.axis, data.ndim)
    return ((data.astype(np.int64) - zero) * scale).astype(np.float32)


def nearest(data: np.ndarray, quant: Quant, dtype: str, ties: str = "EVEN") -> np.ndarray:
    """The quantized values that are nearest to floats, saturated; `ties` as `rounding` of
    Quantize. NaN becomes the smallest quantized value."""
    scale = along(quant.scale.astype(np.float32), quant.axis, data.ndim)
    zero = along(quant.zero_point.astype(np.float64), quant.axis, data.ndim)
    limits = np.iinfo(NUMPY[dtype])
    with np.errstate(over="ignore", invalid="ignore"):
        units = np.asarray(data, np.float32) / scale
        if ties == "EVEN":
            units = np.rint(units)
        else:
            units = np.copysign(np.floor(np.abs(units.astype(np.float64)) + 0.5), units)
        quantized = units.astype(np.float64) + zero
    quantized = np.where(np.isnan(quantized), limits.min, quantized)
    return np.clip(quantized, limits.min, limits.max).astype(NUMPY[dtype])


def as_signed(quant: Quant, dtype: str) -> Quant:
    """The quantization of int8 values that stand for the same numbers as those of type `dtype`."""
    return replace(quant, zero_point=quant.zero_point - 128) if dtype == "u8" else quant


def quantized_data(tensor: Tensor, dtype: str) -> np.ndarray | None:
    """The quantized values for which a float32 constant stands; None if one does not fit into the
    type."""
    assert tensor.data is not None and tensor.source_quant is not None
    rank = tensor.data.ndim
    scale = along(tensor.source_quant.scale.astype(np.float64), tensor.source_quant.axis, rank)
    found = np.rint(tensor.data / scale) + along(tensor.source_quant.zero_point,
                                                 tensor.source_quant.axis, rank)
    limits = np.iinfo(NUMPY[dtype])
    if found.size and not (found.min() >= limits.min and found.max() <= limits.max):
        return None
    return found.astype(NUMPY[dtype])


def moved_quant(node: Node, quant: Quant | None, old: Sequence[int],
                new: Sequence[int]) -> Quant | None:
    """The quantization of what a node makes of a tensor of this quantization and the shape `old` by
    moving its elements into the shape `new`; None if there is none."""
    if quant is None:
        return None
    if node.op == "Transpose":
        return permuted_quant(quant, node.attr("dims") or range(len(old))[::-1])
    return reshaped_quant(quant, old, new) if node.op in op_schema.views() else None


def folded_quant(node: Node, read: Sequence[Tensor], shape: Sequence[int]) -> Quant | None:
    """The quantized values of what a node makes of the constants `read`, in this shape: it moves
    them, makes floats of integers, or takes a zero point away from them or scales them."""
    x = read[0]
    if node.op == "Cast" and x.dtype in ("i8", "u8"):
        return as_signed(Quant(np.ones(1, np.float32), np.zeros(1, np.int64)), x.dtype)
    if node.op == "Cast":
        return x.source_quant
    if node.op != "Eltwise" or len(read) != 2:
        return moved_quant(node, x.source_quant, x.data.shape, shape)
    kind = node.attr("type")
    if x.source_quant is None and kind == "PROD":
        read = read[::-1]
    quant, by = read[0].source_quant, read[1]
    found = _one_axis(by.data, shape) if by.dtype == "f32" and quant is not None else None
    if found is None or read[0].data.shape != tuple(shape):
        return None
    axis, values = found
    axis = quant.axis if axis is None else axis
    if quant.axis not in (None, axis):
        return None
    scale, zero = quant.scale, quant.zero_point
    if kind == "PROD" and (values > 0).all():
        scale = scale * values
    elif kind == "DIV" and (values > 0).all():
        scale = scale / values
    elif kind in ("SUB", "SUM"):
        steps = values.astype(np.float64) / scale * (1 if kind == "SUB" else -1)
        if not np.array_equal(steps, np.rint(steps)):
            return None
        zero = zero + steps.astype(np.int64)
    else:
        return None
    if zero.min() < -128 or zero.max() > 127:
        return None
    count = max(scale.size, zero.size)
    return Quant(np.broadcast_to(scale, count).astype(np.float32),
                 np.broadcast_to(zero, count).astype(np.int64), axis if count > 1 else None)


def _one_axis(values: np.ndarray, shape: Sequence[int]) -> tuple[int | None, np.ndarray] | None:
    """The only axis of this shape along which an operand varies, None if it does not, and its
    values there."""
    wide = (1,) * (len(shape) - values.ndim) + values.shape
    axes = [k for k, size in enumerate(wide) if size > 1]
    if len(wide) > len(shape) or len(axes) > 1 or not np.isfinite(values).all():
        return None
    return (axes[0] if axes else None), values.reshape(-1).astype(np.float32)


def permuted_quant(quant: Quant | None, dims: Sequence[int]) -> Quant | None:
    """The quantization of Transpose(x, dims)."""
    if quant is None or quant.axis is None:
        return quant
    return replace(quant, axis=list(dims).index(quant.axis))


def reshaped_quant(quant: Quant | None, old: Sequence[int], new: Sequence[int]) -> Quant | None:
    """The quantization of a reshaped tensor; None if the axis of the scales is split or merged."""
    if quant is None or quant.axis is None:
        return quant
    before, extent = int(np.prod(old[: quant.axis])), old[quant.axis]
    for axis, size in enumerate(new):
        if size == extent and int(np.prod(new[:axis])) == before:
            return replace(quant, axis=axis)
    return None
