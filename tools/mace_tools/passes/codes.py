"""Codes and the numbers for which they stand, and how operators that move elements move scales.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mace_tools import op_facts
from mace_tools.ir import NUMPY, Node, Quant, Tensor


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


def real(data: np.ndarray, quant: Quant) -> np.ndarray:
    """The numbers that codes stand for."""
    zero = along(quant.zero_point, quant.axis, data.ndim)
    scale = along(quant.scale, quant.axis, data.ndim)
    return ((data.astype(np.int64) - zero) * scale).astype(np.float32)


def nearest(data: np.ndarray, quant: Quant, dtype: str, ties: str = "EVEN") -> np.ndarray:
    """The codes that are nearest to real numbers, saturated; `ties` as `rounding` of Quantize.
    NaN becomes the least code."""
    scale = along(quant.scale.astype(np.float32), quant.axis, data.ndim)
    zero = along(quant.zero_point.astype(np.float64), quant.axis, data.ndim)
    limits = np.iinfo(NUMPY[dtype])
    with np.errstate(over="ignore", invalid="ignore"):
        units = np.asarray(data, np.float32) / scale
        if ties == "EVEN":
            units = np.rint(units)
        else:
            units = np.copysign(np.floor(np.abs(units.astype(np.float64)) + 0.5), units)
        codes = units.astype(np.float64) + zero
    codes = np.where(np.isnan(codes), limits.min, codes)
    return np.clip(codes, limits.min, limits.max).astype(NUMPY[dtype])


def as_signed(quant: Quant, dtype: str) -> Quant:
    """The quantization of int8 codes that stand for the same numbers as those of type `dtype`."""
    return replace(quant, zero_point=quant.zero_point - 128) if dtype == "u8" else quant


def codes_of(tensor: Tensor, dtype: str) -> np.ndarray | None:
    """The codes for which a float32 constant stands; None if one does not fit into the type."""
    assert tensor.data is not None and tensor.codes is not None
    rank = tensor.data.ndim
    scale = along(tensor.codes.scale.astype(np.float64), tensor.codes.axis, rank)
    found = np.rint(tensor.data / scale) + along(tensor.codes.zero_point, tensor.codes.axis, rank)
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
        return permuted_codes(quant, node.attr("dims") or range(len(old))[::-1])
    return reshaped_codes(quant, old, new) if node.op in op_facts.views() else None


def permuted_codes(quant: Quant | None, dims: Sequence[int]) -> Quant | None:
    """The quantization of Transpose(x, dims)."""
    if quant is None or quant.axis is None:
        return quant
    return replace(quant, axis=list(dims).index(quant.axis))


def reshaped_codes(quant: Quant | None, old: Sequence[int], new: Sequence[int]) -> Quant | None:
    """The quantization of a reshaped tensor; None if the axis of the scales is split or merged."""
    if quant is None or quant.axis is None:
        return quant
    before, extent = int(np.prod(old[: quant.axis])), old[quant.axis]
    for axis, size in enumerate(new):
        if size == extent and int(np.prod(new[:axis])) == before:
            return replace(quant, axis=axis)
    return None
