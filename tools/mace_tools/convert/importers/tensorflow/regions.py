"""Parts of images at other sizes.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_ints
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry

_MAX_ELEMENTS = 1 << 24  # of a matrix of weights


@registry.op("CropAndResize")
def crop_and_resize(b: Builder, n: SourceNode) -> str:
    """GridSample at the positions that the boxes hold, and a number of its own for what is outside
    of the image"""
    x, boxes, image, size = n.inputs[:4]
    method = n.attr("method", "bilinear")
    shape, sizes = b.extents(x), fixed_ints(b, size, "crop size")
    if method not in ("bilinear", "nearest") or len(sizes) != 2 or min(sizes) < 1:
        raise Unsupported(f"method '{method}' to {sizes}", "use bilinear or nearest, and a height "
                          "and a width above 0")
    if len(shape) != 4 or None in shape[1:3] or 0 in shape[1:3]:
        raise Unsupported("the size of its images is not known", "give input_shapes")
    beyond = n.attr("extrapolation_value", 0.0)
    if not math.isfinite(beyond):
        raise Unsupported(f"extrapolation_value {beyond}", "use a finite number")
    x = x if b.dtype(x) == "f32" else b.op("Cast", x, to="f32")
    places, inside = [], []
    for axis, out in enumerate(sizes):
        last = float((shape[1 + axis] or 1) - 1)
        first, end = (b.op("Slice", boxes, starts=[k], ends=[k + 1], axes=[1])
                      for k in (axis, axis + 2))
        at = _positions(b, first, end, last, out)
        if method == "nearest":
            rounded = b.op("Eltwise", at, b.add_const(np.float32(0.5)), type="SUM")
        tests = [b.op("Compare", at, b.add_const(np.float32(limit)), type=test)
                 for limit, test in ((0, "GREATER_EQUAL"), (last, "LESS_EQUAL"))]
        at = b.op("Unary", rounded, type="FLOOR") if method == "nearest" else at
        spread = [1 + (1 - axis)]  # [boxes, h, w] of [boxes, out]
        whole = b.add_const(np.array([1, *sizes], np.int32), name="shape")
        places.append(b.op("Expand", b.op("ExpandDims", at, axis=spread), whole))
        inside.append(b.op("ExpandDims", b.op("Logical", *tests, type="AND"), axis=spread))
    grid = b.op("Stack", places[1], places[0], axis=3)
    y = b.op("GridSample", x, grid, image, mode="LINEAR", padding="BORDER", pixels=1)
    within = b.op("ExpandDims", b.op("Logical", *inside, type="AND"), axis=[3])
    return b.op("Select", within, y, b.add_const(np.float32(beyond)))


def _positions(b: Builder, first: str, end: str, last: float, out: int) -> str:
    """Positions [boxes, out] in pixels between parts [boxes, 1] of an axis that ends at `last`,
    with the roundings of TensorFlow, which decide between neighbours."""
    def by(x: str, kind: str, value: float | np.ndarray) -> str:
        return b.op("Eltwise", x, b.add_const(np.asarray(value, np.float32)), type=kind)
    if out == 1:
        middle = by(b.op("Eltwise", first, end, type="SUM"), "PROD", 0.5)
        return by(middle, "PROD", last)
    step = by(by(b.op("Eltwise", end, first, type="SUB"), "PROD", last), "DIV", out - 1)
    return b.op("Eltwise", by(first, "PROD", last), by(step, "PROD", np.arange(out)[None]),
                type="SUM")


@registry.op("ResizeArea")
def resize_area(b: Builder, n: SourceNode) -> str:
    """Each pixel is the mean of the area that it covers: products with constant matrices"""
    x, sizes, align = n.inputs[0], fixed_ints(b, n.inputs[1], "size"), n.attr("align_corners",
                                                                            False)
    shape = b.extents(x)
    if len(shape) != 4 or None in shape[1:3] or 0 in shape[1:3]:
        raise Unsupported("the size of its images is not known", "give input_shapes")
    if len(sizes) != 2 or min(sizes) < 1 or max(
            s * int(d or 0) for s, d in zip(sizes, shape[1:3])) > _MAX_ELEMENTS:
        raise Unsupported(f"to the size {sizes}", "use a height and a width above 0")
    x = x if b.dtype(x) == "f32" else b.op("Cast", x, to="f32")
    rows, columns = (area(int(d or 0), out, align) for d, out in zip(shape[1:3], sizes))
    x = b.transpose(x, [0, 3, 1, 2])
    x = b.op("MatMul", b.add_const(rows, "f32", "rows"), x)
    x = b.op("MatMul", x, b.add_const(columns.T, "f32", "columns"))
    return b.transpose(x, [0, 2, 3, 1])


def area(extent: int, out: int, align: bool) -> np.ndarray:
    """The weights [out, extent] of the elements that each result covers."""
    scale = (extent - 1) / (out - 1) if align and out > 1 else extent / out
    weights = np.zeros((out, extent))
    for k in range(out):
        begin, end = k * scale, (k + 1) * scale
        for i in range(math.floor(begin), math.ceil(end)):
            covered = min(i + 1, end) - max(i, begin)
            weights[k, min(i, extent - 1)] += covered / scale if scale else 0
    if not scale:
        weights[:, 0] = 1
    return weights
