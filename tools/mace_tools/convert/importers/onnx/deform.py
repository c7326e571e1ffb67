"""Deformable convolution: samples at moved positions, and a product.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.layout import to_last
from mace_tools.convert.importers.operands import fixed_shape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError


@registry.op("DeformConv")
def deform_conv(b: Builder, n: SourceNode) -> str:
    """GridSample for each group of offsets, then a product with the filter"""
    x, w, offset, bias, mask = [*n.inputs, *[""] * 5][:5]
    if b.rank(x) != 4:
        raise Unsupported(f"DeformConv over {b.rank(x) - 2} dimensions", "two convert")
    batch, channels, *_ = fixed_shape(b, x)
    out, per_group, kh, kw = fixed_shape(b, w)
    height, width = fixed_shape(b, offset)[2:]
    parts, group = n.attr("offset_group", 1), n.attr("group", 1)
    taps = kh * kw
    if n.attr("kernel_shape") and list(n.attr("kernel_shape")) != [kh, kw]:
        raise ModelError(f"DeformConv '{n.name}': kernel_shape is {n.attr('kernel_shape')}, its "
                         f"filter has {[kh, kw]}")
    if parts < 1 or group < 1 or channels % parts or channels != per_group * group or out % group:
        raise ModelError(f"DeformConv '{n.name}': {channels} channels in {group} groups and "
                         f"{parts} groups of offsets")
    places = _places(n, (kh, kw), (height, width))
    moves = b.op("Reshape", offset, dim=[batch, parts, taps, 2, height, width])
    moves = b.op("Transpose", moves, dims=[1, 0, 2, 4, 5, 3])  # [parts, N, taps, H, W, (y, x)]
    where = b.op("Eltwise", moves, b.add_const(places, name="places"), type="SUM")
    where = b.op("Reverse", where, axis=[5])
    images = b.ops("Split", [to_last(b, x)], parts, axis=3)
    grids = b.ops("Unstack", [where], parts, axis=0)
    samples = []
    for k, (image, grid) in enumerate(zip(images, grids)):
        part = b.op("GridSample", image, b.op("Reshape", grid, dim=[batch, -1, 2]), pixels=1)
        if mask:
            factor = b.op("Reshape", mask, dim=[batch, parts, taps * height * width])
            factor = b.op("Slice", factor, starts=[k], ends=[k + 1], axes=[1])
            factor = b.op("Transpose", factor, dims=[0, 2, 1])
            part = b.op("Eltwise", part, factor, type="PROD")
        samples.append(part)
    y = b.op("Concat", *samples, axis=2) if parts > 1 else samples[0]
    y = b.op("Reshape", y, dim=[batch, taps, height * width, group, per_group])
    y = b.op("Transpose", y, dims=[0, 3, 4, 1, 2])
    y = b.op("Reshape", y, dim=[batch, group, per_group * taps, height * width])
    rows = b.op("Reshape", w, dim=[group, out // group, math.prod([per_group, taps])])
    y = b.op("Reshape", b.op("MatMul", rows, y), dim=[batch, out, height, width])
    if bias:
        y = b.op("Eltwise", y, b.op("ExpandDims", bias, axis=[1, 2]), type="SUM")
    return y


def _places(n: SourceNode, kernel: tuple[int, int], out: tuple[int, int]) -> np.ndarray:
    """The positions (y, x) of the windows' elements without offsets: [taps, H, W, 2]."""
    strides, gaps = n.attr("strides") or [1, 1], n.attr("dilations") or [1, 1]
    pads = n.attr("pads") or [0] * 4
    along = [np.arange(k)[:, None] * g + np.arange(o) * s - p
             for k, g, o, s, p in zip(kernel, gaps, out, strides, pads)]
    shape = (*kernel, *out)
    y = np.broadcast_to(along[0][:, None, :, None], shape)
    x = np.broadcast_to(along[1][None, :, None, :], shape)
    return np.stack([y, x], -1).reshape(-1, *out, 2).astype(np.float32)
