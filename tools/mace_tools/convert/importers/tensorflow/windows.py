"""Convolution, pooling and normalization: operators with a spatial layout.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Callable

import numpy as np

from mace_tools.convert.importers.builder import TO_NCHW, TO_NHWC, Builder
from mace_tools.convert.importers.operands import (
    PADDING,
    conv_weights,
    fixed_ints,
    ints,
    permuted,
    reshape,
)
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.ops.common.windows import AVERAGE, EXPLICIT, MAX


def is_nchw(n: SourceNode) -> bool:
    return n.attr("data_format", "NHWC") == "NCHW"


def in_nhwc(b: Builder, n: SourceNode, x: str, make: Callable[[str], str]) -> str:
    """Applies `make` to x in NHWC, with transposes around it if the node is NCHW."""
    if n.attr("data_format", "NHWC") not in ("NHWC", "NCHW"):
        raise Unsupported(f"data_format {n.attr('data_format')}", "use NHWC or NCHW")
    if not is_nchw(n):
        return make(x)
    return b.transpose(make(b.transpose(x, TO_NHWC)), TO_NCHW)


def spatial(n: SourceNode, key: str, values: list[int] | None = None) -> list[int]:
    """The H and W entries of a 4-entry attribute, or of an operand. Batch and channel must be 1."""
    values = values or n.attr(key) or [1, 1, 1, 1]
    hw = [values[2], values[3]] if is_nchw(n) else [values[1], values[2]]
    if math.prod(values) != math.prod(hw):
        raise Unsupported(f"{key} {values} along batch or channels")
    return hw


def padding(n: SourceNode) -> dict:
    kind, pads = n.attr("padding", "VALID"), n.attr("explicit_paddings") or []
    if kind in PADDING:
        return {"padding": PADDING[kind]}
    if kind != "EXPLICIT":
        raise Unsupported(f"padding {kind}", "use VALID, SAME or EXPLICIT")
    top, bottom, left, right = pads[4:] if is_nchw(n) else pads[2:6]
    return {"padding": EXPLICIT, "padding_values": [top, left, bottom, right]}


@registry.op("Conv2D")
def conv2d(b: Builder, n: SourceNode) -> str:
    x, w = n.inputs[:2]
    weights, shape = conv_weights(b, w, [3, 2, 0, 1])  # HWIO -> OIHW

    def make(x: str) -> str:
        operand = b.shape(x)
        channels = operand[3] if operand and len(operand) == 4 else None
        return b.op("Conv2d", x, weights, strides=spatial(n, "strides"),
                    dilations=spatial(n, "dilations"), **padding(n),
                    group=channels // shape[1] if channels else None)

    return in_nhwc(b, n, x, make)


@registry.op("DepthwiseConv2dNative")
def depthwise(b: Builder, n: SourceNode) -> str:
    x, w = n.inputs[:2]
    weights = permuted(b, w, [3, 2, 0, 1])  # HWIM -> MIHW
    return in_nhwc(b, n, x, lambda x: b.op(
        "DepthwiseConv2d", x, weights, strides=spatial(n, "strides"),
        dilations=spatial(n, "dilations"), **padding(n)))


@registry.op("Conv2DBackpropInput")
def deconv(b: Builder, n: SourceNode) -> str:
    size, w, x = n.inputs[:3]
    weights, _ = conv_weights(b, w, [2, 3, 0, 1])  # HWOI -> OIHW
    fixed = ints(b, size)
    inputs = [weights]
    if fixed is not None:
        hw = fixed if len(fixed) == 2 else fixed[2:] if is_nchw(n) else fixed[1:3]
    else:
        hw = None
        if is_nchw(n):
            order = b.add_const(np.array(TO_NHWC, np.int32), name="order")
            size = b.op("Gather", size, order, axis=0)
        inputs += ["", size]
    return in_nhwc(b, n, x, lambda x: b.op(
        "Deconv2d", x, *inputs, strides=spatial(n, "strides"), output_shape=hw,
        dilations=spatial(n, "dilations"), **padding(n)))


@registry.op("MaxPool", "AvgPool", "MaxPoolV2")
def pool(b: Builder, n: SourceNode) -> str:
    given: list[list[int] | None] = [None, None]
    if n.op == "MaxPoolV2":
        given = [fixed_ints(b, n.inputs[1], "ksize"), fixed_ints(b, n.inputs[2], "strides")]
    kernels, strides = spatial(n, "ksize", given[0]), spatial(n, "strides", given[1])
    return in_nhwc(b, n, n.inputs[0], lambda x: b.op(
        "Pooling", x, pooling_type=AVERAGE if n.op == "AvgPool" else MAX, kernels=kernels,
        strides=strides, **padding(n)))


@registry.op("BiasAdd", "BiasAddV1")
def bias_add(b: Builder, n: SourceNode) -> str:
    x, bias = n.inputs[:2]
    if not is_nchw(n):
        return b.op("BiasAdd", x, bias)
    if b.rank(x) == 4:
        return in_nhwc(b, n, x, lambda x: b.op("BiasAdd", x, bias))
    column = reshape(b, bias, [-1] + [1] * (b.rank(x) - 2))
    return b.op("Eltwise", x, column, type="SUM")


@registry.op("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def fused_batch_norm(b: Builder, n: SourceNode) -> list[str]:
    x, scale, offset, mean, var = n.inputs[:5]
    epsilon = n.attr("epsilon", 1e-4)
    if n.attr("is_training", True):
        raise Unsupported("is_training is true: it normalizes by the batch at hand",
                          "freeze the graph for inference")
    y = in_nhwc(b, n, x, lambda x: b.op("BatchNorm", x, scale, offset, mean, var, epsilon=epsilon))
    return [y, mean, var, mean, var, var][: len(n.outputs)]


@registry.op("BatchNormWithGlobalNormalization")
def global_batch_norm(b: Builder, n: SourceNode) -> str:
    x, mean, var, beta, gamma = n.inputs[:5]
    if not n.attr("scale_after_normalization", True):
        shape = b.shape(mean)
        gamma = b.add_const(np.ones(shape, np.float32), name="ones")
    return b.op("BatchNorm", x, gamma, beta, mean, var, epsilon=n.attr("variance_epsilon", 1e-3))


@registry.op("LRN")
def lrn(b: Builder, n: SourceNode) -> str:
    return b.op("LocalResponseNorm", n.inputs[0], depth_radius=n.attr("depth_radius", 5),
                bias=n.attr("bias", 1.0), alpha=n.attr("alpha", 1.0), beta=n.attr("beta", 0.5))


@registry.op("ExtractImagePatches")
def extract_image_patches(b: Builder, n: SourceNode) -> str:
    """A convolution whose filters each select one element of the window."""
    x = n.inputs[0]
    shape = b.shape(x)
    channels = shape[3] if shape and len(shape) == 4 else None
    if not channels:
        raise Unsupported("the number of channels is not known", "give input_shapes")
    kh, kw = spatial(n, "ksizes")
    picks = np.eye(kh * kw * channels, dtype=np.float32)
    picks = picks.reshape(-1, kh, kw, channels).transpose(0, 3, 1, 2)
    return b.op("Conv2d", x, b.add_const(picks, name="weights"), strides=spatial(n, "strides"),
                dilations=spatial(n, "rates"), **padding(n))
