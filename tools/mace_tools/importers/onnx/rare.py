"""Rare operators, composed of common ones.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math

import numpy as np

from mace_tools.importers.builder import Builder
from mace_tools.importers.onnx import registry
from mace_tools.importers.onnx.conv import padding
from mace_tools.importers.onnx.layout import pair, spatial, spatial_rank
from mace_tools.importers.onnx.norm import FLOAT
from mace_tools.importers.onnx.tensors import ELEMENT
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode
from mace_tools.infer.spatial import L2
from mace_tools.ir import NUMPY, dtype_name


@registry.op("LpPool")
def lp_pool(b: Builder, n: SourceNode) -> str:
    """Root of the sum of squares: L2 pooling, which takes their mean, times sqrt(window)."""
    if n.attr("p", 2) != 2:
        raise Unsupported(f"LpPool with p = {n.attr('p')}", "only p = 2 converts")
    rank = spatial_rank(b, n)
    kernels = pair(n.attr("kernel_shape"), 1, rank)
    attrs = {"pooling_type": L2, "kernels": kernels, "strides": pair(n.attr("strides"), 1, rank),
             "dilations": pair(n.attr("dilations"), 1, rank), "count_include_pad": 1,
             "round_mode": n.flag("ceil_mode", 0), **padding(n, rank)}
    if attrs["round_mode"]:
        raise Unsupported("LpPool with ceil_mode", "export without ceil_mode")
    y = spatial(b, n.inputs[0], lambda t: b.op("Pooling", t, **attrs))
    return b.op("Eltwise", y, b.add_const(np.float32(math.sqrt(math.prod(kernels)))), type="PROD")


@registry.op("GroupNormalization")
def group_norm(b: Builder, n: SourceNode) -> str:
    x, scale, bias = n.inputs
    groups, rank = n.attr("num_groups"), b.rank(x)
    n.only("stash_type", FLOAT, "export with the mean and the deviation in float32")
    y = b.op("Reshape", x, dim=[0, groups, -1])
    y = b.op("LayerNorm", y, axis=2, epsilon=float(n.attr("epsilon", 1e-5)))
    per_group = b.opset < 21
    if per_group:
        y = _affine(b, y, scale, bias, 1)
    y = b.op("Reshape", y, b.op("Shape", x, output_type="i32"))
    return y if per_group else _affine(b, y, scale, bias, rank - 2)


def _affine(b: Builder, x: str, scale: str, bias: str, trailing: int) -> str:
    """x * scale + bias along the axis before the last `trailing` ones."""
    axes = list(range(1, 1 + trailing))
    scale, bias = (b.op("ExpandDims", v, axis=axes) for v in (scale, bias))
    return b.op("Eltwise", b.op("Eltwise", x, scale, type="PROD"), bias, type="SUM")


@registry.op("Shrink")
def shrink(b: Builder, n: SourceNode) -> str:
    """x + bias below -lambd, x - bias above lambd, else 0."""
    x, lambd, bias = n.inputs[0], n.attr("lambd", 0.5), n.attr("bias", 0.0)
    low, high, minus, plus, zero = (b.add_const(np.float32(v))
                                    for v in (-lambd, lambd, -bias, bias, 0))
    above = b.op("Select", b.op("Compare", x, high, type="GREATER"),
                 b.op("Eltwise", x, minus, type="SUM"), zero)
    return b.op("Select", b.op("Compare", x, low, type="LESS"),
                b.op("Eltwise", x, plus, type="SUM"), above)


@registry.op("EyeLike")
def eye_like(b: Builder, n: SourceNode) -> str:
    rows, columns = _matrix(b, n)
    kind = dtype_name(ELEMENT[n.attr("dtype")]) if n.attr("dtype") else b.dtype(n.inputs[0])
    return b.add_const(np.eye(rows, columns, n.attr("k", 0), NUMPY[kind]))


@registry.op("Trilu")
def trilu(b: Builder, n: SourceNode) -> str:
    rows, columns = _matrix(b, n)
    k = b.const(n.inputs[1]) if len(n.inputs) > 1 and n.inputs[1] else np.array(0)
    if k is None:
        raise Unsupported("the diagonal is computed", "make it constant")
    keep = np.ones((rows, columns), np.bool_)
    keep = np.triu(keep, k.item()) if n.flag("upper", 1) else np.tril(keep, k.item())
    zero = np.zeros((), NUMPY[b.dtype(n.inputs[0])])
    return b.op("Select", b.add_const(keep), n.inputs[0], b.add_const(zero))


def _matrix(b: Builder, n: SourceNode) -> tuple[int, int]:
    shape = b.shape(n.inputs[0])
    if shape is None or len(shape) < 2 or None in shape[-2:]:
        raise Unsupported("the matrix has no known size", "give input_shapes")
    return shape[-2:]  # type: ignore[return-value]
