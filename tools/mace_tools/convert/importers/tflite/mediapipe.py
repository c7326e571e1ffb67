"""Custom operators of MediaPipe's models that operators of the engine can express.

SPDX-License-Identifier: Apache-2.0

Their options are the structs of TFLite's C API (builtin_op_data.h) as they are in memory, not
FlexBuffers: 32-bit numbers, of which the first is the padding.
"""

import struct

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import PADDING, conv_weights, fixed_shape, reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.custom_options import RAW

POOL, UNPOOL = "'MaxPoolingWithArgmax2D'", "'MaxUnpooling2D'"
_PADDINGS = {1: "SAME", 2: "VALID"}  # TfLitePadding
_NO_ACTIVATION = 0


def _numbers(n: SourceNode, count: int) -> list[int]:
    """The first numbers of the struct, of which those that are missing are 0."""
    data = n.attr(RAW, b"")
    found = [v for v, in struct.iter_unpack("<i", data[: len(data) // 4 * 4])][:count]
    found += [0] * (count - len(found))
    if found[0] not in _PADDINGS or not all(1 <= v <= 1 << 16 for v in found[1:3]):
        raise Unsupported(f"its options {data.hex() or 'are absent, which'} are not those of "
                          "MediaPipe: a padding and strides", "let the app compute it "
                          "(allow_custom_ops in the YAML)")
    return found


@registry.op("'Convolution2DTransposeBias'")
def transpose_conv(b: Builder, n: SourceNode) -> str:
    """TfLiteTransposeConvParams: padding, stride_width, stride_height, activation."""
    padding, step_w, step_h, activation = _numbers(n, 4)
    if activation != _NO_ACTIVATION:
        raise Unsupported(f"its activation has the number {activation}; only none can be converted")
    x, w = n.inputs[:2]
    weights, (_, _, kernel_h, kernel_w) = conv_weights(b, w, [0, 3, 1, 2])  # OHWI -> OIHW
    _, height, width, _ = fixed_shape(b, x)
    same = _PADDINGS[padding] == "SAME"
    size = [height * step_h, width * step_w] if same else [
        (height - 1) * step_h + kernel_h, (width - 1) * step_w + kernel_w]
    return b.op("Deconv2d", x, weights, *n.inputs[2:3], strides=[step_h, step_w],
                padding=PADDING[_PADDINGS[padding]], output_shape=size)


def _window(n: SourceNode) -> tuple[str, int, int]:
    """TfLitePoolParams: padding, stride_width, stride_height, filter_width, filter_height,
    activation. The padding, and the height and width of windows that do not overlap."""
    padding, step_w, step_h, width, height, activation = _numbers(n, 6)
    if (step_w, step_h) != (width, height) or height * width > 256:
        raise Unsupported(f"windows of {height} x {width} every {step_h} x {step_w} elements; only "
                          "windows that do not overlap, of up to 256 elements, can be converted",
                          "let the app compute it (allow_custom_ops in the YAML)")
    if activation != _NO_ACTIVATION:
        raise Unsupported(f"its activation has the number {activation}; only none can be converted")
    return _PADDINGS[padding], height, width


@registry.op(POOL)
def max_pool(b: Builder, n: SourceNode) -> list[str]:
    """How places are numbered is known to no document, so they may only go to MaxUnpooling2D."""
    padding, kernel_h, kernel_w = _window(n)
    readers = [m for m in b.model.nodes if n.outputs[1] in m.inputs]
    if n.outputs[1] in b.model.outputs or any(
            m.op != UNPOOL or _window(m) != (padding, kernel_h, kernel_w) for m in readers):
        raise Unsupported("its indices go elsewhere than to a MaxUnpooling2D of the same windows",
                          "end the model before it (output_tensors in the YAML)")
    x = n.inputs[0]
    _, height, width, channels = fixed_shape(b, x)
    rows, columns = (-(-e // k) if padding == "SAME" else e // k
                     for e, k in ((height, kernel_h), (width, kernel_w)))
    more_h, more_w = rows * kernel_h - height, columns * kernel_w - width
    pads = [v for more in (more_h, more_w) for v in (max(more, 0) // 2, more - max(more, 0) // 2)]
    if pads[0] or pads[2]:
        raise Unsupported(f"windows of {kernel_h} x {kernel_w} on {height} x {width} elements "
                          "begin outside of them, and no document says where they come back",
                          "let the app compute it (allow_custom_ops in the YAML)")
    if any(pads):
        lowest = float(np.finfo(np.float32).min)
        x = b.op("Pad", x, paddings=[0, 0, *pads, 0, 0], constant_value=lowest)
    x = reshape(b, x, [-1, rows, kernel_h, columns, kernel_w, channels])
    x = reshape(b, b.transpose(x, [0, 1, 3, 5, 2, 4]),
                [-1, rows, columns, channels, kernel_h * kernel_w])
    best = b.op("ArgMax", x, axis=-1, keepdims=0, output_type="i32")
    return [b.op("Reduce", x, reduce_type="MAX", axis=[-1]), b.op("Cast", best, to="f32")]


@registry.op(UNPOOL)
def max_unpool(b: Builder, n: SourceNode) -> str:
    padding, kernel_h, kernel_w = _window(n)
    x, places = n.inputs[:2]
    cast = b.graph.producer(places)
    best = None if cast is None else b.graph.producer(cast.inputs[0])
    if best is None or (cast and cast.op, best.op) != ("Cast", "ArgMax"):
        raise Unsupported("its indices do not come from a MaxPoolingWithArgmax2D",
                          "keep both in the model")
    _, rows, columns, channels = fixed_shape(b, x)
    numbers = b.add_const(np.arange(kernel_h * kernel_w), "f32", "places")
    own = b.op("Compare", b.op("ExpandDims", places, axis=[-1]), numbers, type="EQUAL")
    zero = b.add_const(np.array(0), b.dtype(x), "zero")
    y = b.op("Select", own, b.op("ExpandDims", x, axis=[-1]), zero)
    y = reshape(b, y, [-1, rows, columns, channels, kernel_h, kernel_w])
    y = b.transpose(y, [0, 1, 4, 2, 5, 3])
    return reshape(b, y, [-1, rows * kernel_h, columns * kernel_w, channels])


registry.help_for(
    "the way it samples is known to no document: let the app compute it (allow_custom_ops in the "
    "YAML), or give the part of the model before it (output_tensors)",
    "'TransformTensorBilinear'", "'TransformLandmarks'", "'Landmarks2TransformMatrix'",
)
