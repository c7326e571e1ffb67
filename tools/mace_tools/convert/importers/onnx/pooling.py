"""Pooling.

SPDX-License-Identifier: Apache-2.0
"""

import math
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.narrow_integers import NARROW
from mace_tools.convert.importers.onnx import registry, volumes
from mace_tools.convert.importers.onnx.conv import padding
from mace_tools.convert.importers.onnx.layout import pair, spatial, spatial_rank
from mace_tools.convert.importers.onnx.unpool import places
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.ops.common.windows import AVERAGE, MAX


@registry.op("MaxPool", "AveragePool")
def pool(b: Builder, n: SourceNode) -> list[str]:
    """Three dimensions by two and one; places of the largest elements by those of each window"""
    x = n.inputs[0]
    kind = b.dtype(x)
    floats = b.op("Cast", x, to="f32") if kind in NARROW and b.quant(x) is None else x
    attrs = {"pooling_type": MAX if n.op == "MaxPool" else AVERAGE,
             "round_mode": n.flag("ceil_mode", 0),
             "count_include_pad": n.flag("count_include_pad", 0)}
    y = pooled(b, n, floats, attrs)
    if floats != x:
        y = b.op("Cast", y, to=kind)
    if len([o for o in n.outputs if o]) < 2:
        n.attr("storage_order")  # of the places
        return [y]
    return [y, places(b, n, floats, y)]


def pooled(b: Builder, n: SourceNode, x: str, attrs: dict[str, Any]) -> str:
    kernel = n.attr("kernel_shape")
    if kernel and len(kernel) == 3:
        return volumes.pool(b, n, x, list(kernel), **attrs)
    rank = spatial_rank(b, n)
    attrs = {**attrs, "kernels": pair(kernel, 1, rank), "strides": pair(n.attr("strides"), 1, rank),
             "dilations": pair(n.attr("dilations"), 1, rank), **padding(n, rank)}
    return spatial(b, x, lambda t: b.op("Pooling", t, **attrs))


@registry.op("LpPool")
def lp_pool(b: Builder, n: SourceNode) -> str:
    """The root of the sum of powers: their mean, times the size of the window"""
    p = n.attr("p", 2)
    if p < 1:
        raise Unsupported(f"LpPool with p = {p}", "p must be 1 or larger")
    x, kernel = n.inputs[0], n.attr("kernel_shape")
    ceil = n.flag("ceil_mode", 0)
    if ceil:
        raise Unsupported("LpPool with ceil_mode", "export without ceil_mode")
    power = b.op("Unary", x, type="SQUARE" if p == 2 else "ABS")
    if p > 2:
        power = b.op("Eltwise", power, b.add_const(np.float32(p)), type="POW")
    mean = pooled(b, n, power, {"pooling_type": AVERAGE, "count_include_pad": 1, "round_mode": 0})
    total = b.op("Eltwise", mean, b.add_const(np.float32(math.prod(kernel))), type="PROD")
    return _root(b, total, p)


def _root(b: Builder, x: str, p: int) -> str:
    if p == 1:
        return x
    if p == 2:
        return b.op("Unary", x, type="SQRT")
    return b.op("Eltwise", x, b.add_const(np.float32(1 / p)), type="POW")


@registry.op("GlobalAveragePool", "GlobalMaxPool")
def global_pool(b: Builder, n: SourceNode) -> str:
    x = n.inputs[0]
    kind = MAX if n.op == "GlobalMaxPool" else AVERAGE
    if b.rank(x) != 4:
        how = "MAX" if kind == MAX else "MEAN"
        return b.op("Reduce", x, reduce_type=how, axis=list(range(2, b.rank(x))), keepdims=1)
    return spatial(b, x, lambda t: b.op(
        "Pooling", t, pooling_type=kind, kernels=[1, 1], strides=[1, 1], **{"global": 1}))


@registry.op("GlobalLpPool")
def global_lp_pool(b: Builder, n: SourceNode) -> str:
    p, x = n.attr("p", 2), n.inputs[0]
    if p < 1:
        raise Unsupported(f"p = {p}", "p must be 1 or larger")
    axes = list(range(2, b.rank(x)))
    if p in (1, 2):
        return b.op("Reduce", x, reduce_type=f"L{p}", axis=axes, keepdims=1)
    power = b.op("Eltwise", b.op("Unary", x, type="ABS"), b.add_const(np.float32(p)), type="POW")
    return _root(b, b.op("Reduce", power, reduce_type="SUM", axis=axes, keepdims=1), p)
