"""Resizes axes by products with constant matrices, where the engine's Resize cannot.

SPDX-License-Identifier: Apache-2.0

Row i of an axis' matrix holds the weights of the input's elements in output element i.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.ops.common.resizing import Axis, nearest, positions, weights
from mace_tools.graph.ir import NUMPY


def by_matrices(b: Builder, x: str, axes: Mapping[int, Axis], attrs: Mapping[str, Any],
                antialias: bool) -> str:
    """Resizes these axes of x; `attrs` are those of the engine's Resize."""
    source = x
    if attrs["mode"] == "NEAREST":
        for k, axis in axes.items():
            elements = nearest(attrs["coordinate"], attrs["nearest_mode"], axis)
            x = b.op("Gather", x, b.add_const(elements, "i32", "elements"), axis=k)
        return _with_edges(b, source, x, axes, attrs)
    if b.dtype(x) == "u8" and antialias and attrs["coordinate"] != "TF_CROP_AND_RESIZE":
        x = b.op("Cast", x, to="f32")
        for k in sorted(axes, reverse=True):  # each rounds, the last axis first
            x = _rounded_product(b, x, weights(axes[k], attrs, antialias, np.float32), k)
        return b.op("Cast", x, to="u8")
    if b.dtype(x) not in ("f32", "f16", "bf16"):
        raise Unsupported(f"mode {attrs['mode'].lower()} for {b.dtype(x)}",
                          "cast its operand to float, and its result back")
    for k, axis in axes.items():
        x = _product(b, x, weights(axis, attrs, antialias).astype(NUMPY[b.dtype(x)]), k)
    return _with_edges(b, source, x, axes, attrs)


def _product(b: Builder, x: str, matrix: np.ndarray, k: int) -> str:
    """Axis k of x times a matrix [out, extent]."""
    rank = b.rank(x)
    if k == rank - 2:
        return b.op("MatMul", b.add_const(matrix, name="weights"), x)
    order = [i for i in range(rank) if i != k] + [k]
    y = b.op("MatMul", b.transpose(x, order), b.add_const(matrix.T.copy(), name="weights"))
    return b.transpose(y, np.argsort(order).tolist())


def _rounded_product(b: Builder, x: str, matrix: np.ndarray, k: int) -> str:
    """The same for whole numbers from 0 to 255, with weights of 22 fraction bits as in Pillow.

    The upper and the lower 11 bits are multiplied apart, so that float32 computes exact sums."""
    fixed = np.floor(np.abs(matrix.astype(float)) * 2**22 + 0.5) * np.sign(matrix)
    high = np.floor(fixed / 2**11)
    low = _product(b, x, ((fixed - high * 2**11) / 2**22).astype(np.float32), k)
    for kind, number in (("SUM", 0.5), ("PROD", 2**11)):
        low = b.op("Eltwise", low, b.add_const(np.float32(number)), type=kind)
    low = b.op("Eltwise", b.op("Unary", low, type="FLOOR"), b.add_const(np.float32(2**-11)),
               type="PROD")
    y = b.op("Eltwise", _product(b, x, (high / 2**11).astype(np.float32), k), low, type="SUM")
    return b.op("Clip", b.op("Unary", y, type="FLOOR"), min=0.0, max=255.0)


def _with_edges(b: Builder, source: str, y: str, axes: Mapping[int, Axis],
                attrs: Mapping[str, Any]) -> str:
    """y, in which TF_CROP_AND_RESIZE gives a number of its own to what is outside."""
    if attrs["coordinate"] != "TF_CROP_AND_RESIZE":
        return y
    rank, inside = b.rank(source), np.ones((), bool)
    for k, axis in axes.items():
        at = positions(attrs["coordinate"], axis)
        here = (at >= 0) & (at <= axis.extent - 1)
        inside = inside & here.reshape([-1 if i == k else 1 for i in range(rank)])
    if inside.all():
        return y
    beyond = b.add_const(np.array(next(iter(axes.values())).beyond), b.dtype(y))
    return b.op("Select", b.add_const(inside, "bool", "inside"), y, beyond)

