"""Convolutions and pooling over three dimensions; largest elements with their places.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from mace_tools.convert.importers import volumes
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_ints, summed
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tensorflow.windows import spatial
from mace_tools.convert.ops.common.windows import AVERAGE, MAX

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


def _is_same(n: SourceNode) -> bool:
    kind = n.attr("padding")
    if kind not in ("SAME", "VALID"):
        raise Unsupported(f"padding {kind}", "use VALID or SAME")
    return kind == "SAME"


def _window(n: SourceNode, kernel: Sequence[int], extents: Sequence[int]) -> volumes.Window:
    """Of a filter, or of the kernel of a pooling, for a convolution of so large an operand."""
    gaps = [1] * 3 if n.op in _POOLING else _three(n, "dilations")
    window = volumes.Window(kernel, _three(n, "strides"), gaps)
    if _is_same(n):
        window.pad_same(extents)
    return window


@registry.op("Conv3D")
def conv3d(b: Builder, n: SourceNode) -> str:
    """A sum of convolutions over two dimensions, one for each plane of the filter"""
    data = volumes.constant_filter(b, n.inputs[1])  # [D,H,W,in,out]

    def make(x: str) -> str:
        *size, channels = volumes.extents(b, x)
        if not data.shape[3] or channels % data.shape[3]:
            raise ValueError(f"a filter of {data.shape[3]} input channels for {channels} channels")
        window = _window(n, data.shape[:3], size)
        attrs = {**window.attrs(), "group": channels // data.shape[3]}

        def compute(seen: str, k: int) -> str:
            w = volumes.plane_weights(b, data[k], [3, 2, 0, 1])  # HWIO -> OIHW
            return volumes.in_planes(b, seen, lambda t: b.op("Conv2d", t, w, **attrs))

        return summed(b, volumes.conv(b, x, window, compute))

    return _in_ndhwc(b, n, n.inputs[0], make)


_POOLING = {"MaxPool3D": MAX, "AvgPool3D": AVERAGE}


@registry.op(*_POOLING)
def pool3d(b: Builder, n: SourceNode) -> str:
    """Over height and width, then over the depth: windows are boxes"""
    def make(x: str) -> str:
        window = _window(n, _three(n, "ksize"), volumes.extents(b, x)[:3])
        return volumes.pool(b, x, window, pooling_type=_POOLING[n.op])

    return _in_ndhwc(b, n, n.inputs[0], make)


@registry.op("Conv3DBackpropInputV2")
def deconv3d(b: Builder, n: SourceNode) -> str:
    """Planes of transposed convolutions over two dimensions, moved apart and added"""
    size, data = fixed_ints(b, n.inputs[0], "output shape"), volumes.constant_filter(b, n.inputs[1])
    size = size[2:] if n.attr("data_format", "NDHWC") == "NCDHW" else size[1:4]
    window = _window(n, data.shape[:3], size)
    attrs = {**window.attrs(), "output_shape": size[1:]}

    def make(x: str) -> str:
        given = volumes.extents(b, x)[:3]
        made = [(s + p + q - r) // t + 1 for s, p, q, r, t in zip(
            size, window.before, window.behind, window.reach, window.strides)]
        if made != given:
            raise ValueError(f"an output of {size}, of which a convolution makes {made}, for an "
                             f"operand of {given}")

        def compute(k: int) -> str:
            w = volumes.plane_weights(b, data[k], [2, 3, 0, 1])  # HWOI -> OIHW
            return volumes.in_planes(b, x, lambda t: b.op("Deconv2d", t, w, **attrs))

        return summed(b, volumes.deconv(b, window, size[0], compute))

    return _in_ndhwc(b, n, n.inputs[2], make)


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
    before, behind = [0, 0], [0, 0]
    if _is_same(n):
        before, behind = volumes.same_pads([height, width], kernel, step)
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
