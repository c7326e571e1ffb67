"""Scattering.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.narrow_integers import widened
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode

_REDUCTIONS = {"none": "NONE", "add": "SUM", "mul": "PROD", "min": "MIN", "max": "MAX"}


def _reduction(n: SourceNode) -> str:
    name = n.attr("reduction", "none")
    if name not in _REDUCTIONS:
        raise Unsupported(f"{n.op} with reduction '{name}'", f"use {', '.join(_REDUCTIONS)}")
    return _REDUCTIONS[name]


def _scattered(b: Builder, n: SourceNode, op: str, **attrs: int) -> str:
    data, idx, updates = n.inputs
    reduction = _reduction(n)
    if reduction == "NONE":
        return b.op(op, data, idx, updates, **attrs)
    return widened(b, lambda x, y: b.op(op, x, idx, y, reduction=reduction, **attrs),
                   data, updates)


@registry.op("ScatterND")
def scatter_nd(b: Builder, n: SourceNode) -> str:
    return _scattered(b, n, "ScatterNd")


@registry.op("Scatter", "ScatterElements")
def scatter_elements(b: Builder, n: SourceNode) -> str:
    return _scattered(b, n, "ScatterElements", axis=n.attr("axis", 0))


@registry.op("TensorScatter")
def tensor_scatter(b: Builder, n: SourceNode) -> str:
    """Rows of a cache replaced, from an index of each image on"""
    cache, update, start = [*n.inputs, ""][:3]
    axis, mode = n.attr("axis", -2) % b.rank(cache), n.attr("mode", "linear")
    shape, size = b.extents(update), b.extents(cache)[axis]
    if None in shape or size is None or axis == 0 or mode not in ("linear", "circular"):
        raise Unsupported(f"axis {axis} of {list(shape)} with mode '{mode}'", "give input_shapes")
    rows = np.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    idx = b.add_const(rows, "i64", "rows")
    if start:
        start = b.op("Cast", start, to="i64") if b.dtype(start) != "i64" else start
        first = b.op("ExpandDims", start, axis=list(range(1, len(shape))))
        idx = b.op("Eltwise", idx, first, type="SUM")
    if mode == "circular":
        idx = b.op("Eltwise", idx, b.add_const(np.array(size), "i64"), type="MOD")
    return b.op("ScatterElements", cache, b.op("Expand", idx, shape=list(shape)), update, axis=axis)
