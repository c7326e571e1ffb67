"""Convolution and pooling over three dimensions, by those over two.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx.layout import to_first, to_last
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.ops.common.windows import EXPLICIT
from mace_tools.support.errors import ModelError


def three(values: list[int] | None, default: int) -> list[int]:
    if values and len(values) != 3:
        raise ModelError(f"{list(values)} are not three numbers")
    return list(values) if values else [default] * 3


def pads_of(n: SourceNode, extents: list[int], reach: list[int], strides: list[int]) -> list[int]:
    """What lies before and behind each axis: [front, top, left, back, bottom, right]."""
    auto, pads = n.attr("auto_pad", "NOTSET"), list(n.attr("pads") or [0] * 6)
    if auto in ("NOTSET", "VALID"):
        return pads
    if auto not in ("SAME_UPPER", "SAME_LOWER") or any(pads):
        raise Unsupported(f"auto_pad '{auto}' with pads {pads}", "leave out one of them")
    total = [max((-(-e // s) - 1) * s + r - e, 0) for e, r, s in zip(extents, reach, strides)]
    less, more = [t // 2 for t in total], [t - t // 2 for t in total]
    return [*less, *more] if auto == "SAME_UPPER" else [*more, *less]


def _known(b: Builder, x: str) -> list[int]:
    """[D, H, W, C] of [N, D, H, W, C]."""
    rest = b.extents(x)[1:]
    if len(rest) != 4 or None in rest:
        raise Unsupported("the shape of its operand is not known", "give input_shapes")
    return [int(d) for d in rest if d is not None]


def in_planes(b: Builder, x: str, compute: Callable[[str], str]) -> str:
    """compute for the planes [N * D, H, W, C] of x, whose result has as many."""
    depth, *plane = _known(b, x)
    y = compute(b.op("Reshape", x, dim=[-1, *plane]))
    return b.op("Reshape", y, dim=[-1, depth, *(int(d) for d in b.extents(y)[1:] if d is not None)])


def pool(b: Builder, n: SourceNode, x: str, kernels: list[int], **attrs: Any) -> str:
    """Over height and width, then over the depth: largest elements and means are both separable,
    as windows are boxes."""
    x = to_last(b, x)
    strides, gaps = three(n.attr("strides"), 1), three(n.attr("dilations"), 1)
    reach = [(k - 1) * g + 1 for k, g in zip(kernels, gaps)]
    pads = pads_of(n, _known(b, x)[:3], reach, strides)

    def over(t: str, axes: list[int]) -> str:
        """The axes of a pooling over two; None: one that stays."""
        def of(values: list[int], other: int) -> list[int]:
            return [values[a] if a >= 0 else other for a in axes]

        return b.op("Pooling", t, kernels=of(kernels, 1), strides=of(strides, 1),
                    dilations=of(gaps, 1), padding=EXPLICIT,
                    padding_values=[*of(pads[:3], 0), *of(pads[3:], 0)], **attrs)

    y = in_planes(b, x, lambda t: over(t, [1, 2]))
    depth, height, width, channels = _known(b, y)
    y = over(b.op("Reshape", y, dim=[-1, depth, height * width, channels]), [0, -1])
    depth = b.extents(y)[1]
    return to_first(b, b.op("Reshape", y, dim=[-1, depth, height, width, channels]))


def conv(b: Builder, n: SourceNode) -> str:
    """A sum of convolutions over two dimensions, one for each plane of the filter"""
    x, w, bias = to_last(b, n.inputs[0]), n.inputs[1], [*n.inputs, ""][2]
    kernel = _filter(b, n)
    strides, gaps = three(n.attr("strides"), 1), three(n.attr("dilations"), 1)
    reach = [(k - 1) * g + 1 for k, g in zip(kernel, gaps)]
    pads = pads_of(n, _known(b, x)[:3], reach, strides)
    if pads[0] or pads[3]:
        x = b.op("Pad", x, paddings=[0, 0, pads[0], pads[3], *[0] * 6])
    out = (_known(b, x)[0] - reach[0]) // strides[0] + 1
    if out < 1:
        raise ModelError(f"{n.op} '{n.name}': a filter over {reach[0]} planes of fewer")
    attrs = {"strides": strides[1:], "dilations": gaps[1:], "group": n.attr("group", 1),
             "padding": EXPLICIT, "padding_values": [pads[1], pads[2], pads[4], pads[5]]}
    total = ""
    for k in range(kernel[0]):
        first = k * gaps[0]
        seen = b.op("Slice", x, starts=[first], ends=[first + (out - 1) * strides[0] + 1],
                    axes=[1], steps=[strides[0]])
        plane, own = _plane(b, w, k), bias if k == 0 else ""
        y = in_planes(b, seen, lambda t, p=plane, o=own: b.op("Conv2d", t, p, o, **attrs))
        total = b.op("Eltwise", total, y, type="SUM") if total else y
    return to_first(b, total)


def _filter(b: Builder, n: SourceNode) -> list[int]:
    shape, stated = b.extents(n.inputs[1]), list(n.attr("kernel_shape") or [])
    if len(shape) != 5 or None in shape:
        raise Unsupported("the filter's shape is not known", "make the filter a constant")
    kernel = [int(d) for d in shape[2:] if d is not None]
    if stated and stated != kernel:
        raise ModelError(f"{n.op} '{n.name}': kernel_shape is {stated}, its filter has {kernel}")
    return kernel


def _plane(b: Builder, w: str, k: int) -> str:
    data = b.const(w)
    if data is not None:
        return b.add_const(np.ascontiguousarray(data[:, :, k]), b.dtype(w), "plane")
    plane = b.op("Slice", w, starts=[k], ends=[k + 1], axes=[2])
    return b.op("Squeeze", plane, axis=[2])


def deconv(b: Builder, n: SourceNode) -> str:
    """A sum of transposed convolutions over two dimensions, moved along the depth"""
    x, w, bias = to_last(b, n.inputs[0]), n.inputs[1], [*n.inputs, ""][2]
    kernel, group = _filter(b, n), n.attr("group", 1)
    strides, gaps = three(n.attr("strides"), 1), three(n.attr("dilations"), 1)
    size, pads = _deconv_size(n, _known(b, x)[:3], kernel, strides, gaps)
    inputs, out = b.extents(w)[:2]
    parts = []
    for k in range(kernel[0]):
        plane = b.op("Reshape", _plane(b, w, k),
                     dim=[group, inputs // group, out, kernel[1], kernel[2]])
        plane = b.op("Reshape", b.op("Transpose", plane, dims=[0, 2, 1, 3, 4]),
                     dim=[group * out, inputs // group, kernel[1], kernel[2]])
        y = in_planes(b, x, lambda t, p=plane: b.op(
            "Deconv2d", t, p, strides=strides[1:], dilations=gaps[1:], group=group))
        y = _spread(b, y, strides[0])
        depth, height, width, _ = _known(b, y)
        first = k * gaps[0] - pads[0]
        ends = [first, size[0] - first - depth]
        moves = [*ends, -pads[1], size[1] + pads[1] - height, -pads[2], size[2] + pads[2] - width]
        parts.append(_moved(b, y, moves))
    total = parts[0]
    for part in parts[1:]:
        total = b.op("Eltwise", total, part, type="SUM")
    if bias:
        total = b.op("Eltwise", total, bias, type="SUM")
    return to_first(b, total)


def _deconv_size(
    n: SourceNode, extents: list[int], kernel: list[int], strides: list[int], gaps: list[int]
) -> tuple[list[int], list[int]]:
    """The extents of the result, and what is cut before each."""
    more = three(n.attr("output_padding"), 0)
    full = [(e - 1) * s + (k - 1) * g + 1 + m
            for e, s, k, g, m in zip(extents, strides, kernel, gaps, more)]
    wanted, auto = n.attr("output_shape"), n.attr("auto_pad", "NOTSET")
    if auto.startswith("SAME") and not wanted:
        wanted = [e * s for e, s in zip(extents, strides)]
    if wanted:
        size = list(wanted)[-3:]
        total = [max(f - s, 0) for f, s in zip(full, size)]
        return size, [t // 2 if auto == "SAME_UPPER" else t - t // 2 for t in total]
    pads = list(n.attr("pads") or [0] * 6)
    return [f - pads[k] - pads[k + 3] for k, f in enumerate(full)], pads[:3]


def _spread(b: Builder, x: str, step: int) -> str:
    """With step - 1 planes of zeros behind each plane."""
    if step == 1:
        return x
    depth, *plane = _known(b, x)
    apart = b.op("Reshape", x, dim=[-1, 1, *plane])
    apart = b.op("Pad", apart, paddings=[0, 0, 0, step - 1, *[0] * 6])
    return b.op("Reshape", apart, dim=[-1, depth * step, *plane])


def _moved(b: Builder, x: str, moves: list[int]) -> str:
    """x with zeros before and behind its three axes, or less of it."""
    far = np.iinfo(np.int32).max
    if min(moves) < 0:
        x = b.op("Slice", x, starts=[max(-m, 0) for m in moves[::2]],
                 ends=[m if m < 0 else int(far) for m in moves[1::2]], axes=[1, 2, 3])
    return b.op("Pad", x, paddings=[0, 0, *(max(m, 0) for m in moves), 0, 0])
