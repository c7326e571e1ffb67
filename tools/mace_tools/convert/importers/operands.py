"""Operands that sources have as tensors, and the engine as attributes if they are constant.

SPDX-License-Identifier: Apache-2.0

Most are for TensorFlow and TFLite, because their operators have the same meaning.
"""

import functools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.ops.common.windows import SAME, VALID
from mace_tools.graph.quantization import permuted_quant

INT32_MAX = (1 << 31) - 1
# Source padding names to the engine's numbers.
PADDING = {"VALID": VALID, "SAME": SAME}


def ints(b: Builder, name: str) -> list[int] | None:
    """A constant operand as a flat list; None if it is computed."""
    data = b.const(name)
    return None if data is None else [int(v) for v in data.reshape(-1)]


def fixed_array(b: Builder, name: str, what: str, size: int | None = None) -> np.ndarray:
    """An operand that the engine takes as an attribute only: axes, permutations, block sizes.

    It may be computed from constants or from ranks. Errors: Unsupported if it is computed
    otherwise, or has another size than is given."""
    data = b.const(name)
    data = b.known(name) if data is None else data
    if data is None or size not in (None, data.size):
        raise Unsupported(f"its {what} is computed while the model runs",
                          f"make the {what} a constant of the source model")
    return np.asarray(data).reshape(-1)


def fixed_ints(b: Builder, name: str, what: str) -> list[int]:
    return [int(v) for v in fixed_array(b, name, what)]


def fixed_int(b: Builder, name: str, what: str) -> int:
    return fixed_ints(b, name, what)[0]


def fixed_scalar(b: Builder, name: str, what: str) -> float | int:
    return fixed_array(b, name, what, 1)[0].item()


def fixed_shape(b: Builder, x: str) -> list[int]:
    """The shape of a tensor. Errors: Unsupported if an extent of it is open."""
    shape = b.extents(x)
    if None in shape:
        raise Unsupported(f"it needs the whole shape of '{x}', which is {list(shape)}",
                          "give input_shapes for all model inputs")
    return [int(d) for d in shape if d is not None]


def with_ints(b: Builder, op: str, x: str, operand: str, attr: str, **attrs: Any) -> str:
    """A node whose operand becomes attribute `attr` if constant, else its second input."""
    values = ints(b, operand)
    if values is None:
        return b.op(op, x, operand, **attrs)
    return b.op(op, x, **{attr: values}, **attrs)


def permuted(b: Builder, name: str, dims: list[int]) -> str:
    """A weight with its dimensions reordered; a constant is reordered at once."""
    data = b.const(name)
    if data is None:
        return b.transpose(name, dims)
    weights = b.add_const(np.ascontiguousarray(data.transpose(dims)), b.dtype(name), "weights")
    quant = b.quant(name)
    if quant is not None and quant.axis is not None:
        quant = replace(quant, axis=dims.index(quant.axis))
    b.set_quant(weights, quant)
    b.graph.tensors[weights].source_quant = permuted_quant(b.source_quant(name), dims)
    return weights


def reshape(b: Builder, x: str, dims: list[int]) -> str:
    """Reshapes. Zeros are extents, they do not mean 'as in the operand'."""
    return b.op("Reshape", x, dim=dims, allow_zero=1 if 0 in dims else None)


def reshape_to(b: Builder, x: str, shape: str) -> str:
    """Reshapes to the shape that an operand holds."""
    dims = ints(b, shape)
    return b.op("Reshape", x, shape, allow_zero=1) if dims is None else reshape(b, x, dims)


def summed(b: Builder, terms: Iterable[str]) -> str:
    return functools.reduce(lambda x, y: b.op("Eltwise", x, y, type="SUM"), terms)


def scalar(b: Builder, value: float, like: str) -> str:
    """A constant of the element type of `like`."""
    return b.add_const(np.array(value), b.dtype(like), "scalar")


def conv_weights(b: Builder, w: str, order: list[int]) -> tuple[str, list[int]]:
    """A filter in the engine's order, and its shape there."""
    weights = permuted(b, w, order)
    shape = b.shape(weights)
    if shape is None or len(shape) != 4 or None in shape:
        raise Unsupported("its filter has no fixed shape", "make the filter a constant")
    return weights, list(shape)  # type: ignore[arg-type]


def depthwise_weights(b: Builder, w: str, channels: int) -> str:
    """[kh, kw, channels * multiplier], multiplier fastest, as MIHW."""
    shape = b.shape(w)
    if shape is None or None in shape or not channels or shape[-1] % channels:  # type: ignore
        raise Unsupported(f"a depthwise filter {shape} for {channels} channels")
    kh, kw, out = shape  # type: ignore[misc]
    split = [kh, kw, channels, out // channels]  # type: ignore[operator]
    data = b.const(w)
    if data is None:
        return b.transpose(reshape(b, w, split), [3, 2, 0, 1])  # type: ignore[arg-type]
    data = data.reshape(split).transpose(3, 2, 0, 1)
    return b.add_const(np.ascontiguousarray(data), b.dtype(w), "weights")


def resize(b: Builder, x: str, size: str, mode: str, align: bool, half: bool) -> str:
    """TensorFlow's resize kernels; legacy ones sample at x * scale.

    Source: tensorflow/core/kernels/image (resize_*_op), as its documentation states them."""
    if align and half:
        raise Unsupported("align_corners together with half_pixel_centers", "set one of them")
    coordinate = "ALIGN_CORNERS" if align else "HALF_PIXEL" if half else "ASYMMETRIC"
    attrs: dict[str, Any] = {"mode": mode, "coordinate": coordinate, "by_step": 1}
    if mode == "NEAREST":
        attrs["nearest_mode"] = "ROUND_PREFER_CEIL" if align else "FLOOR"
        if half:
            attrs["coordinate"] = "TF_HALF_PIXEL_NN"
    if mode == "CUBIC":
        # With half-pixel centres Keys' coefficient is -0.5 and outside pixels weigh nothing. The
        # weights come from a table for 1024 positions, which exact ones miss by up to 7e-4.
        attrs.update(cubic_coeff=-0.5 if half else -0.75, exclude_outside=1 if half else 0,
                     cubic_steps=1024)
    return with_ints(b, "Resize", x, size, "size", **attrs)


def pad(b: Builder, x: str, paddings: str, kind: str, value: float | int | None = None) -> str:
    return with_ints(b, "Pad", x, paddings, "paddings", pad_type=kind,
                     constant_value=value)


def strided_slice(b: Builder, x: str, begin: str, end: str, strides: str, masks: dict) -> str:
    fixed = [ints(b, v) for v in (begin, end, strides)]
    if None in fixed:
        return b.op("StridedSlice", x, begin, end, strides, **masks)
    return b.op("StridedSlice", x, begin=fixed[0], end=fixed[1], strides=fixed[2], **masks)


def slice_by_size(b: Builder, x: str, begin: str, size: str) -> str:
    """Slice(begin, size) where size -1 means up to the end."""
    starts, sizes = ints(b, begin), ints(b, size)
    if starts is not None and sizes is not None:
        ends = [INT32_MAX if n < 0 else s + n for s, n in zip(starts, sizes)]
        return b.op("Slice", x, starts=starts, ends=ends, axes=list(range(len(starts))))
    ends_at = b.op("Eltwise", begin, size, type="SUM")
    if sizes is None or -1 in sizes:
        zero, most = scalar(b, 0, size), scalar(b, INT32_MAX, size)
        open_end = b.op("Compare", size, zero, type="LESS")
        ends_at = b.op("Select", open_end, most, ends_at)
    return b.op("Slice", x, begin, ends_at)


def fill(b: Builder, dims: str, value: str) -> str:
    data = b.const(value)
    if data is None:
        return b.op("Expand", value, dims)
    shape = ints(b, dims)
    inputs = [dims] if shape is None else [b.add_const(np.array(shape, np.int32), name="shape")]
    return b.op("Fill", *inputs, value=data.item(), dtype=b.dtype(value))


def filled_like(b: Builder, x: str, value: float) -> str:
    """A tensor of the shape and type of x, all `value`."""
    return b.op("Fill", b.op("Shape", x, output_type="i32"), value=value, dtype=b.dtype(x))


def one_hot(b: Builder, idx: str, depth: str, on: str, off: str, axis: int) -> str:
    values = {"on_value": fixed_scalar(b, on, "on value"),
              "off_value": fixed_scalar(b, off, "off value")}
    fixed = ints(b, depth)
    inputs = [idx] if fixed is not None else [idx, depth]
    hot = b.op("OneHot", *inputs, depth=None if fixed is None else fixed[0], axis=axis, **values)
    return hot if b.dtype(on) == b.dtype(hot) else b.op("Cast", hot, to=b.dtype(on))


def select_rows(b: Builder, cond: str, x: str, y: str) -> str:
    """Select whose rank-1 condition picks rows of higher-rank operands."""
    more = b.rank(x) - b.rank(cond)
    if b.rank(cond) == 1 and more > 0:
        cond = b.op("ExpandDims", cond, axis=list(range(1, more + 1)))
    return b.op("Select", cond, x, y)


def top_k(b: Builder, x: str, k: str, sorted_: bool) -> list[str]:
    fixed = ints(b, k)
    inputs = [x] if fixed is not None else [x, k]
    values, indices = b.ops("TopK", inputs, 2, k=None if fixed is None else fixed[0], axis=-1,
                            largest=1, sorted=int(sorted_))
    return [values, b.op("Cast", indices, to="i32")]


def split_sizes(b: Builder, x: str, sizes: str, axis: int, count: int) -> list[str]:
    """Split at given sizes, one of which may be -1: the rest."""
    fixed = ints(b, sizes)
    if fixed is None:
        return b.ops("Split", [x, sizes], count, axis=axis)
    if -1 in fixed:
        shape = b.shape(x)
        whole = None if shape is None else shape[axis]
        if whole is None:
            raise Unsupported("it leaves one size open (-1) and the extent is not known",
                              "give all sizes, or fix the extent with input_shapes")
        fixed[fixed.index(-1)] = whole - sum(fixed) - 1
    return b.ops("Split", [x], count, axis=axis, sizes=fixed)
