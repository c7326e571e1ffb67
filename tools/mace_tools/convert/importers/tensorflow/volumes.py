"""Convolutions and pooling over three dimensions, as sums or chains of those over two; largest
elements with their places.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Callable

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import conv_weights, fixed_ints, reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tensorflow.windows import spatial
from mace_tools.convert.ops.common.windows import AVERAGE, EXPLICIT, MAX

_MAX_PLACES = 256  # of a window whose places are asked for


def _in_ndhwc(b: Builder, n: SourceNode, x: str, make: Callable[[str], str]) -> str:
    """Applies `make` to x in NDHWC, with transposes around it if the node is NCDHW."""
    order = n.attr("data_format", "NDHWC")
    if order not in ("NDHWC", "NCDHW"):
        raise Unsupported(f"data_format {order}", "use NDHWC or NCDHW")
    if order == "NDHWC":
        return make(x)
    return b.transpose(make(b.transpose(x, [0, 2, 3, 4, 1])), [0, 4, 1, 2, 3])


def _three(n: SourceNode, key: str) -> list[int]:
    """The D, H and W entries of an attribute with five, of which the others must be 1."""
    values = list(n.attr(key) or [1] * 5)
    if len(values) != 5 or min(values) < 1:
        raise ValueError(f"{key} {values}, which must be five numbers above 0")
    dhw = values[2:] if n.attr("data_format", "NDHWC") == "NCDHW" else values[1:4]
    if math.prod(values) != math.prod(dhw):
        raise Unsupported(f"{key} {values} along batch or channels")
    return dhw


def _known(b: Builder, x: str) -> list[int]:
    """[D, H, W, C] of [N, D, H, W, C]."""
    rest = [int(d) for d in b.extents(x)[1:] if d is not None]
    if len(rest) != 4:
        raise Unsupported("the shape of its operand is not known", "give input_shapes")
    return rest


def _pads(n: SourceNode, extents: list[int], reach: list[int], strides: list[int]
          ) -> tuple[list[int], list[int]]:
    """What lies before and behind each axis."""
    kind = n.attr("padding")
    if kind not in ("SAME", "VALID"):
        raise Unsupported(f"padding {kind}", "use VALID or SAME")
    total = [max((-(-e // s) - 1) * s + r - e, 0) if kind == "SAME" else 0
             for e, r, s in zip(extents, reach, strides)]
    return [t // 2 for t in total], [t - t // 2 for t in total]


def _in_planes(b: Builder, x: str, compute: Callable[[str], str]) -> str:
    """compute for the planes [N * D, H, W, C] of x, whose result has as many."""
    depth, *plane = _known(b, x)
    y = compute(reshape(b, x, [-1, *plane]))
    return reshape(b, y, [-1, depth, *(int(d) for d in b.extents(y)[1:] if d is not None)])


def _filter(b: Builder, w: str) -> np.ndarray:
    data = b.const(w)
    if data is None or data.ndim != 5:
        raise Unsupported("its filter is not a constant of five dimensions",
                          "make the filter a constant of the source model")
    return data


@registry.op("Conv3D")
def conv3d(b: Builder, n: SourceNode) -> str:
    """A sum of convolutions over two dimensions, one for each plane of the filter"""
    data = _filter(b, n.inputs[1])  # [D,H,W,in,out]
    strides, gaps = _three(n, "strides"), _three(n, "dilations")

    def make(x: str) -> str:
        *extents, channels = _known(b, x)
        if not data.shape[3] or channels % data.shape[3]:
            raise ValueError(f"a filter of {data.shape[3]} input channels for {channels} channels")
        reach = [(k - 1) * g + 1 for k, g in zip(data.shape, gaps)]
        before, behind = _pads(n, extents, reach, strides)
        out = (extents[0] + before[0] + behind[0] - reach[0]) // strides[0] + 1
        if out < 1:
            raise ValueError(f"a filter over {reach[0]} planes of {extents[0]}")
        if before[0] or behind[0]:
            x = b.op("Pad", x, paddings=[0, 0, before[0], behind[0], *[0] * 6])
        attrs = {"strides": strides[1:], "dilations": gaps[1:], "padding": EXPLICIT,
                 "padding_values": [*before[1:], *behind[1:]], "group": channels // data.shape[3]}
        total = ""
        for k, plane in enumerate(data):
            first = k * gaps[0]
            seen = b.op("Slice", x, starts=[first], ends=[first + (out - 1) * strides[0] + 1],
                        axes=[1], steps=[strides[0]])
            w, _ = conv_weights(b, b.add_const(plane, name="plane"), [3, 2, 0, 1])  # HWIO -> OIHW
            y = _in_planes(b, seen, lambda t, w=w: b.op("Conv2d", t, w, **attrs))
            total = b.op("Eltwise", total, y, type="SUM") if total else y
        return total

    return _in_ndhwc(b, n, n.inputs[0], make)


_POOLING = {"MaxPool3D": MAX, "AvgPool3D": AVERAGE}


@registry.op(*_POOLING)
def pool3d(b: Builder, n: SourceNode) -> str:
    """Over height and width, then over the depth: windows are boxes"""
    kernels, strides = _three(n, "ksize"), _three(n, "strides")

    def make(x: str) -> str:
        before, behind = _pads(n, _known(b, x)[:3], kernels, strides)

        def over(t: str, axes: list[int]) -> str:
            """The axes of a pooling over two; -1: one that stays."""
            def of(values: list[int], other: int) -> list[int]:
                return [values[a] if a >= 0 else other for a in axes]

            return b.op("Pooling", t, pooling_type=_POOLING[n.op], kernels=of(kernels, 1),
                        strides=of(strides, 1), padding=EXPLICIT,
                        padding_values=[*of(before, 0), *of(behind, 0)])

        y = _in_planes(b, x, lambda t: over(t, [1, 2]))
        depth, height, width, channels = _known(b, y)
        y = over(reshape(b, y, [-1, depth, height * width, channels]), [0, -1])
        return reshape(b, y, [-1, int(b.extents(y)[1] or 0), height, width, channels])

    return _in_ndhwc(b, n, n.inputs[0], make)


@registry.op("Conv3DBackpropInputV2")
def deconv3d(b: Builder, n: SourceNode) -> str:
    """Planes of transposed convolutions over two dimensions, moved apart and added"""
    size, data = fixed_ints(b, n.inputs[0], "output shape"), _filter(b, n.inputs[1])
    strides, gaps = _three(n, "strides"), _three(n, "dilations")
    size = size[2:] if n.attr("data_format", "NDHWC") == "NCDHW" else size[1:4]

    def make(x: str) -> str:
        depth, height, width, _ = _known(b, x)
        reach = [(k - 1) * g + 1 for k, g in zip(data.shape, gaps)]
        before, behind = _pads(n, size, reach, strides)
        made = [(s + p + q - r) // t + 1
                for s, p, q, r, t in zip(size, before, behind, reach, strides)]
        if made != [depth, height, width]:
            raise ValueError(f"an output of {size}, of which a convolution makes {made}, for an "
                             f"operand of {[depth, height, width]}")
        total = ""
        for k, plane in enumerate(data):  # [H,W,out,in]
            w, _ = conv_weights(b, b.add_const(plane, name="plane"), [2, 3, 0, 1])
            y = _in_planes(b, x, lambda t, w=w: b.op(
                "Deconv2d", t, w, strides=strides[1:], dilations=gaps[1:], padding=EXPLICIT,
                padding_values=[*before[1:], *behind[1:]], output_shape=size[1:]))
            y = _placed(b, y, strides[0], k * gaps[0] - before[0], size[0])
            total = b.op("Eltwise", total, y, type="SUM") if total else y
        return total

    return _in_ndhwc(b, n, n.inputs[2], make)


def _placed(b: Builder, y: str, step: int, first: int, size: int) -> str:
    """The planes of y, the first at `first` and one every `step`, among `size` planes of zeros."""
    depth, *rest = _known(b, y)
    if step > 1:  # step - 1 planes of zeros behind each plane
        y = reshape(b, y, [-1, 1, *rest])
        y = reshape(b, b.op("Pad", y, paddings=[0, 0, 0, step - 1, *[0] * 6]),
                    [-1, depth * step, *rest])
    return b.op("Pad", y, paddings=[0, 0, first, size - first - depth * step, *[0] * 6])


@registry.op("MaxPoolWithArgmax")
def max_pool_with_argmax(b: Builder, n: SourceNode) -> list[str]:
    """The elements of windows side by side; places are those of the operand as one line"""
    kernel, step = spatial(n, "ksize"), spatial(n, "strides")
    shape = b.extents(n.inputs[0])
    if len(shape) != 4 or None in shape[1:]:
        raise Unsupported("the shape of its operand is not known", "give input_shapes")
    if min(*kernel, *step) < 1 or math.prod(kernel) > _MAX_PLACES:
        raise Unsupported(f"windows of {kernel} every {step} elements",
                          f"give windows of 1 to {_MAX_PLACES} elements and strides above 0")
    _, height, width, channels = (int(d or 0) for d in shape)
    before, behind = _pads(n, [height, width], kernel, step)
    out = [(e + p + q - k) // s + 1
           for e, p, q, k, s in zip((height, width), before, behind, kernel, step)]
    if min(out) < 1:
        raise ValueError(f"windows of {kernel} in an operand of {[height, width]}")
    x = n.inputs[0]
    if any(before) or any(behind):
        x = b.op("Pad", x, constant_value=-math.inf, paddings=[
            0, 0, before[0], behind[0], before[1], behind[1], 0, 0])
    seen = [b.op("Slice", x, starts=[i, j], axes=[1, 2], steps=list(step),
                 ends=[i + (out[0] - 1) * step[0] + 1, j + (out[1] - 1) * step[1] + 1])
            for i, j in np.ndindex(*kernel)]
    side = b.op("Stack", *seen, axis=4)
    most = b.op("Reduce", side, reduce_type="MAX", axis=[4], keepdims=0)
    best = b.op("ArgMax", side, axis=4, keepdims=0, output_type="i32")
    steps = np.array([(i * width + j) * channels for i, j in np.ndindex(*kernel)], np.int32)
    rows, columns = np.arange(out[0]) * step[0] - before[0], np.arange(out[1]) * step[1] - before[1]
    first = ((rows[:, None] * width + columns) * channels)[..., None] + np.arange(channels)
    place = b.op("Eltwise", b.op("Gather", b.add_const(steps, name="steps"), best, axis=0),
                 b.add_const(first.astype(np.int32), name="first"), type="SUM")
    if any(before):
        # Of a window of -inf it is the first one that is no padding.
        starts = [np.maximum(at, 0) for at in (rows, columns)]
        inside = ((starts[0][:, None] * width + starts[1]) * channels)[..., None]
        low = b.op("Compare", most, b.add_const(np.float32(-math.inf), name="low"), type="EQUAL")
        place = b.op("Select", low, b.add_const(
            (inside + np.arange(channels)).astype(np.int32)[None], name="inside"), place)
    if n.attr("include_batch_in_index", False):
        if shape[0] is None:
            raise Unsupported("its places count the batch, whose extent is open",
                              "give input_shapes that fix it")
        images = np.arange(int(shape[0])) * height * width * channels
        place = b.op("Eltwise", place, b.add_const(
            images.astype(np.int32).reshape(-1, 1, 1, 1), name="images"), type="SUM")
    kind = n.attr("Targmax")
    if kind is None or kind.engine == "i64":
        place = b.op("Cast", place, to="i64")
    return [most, place]
