"""Convolutions over three dimensions, as sums of convolutions over two.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import conv_weights, fixed_ints, reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.activations import activated
from mace_tools.convert.importers.tflite.flat import PADDINGS
from mace_tools.convert.importers.tflite.sizes import check_transposed
from mace_tools.convert.importers.tflite.windows import operand, window


def _filters(b: Builder, w: str) -> np.ndarray:
    data = b.const(w)
    if data is None or data.ndim != 5:
        raise Unsupported("its filter is not a constant of five dimensions",
                          "make the filter a constant of the source model")
    return data


def _planes(b: Builder, x: str) -> tuple[str, list[int]]:
    """[N,D,H,W,C] as [N*D,H,W,C], and [D,H,W,C]."""
    shape = b.extents(x)
    rest = [int(d) for d in shape[1:] if d is not None]
    if len(shape) != 5 or len(rest) != 4:
        raise Unsupported("the shape of its input is not known", "give input_shapes that fix it")
    return reshape(b, x, [-1, *rest[1:]]), rest


def _volumes(b: Builder, planes: str, depth: int) -> str:
    return reshape(b, planes, [-1, depth, *fixed_shape_behind(b, planes)])


def fixed_shape_behind(b: Builder, x: str) -> list[int]:
    """The shape without its first extent, which may be open."""
    shape = b.extents(x)[1:]
    if None in shape:
        raise Unsupported("the shape of its result is not known", "give input_shapes that fix it")
    return [int(d) for d in shape if d is not None]


def _total(b: Builder, n: SourceNode, parts: list[str]) -> str:
    """The sum with the bias and the activation of the node."""
    y = parts[0]
    for part in parts[1:]:
        y = b.op("Eltwise", y, part, type="SUM")
    return activated(b, n, y)


@registry.op("CONV_3D")
def conv_3d(b: Builder, n: SourceNode) -> str:
    data = _filters(b, n.inputs[1])  # [D,H,W,in,out]
    _, (depth, *_) = _planes(b, n.inputs[0])
    step, gap = n.attr("StrideD", 1), n.attr("DilationDFactor", 1)
    reach = (len(data) - 1) * gap + 1
    same = PADDINGS[n.attr("Padding", 0)] == "SAME"
    out = -(-depth // step) if same else (depth - reach) // step + 1
    if out < 1:
        raise ValueError(f"a kernel over {reach} planes of {depth}")
    missing = max((out - 1) * step + reach - depth, 0) if same else 0
    x = n.inputs[0]
    if missing:
        x = b.op("Pad", x, paddings=[0, 0, missing // 2, missing - missing // 2, *[0] * 6])
    parts, its_window = [], window(n)
    for k, plane in enumerate(data):
        first = k * gap
        seen = b.op("Slice", x, starts=[first], ends=[first + (out - 1) * step + 1], axes=[1],
                    steps=[step])
        w, _ = conv_weights(b, b.add_const(plane, name="plane"), [3, 2, 0, 1])  # HWIO -> OIHW
        bias = operand(n, 2) if k == 0 else ""
        parts.append(b.op("Conv2d", _planes(b, seen)[0], w, bias, **its_window))
    return _volumes(b, _total(b, n, parts), out)


@registry.op("CONV_3D_TRANSPOSE")
def conv_3d_transpose(b: Builder, n: SourceNode) -> str:
    size, data = fixed_ints(b, n.inputs[0], "output shape"), _filters(b, n.inputs[1])
    planes, (depth, *_) = _planes(b, n.inputs[2])
    check_transposed(b, n, n.inputs[2], size[1:4], data.shape[:3])
    step, gap = n.attr("StrideD", 1), n.attr("DilationDFactor", 1)
    reach = (depth - 1) * step + (len(data) - 1) * gap + 1
    same = PADDINGS[n.attr("Padding", 0)] == "SAME"
    before = max(reach - size[1], 0) // 2 if same else 0
    parts, its_window = [], window(n)
    for k, plane in enumerate(data):  # [H,W,out,in]
        w, _ = conv_weights(b, b.add_const(plane, name="plane"), [2, 3, 0, 1])
        y = b.op("Deconv2d", planes, w, **its_window, output_shape=size[2:4])
        y = _volumes(b, y, depth)
        if step > 1:  # step - 1 planes of zeros behind each plane
            rest = fixed_shape_behind(b, y)[1:]
            y = reshape(b, y, [-1, 1, *rest])
            y = reshape(b, b.op("Pad", y, paddings=[0, 0, 0, step - 1, *[0] * 6]),
                        [-1, depth * step, *rest])
        first = k * gap - before
        y = b.op("Pad", y, paddings=[0, 0, first, size[1] - first - depth * step, *[0] * 6])
        parts.append(y)
    if operand(n, 3):
        parts[-1] = b.op("Eltwise", parts[-1], operand(n, 3), type="SUM")
    return _total(b, n, parts)


