"""Convolution and pooling over three dimensions, by those over two.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mace_tools.convert.importers import volumes
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx.layout import to_first, to_last
from mace_tools.convert.importers.operands import summed
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.volumes import Window, extents, in_planes
from mace_tools.support.errors import ModelError


def three(values: list[int] | None, default: int) -> list[int]:
    if values and len(values) != 3:
        raise ModelError(f"{list(values)} are not three numbers")
    return list(values) if values else [default] * 3


def _window(n: SourceNode, kernel: Sequence[int]) -> Window:
    return Window(kernel, three(n.attr("strides"), 1), three(n.attr("dilations"), 1))


def _padded(n: SourceNode, kernel: Sequence[int], size: Sequence[int]) -> Window:
    """The window with the padding of an operand of this size."""
    window = _window(n, kernel)
    auto, pads = n.attr("auto_pad", "NOTSET"), list(n.attr("pads") or [0] * 6)
    if auto in ("NOTSET", "VALID"):
        window.before, window.behind = pads[:3], pads[3:]
        return window
    if auto not in ("SAME_UPPER", "SAME_LOWER") or any(pads):
        raise Unsupported(f"auto_pad '{auto}' with pads {pads}", "leave out one of them")
    window.pad_same(size)
    if auto == "SAME_LOWER":
        window.before, window.behind = window.behind, window.before
    return window


def pool(b: Builder, n: SourceNode, x: str, kernel: list[int], **attrs: Any) -> str:
    x = to_last(b, x)
    return to_first(b, volumes.pool(b, x, _padded(n, kernel, extents(b, x)[:3]), **attrs))


def conv(b: Builder, n: SourceNode) -> str:
    """A sum of convolutions over two dimensions, one for each plane of the filter"""
    x, w, bias = to_last(b, n.inputs[0]), n.inputs[1], [*n.inputs, ""][2]
    window = _padded(n, _filter(b, n), extents(b, x)[:3])
    attrs = {**window.attrs(), "group": n.attr("group", 1)}

    def compute(seen: str, k: int) -> str:
        plane, own = _plane(b, w, k), bias if k == 0 else ""
        return in_planes(b, seen, lambda t: b.op("Conv2d", t, plane, own, **attrs))

    return to_first(b, summed(b, volumes.conv(b, x, window, compute)))


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
    window = _window(n, kernel)
    size, pads = _deconv_size(n, extents(b, x)[:3], window)
    inputs, out = b.extents(w)[:2]
    parts = []
    for k in range(kernel[0]):
        plane = b.op("Reshape", _plane(b, w, k),
                     dim=[group, inputs // group, out, kernel[1], kernel[2]])
        plane = b.op("Reshape", b.op("Transpose", plane, dims=[0, 2, 1, 3, 4]),
                     dim=[group * out, inputs // group, kernel[1], kernel[2]])
        y = in_planes(b, x, lambda t, p=plane: b.op(
            "Deconv2d", t, p, strides=window.strides[1:], dilations=window.dilations[1:],
            group=group))
        y = volumes.spread(b, y, window.strides[0])
        depth, height, width, _ = extents(b, y)
        first = k * window.dilations[0] - pads[0]
        ends = [first, size[0] - first - depth]
        moves = [*ends, -pads[1], size[1] + pads[1] - height, -pads[2], size[2] + pads[2] - width]
        parts.append(_moved(b, y, moves))
    total = summed(b, parts)
    return to_first(b, b.op("Eltwise", total, bias, type="SUM") if bias else total)


def _deconv_size(n: SourceNode, extents: list[int], window: Window) -> tuple[list[int], list[int]]:
    """The extents of the result, and what is cut before each."""
    more = three(n.attr("output_padding"), 0)
    full = [(e - 1) * s + r + m
            for e, s, r, m in zip(extents, window.strides, window.reach, more)]
    wanted, auto = n.attr("output_shape"), n.attr("auto_pad", "NOTSET")
    if auto.startswith("SAME") and not wanted:
        wanted = [e * s for e, s in zip(extents, window.strides)]
    if wanted:
        size = list(wanted)[-3:]
        total = [max(f - s, 0) for f, s in zip(full, size)]
        return size, [t // 2 if auto == "SAME_UPPER" else t - t // 2 for t in total]
    pads = list(n.attr("pads") or [0] * 6)
    return [f - pads[k] - pads[k + 3] for k, f in enumerate(full)], pads[:3]


def _moved(b: Builder, x: str, moves: list[int]) -> str:
    """x with zeros before and behind its three axes, or less of it."""
    far = np.iinfo(np.int32).max
    if min(moves) < 0:
        x = b.op("Slice", x, starts=[max(-m, 0) for m in moves[::2]],
                 ends=[m if m < 0 else int(far) for m in moves[1::2]], axes=[1, 2, 3])
    return b.op("Pad", x, paddings=[0, 0, *(max(m, 0) for m in moves), 0, 0])
