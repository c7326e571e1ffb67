"""Inference of ops with windows, channels and reductions. 4-D operands are NHWC.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.infer import Type, View, rule
from mace_tools.infer.elementwise import broadcast
from mace_tools.infer.shapes import axis_of, product
from mace_tools.ir import Shape

VALID, SAME, FULL, SAME_LOWER, EXPLICIT = range(5)


def window_extent(
    size: int | None, kernel: int, stride: int, dilation: int, padding: int,
    before: int, after: int, ceil: bool = False,
) -> int | None:
    """How many windows fit along one axis (SPEC of Conv2d and Pooling)."""
    if size is None:
        return None
    if padding in (SAME, SAME_LOWER):
        return -(-size // stride)
    reach = (kernel - 1) * dilation + 1
    if padding == FULL:
        before = after = reach - 1
    room = size + before + after - reach
    if room < 0:
        raise ValueError(f"the window ({reach}) is larger than the padded extent "
                         f"({size + before + after})")
    if not ceil:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - 1 if (count - 1) * stride >= size + before else count


def _spatial(v: View, kernel: list[int], ceil: bool = False) -> list[int | None]:
    x = v.shape() or (None,) * 4
    if len(x) != 4:
        raise ValueError("a spatial op wants a 4-D operand")
    padding = v.attr("padding", VALID)
    top, left, bottom, right = (v.attr("padding_values", [0] * 4) if padding == EXPLICIT
                                else [0] * 4)
    strides, dilations = v.attr("strides", [1, 1]), v.attr("dilations", [1, 1])
    return [window_extent(x[1], kernel[0], strides[0], dilations[0], padding, top, bottom, ceil),
            window_extent(x[2], kernel[1], strides[1], dilations[1], padding, left, right, ceil)]


@rule("Conv2d", "DepthwiseConv2d")
def conv(v: View) -> Type:
    x, w = v.shape(0), v.shape(1)
    batch = None if x is None else x[0]
    if w is None or None in w:
        return v.dtype(), (batch, None, None, None)
    deep = v.node.op == "DepthwiseConv2d"
    want = None if w is None else (w[1] if deep else w[1] * v.attr("group", 1))
    if x is not None and len(x) == 4 and x[3] is not None and x[3] != want:
        raise ValueError(f"the filter wants {want} channels, the operand has {x[3]}")
    channels = w[0] * w[1] if deep else w[0]
    return v.dtype(), (batch, *_spatial(v, [w[2], w[3]]), channels)


@rule("Deconv2d")
def deconv(v: View) -> Type:
    x, w = v.shape(0), v.shape(1)
    if x is None or w is None or None in w:
        return v.dtype(), (None,) * 4
    channels = w[0]
    given = v.ints(3, "output_shape")
    if given:
        return v.dtype(), (x[0], *given[-3:-1], channels) if len(given) == 4 else (
            x[0], *given, channels)
    strides, dilations = v.attr("strides", [1, 1]), v.attr("dilations", [1, 1])
    padding, more = v.attr("padding", VALID), v.attr("output_padding", [0, 0])
    pads = v.attr("padding_values", [0] * 4) if padding == EXPLICIT else [0] * 4
    out: list[int | None] = []
    for k in range(2):
        size, reach = x[1 + k], (w[2 + k] - 1) * dilations[k] + 1
        if size is None:
            out.append(None)
        elif padding in (SAME, SAME_LOWER):
            out.append(size * strides[k])
        else:
            out.append((size - 1) * strides[k] + reach - pads[k] - pads[k + 2] + more[k])
    return v.dtype(), (x[0], *out, channels)


@rule("Pooling")
def pooling(v: View) -> Type:
    x = v.shape()
    batch, channels = (x[0], x[3]) if x is not None and len(x) == 4 else (None, None)
    if v.attr("global", 0):
        return v.dtype(), (batch, 1, 1, channels)
    ceil = bool(v.attr("round_mode", 0))
    return v.dtype(), (batch, *_spatial(v, v.attr("kernels"), ceil), channels)


@rule("FullyConnected")
def fully_connected(v: View) -> Type:
    x, w = v.shape(0), v.shape(1)
    out = None if w is None else w[0]
    if x is None:
        return v.dtype(), None
    if w is not None and x and x[-1] == w[1] or len(x) == 2:
        return v.dtype(), (*x[:-1], out)
    return v.dtype(), (x[0], out)


@rule("MatMul")
def matmul(v: View) -> Type:
    a, b = v.shape(0), v.shape(1)
    if a is None or b is None:
        return v.dtype(), None
    if len(a) >= 2 and v.attr("transpose_a", 0):
        a = (*a[:-2], a[-1], a[-2])
    if len(b) >= 2 and v.attr("transpose_b", 0):
        b = (*b[:-2], b[-1], b[-2])
    inner = (a[-1], b[-2] if len(b) > 1 else b[0])
    if None not in inner and inner[0] != inner[1]:
        raise ValueError(f"inner extents {inner[0]} and {inner[1]} differ")
    batch = broadcast(a[:-2], b[:-2]) or ()
    return v.dtype(), (*batch, *(a[-2:-1] if len(a) > 1 else ()), *(b[-1:] if len(b) > 1 else ()))


@rule("Reduce")
def reduce(v: View) -> Type:
    x, axes = v.shape(), v.ints(1, "axis")
    if v.has(1) and axes is None:
        return v.dtype(), None
    return v.dtype(), reduced(x, axes or [], bool(v.attr("keepdims", 0)))


def reduced(x: Shape | None, axes: list[int], keepdims: bool) -> Shape | None:
    if x is None:
        return None if axes or keepdims else ()
    gone = {axis_of(a, len(x)) for a in axes} or set(range(len(x)))
    if keepdims:
        return tuple(1 if k in gone else d for k, d in enumerate(x))
    return tuple(d for k, d in enumerate(x) if k not in gone)


@rule("ArgMax")
def arg_max(v: View) -> Type:
    kind = str(v.attr("output_type", "i64"))
    return kind, reduced(v.shape(), [v.attr("axis", 0)], bool(v.attr("keepdims", 1)))


@rule("Resize")
def resize(v: View) -> Type:
    x = v.shape() or (None,) * 4
    size = v.ints(1, "size")
    if size:
        return v.dtype(), (x[0], *size[:2], x[3])
    scales = v.attr("scales") if not v.has(1) else None
    hw = [None if d is None or not scales else int(d * scales[k] + 1e-5)
          for k, d in enumerate(x[1:3])]
    return v.dtype(), (x[0], *hw, x[3])


@rule("DepthToSpace")
def depth_to_space(v: View) -> Type:
    return v.dtype(), _blocked(v.shape(), v.attr("block_size"))


@rule("SpaceToDepth")
def space_to_depth(v: View) -> Type:
    x, b = v.shape() or (None,) * 4, v.attr("block_size")
    n, h, w, c = x
    return v.dtype(), (n, h and h // b, w and w // b, c and c * b * b)


def _blocked(x: Shape | None, b: int) -> Shape:
    n, h, w, c = x or (None,) * 4
    if c is not None and c % (b * b):
        raise ValueError(f"{c} channels are no multiple of block_size {b} squared")
    return n, h and h * b, w and w * b, c and c // (b * b)


@rule("SpaceToBatchNd", "BatchToSpaceNd")
def batch_blocks(v: View) -> Type:
    x, block = v.shape(), v.attr("block_shape")
    if x is None:
        return v.dtype(), None
    count = product(tuple(block)) or 1
    out = list(x)
    if v.node.op == "SpaceToBatchNd":
        pads = v.attr("paddings")
        out[0] = None if x[0] is None else x[0] * count
        for k, b in enumerate(block):
            d = x[k + 1]
            out[k + 1] = None if d is None else (d + pads[2 * k] + pads[2 * k + 1]) // b
    else:
        crops = v.attr("crops")
        out[0] = None if x[0] is None else x[0] // count
        for k, b in enumerate(block):
            d = x[k + 1]
            out[k + 1] = None if d is None else d * b - crops[2 * k] - crops[2 * k + 1]
    return v.dtype(), tuple(out)
