"""Resizes axes by products with constant matrices, where the engine's Resize cannot.

SPDX-License-Identifier: Apache-2.0

Row i of an axis' matrix holds the weights of the input's elements in output element i.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mace_tools.importers.builder import Builder
from mace_tools.ir import NUMPY
from mace_tools.reference.resize import Axis, nearest, positions, weights


def by_matrices(b: Builder, x: str, axes: Mapping[int, Axis], attrs: Mapping[str, Any],
                antialias: bool) -> str:
    """Resizes these axes of x; `attrs` are those of the engine's Resize."""
    source = x
    if attrs["mode"] == "NEAREST":
        for k, axis in axes.items():
            elements = nearest(attrs["coordinate"], attrs["nearest_mode"], axis)
            x = b.op("Gather", x, b.add_const(elements, "i32", "elements"), axis=k)
        return _with_edges(b, source, x, axes, attrs)
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

