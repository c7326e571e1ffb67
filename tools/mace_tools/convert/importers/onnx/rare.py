"""Rare operators, composed of common ones.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.norm import FLOAT
from mace_tools.convert.importers.onnx.tensors import ELEMENT
from mace_tools.convert.importers.operands import fixed_ints
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.graph.ir import NUMPY, dtype_name
from mace_tools.support.errors import ModelError


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
    rows, columns = matrix(b, n)
    kind = dtype_name(ELEMENT[n.attr("dtype")]) if n.attr("dtype") else b.dtype(n.inputs[0])
    return b.add_const(np.eye(rows, columns, n.attr("k", 0), NUMPY[kind]))


@registry.op("Trilu")
def trilu(b: Builder, n: SourceNode) -> str:
    rows, columns = matrix(b, n)
    k = b.const(n.inputs[1]) if len(n.inputs) > 1 and n.inputs[1] else np.array(0)
    if k is None:
        raise Unsupported("the diagonal is computed", "make it constant")
    keep = np.ones((rows, columns), np.bool_)
    keep = np.triu(keep, k.item()) if n.flag("upper", 1) else np.tril(keep, k.item())
    zero = np.zeros((), NUMPY[b.dtype(n.inputs[0])])
    return b.op("Select", b.add_const(keep), n.inputs[0], b.add_const(zero))


def matrix(b: Builder, n: SourceNode) -> tuple[int, int]:
    shape = b.shape(n.inputs[0])
    if shape is None or len(shape) < 2 or None in shape[-2:]:
        raise Unsupported("the matrix has no known size", "give input_shapes")
    return shape[-2:]  # type: ignore[return-value]


@registry.op("CenterCropPad")
def center_crop_pad(b: Builder, n: SourceNode) -> str:
    x, wanted = n.inputs[0], fixed_ints(b, n.inputs[1], "shape")
    rank = b.rank(x)
    axes = [a % rank for a in n.attr("axes") or range(rank)]
    starts, ends, pads = [], [], np.zeros((rank, 2), int)
    for axis, size in zip(axes, wanted):
        extent = b.extents(x)[axis]
        if extent is None:
            raise Unsupported(f"the extent of axis {axis} is not known", "give input_shapes")
        cut, lack = max(extent - size, 0), max(size - extent, 0)
        starts.append(cut // 2)
        ends.append(cut // 2 + min(extent, size))
        pads[axis] = lack // 2, lack - lack // 2
    x = b.op("Slice", x, starts=starts, ends=ends, axes=axes)
    return b.op("Pad", x, paddings=pads.reshape(-1).tolist()) if pads.any() else x


@registry.op("Col2Im")
def col2im(b: Builder, n: SourceNode) -> str:
    """Sums columns of windows into the image from which they were taken"""
    x = n.inputs[0]
    image, block = (fixed_ints(b, name, what) for name, what in
                    zip(n.inputs[1:], ("image_shape", "block_shape")))
    rank = len(image)
    gaps, strides = n.attr("dilations") or [1] * rank, n.attr("strides") or [1] * rank
    pads = list(n.attr("pads") or [0] * 2 * rank)
    batch, rows, columns = b.extents(x)
    whole = [d + pads[k] + pads[k + rank] for k, d in enumerate(image)]
    counts = [(w - (k - 1) * g - 1) // s + 1 for w, k, g, s in zip(whole, block, gaps, strides)]
    size = math.prod(block)
    if batch is None or rows is None or rows % size or columns != math.prod(counts):
        raise ModelError(f"Col2Im '{n.name}': {rows} x {columns} elements for windows {block} at "
                         f"{counts} places")
    channels = rows // size
    where = [np.arange(k)[:, None] * g + np.arange(c) * s
             for k, g, c, s in zip(block, gaps, counts, strides)]
    places = np.zeros([1] * 2 * rank, int)
    for k, along in enumerate(where):
        shape = [1] * 2 * rank
        shape[k], shape[rank + k] = along.shape
        places = places + along.reshape(shape) * math.prod(whole[k + 1:])
    parts = b.op("Reshape", x, dim=[batch * channels, size * columns])
    parts = b.op("Transpose", parts, dims=[1, 0])
    empty = b.add_const(np.array([math.prod(whole), batch * channels]), "i64", "size")
    idx = b.add_const(places.reshape(-1, 1), "i64", "places")
    y = b.op("ScatterNd", b.op("Fill", empty, value=0.0), idx, parts, reduction="SUM")
    y = b.op("Reshape", b.op("Transpose", y, dims=[1, 0]), dim=[batch, channels, *whole])
    ends = [p + d for p, d in zip(pads, image)]
    return b.op("Slice", y, starts=pads[:rank], ends=ends, axes=list(range(2, rank + 2)))


@registry.op("OptionalHasElement")
def has_element(b: Builder, n: SourceNode) -> str:
    return b.add_const(np.array(bool(n.inputs and n.inputs[0])))


@registry.op("OptionalGetElement")
def get_element(b: Builder, n: SourceNode) -> str:
    return b.op("Identity", n.inputs[0])
