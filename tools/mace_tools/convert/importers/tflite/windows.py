"""Convolution, pooling, fully connected and normalization.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import replace

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import (
    PADDING,
    conv_weights,
    depthwise_weights,
    ints,
    reshape,
)
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.activations import fused
from mace_tools.convert.importers.tflite.flat import PADDINGS
from mace_tools.convert.importers.tflite.sizes import check_transposed
from mace_tools.convert.ops.common.windows import AVERAGE, L2, MAX


def window(n: SourceNode) -> dict:
    """Strides, dilations and padding of an operator with a window."""
    dilations = [n.attr("DilationHFactor", 1), n.attr("DilationWFactor", 1)]
    return {"strides": [n.attr("StrideH", 1), n.attr("StrideW", 1)],
            "dilations": dilations,
            "padding": PADDING[PADDINGS[n.attr("Padding", 0)]]}


def operand(n: SourceNode, i: int) -> str:
    return n.inputs[i] if i < len(n.inputs) else ""


def channels(b: Builder, x: str) -> int:
    shape = b.shape(x)
    if shape is None or not shape or shape[-1] is None:
        raise Unsupported("the number of channels is not known", "give input_shapes")
    return shape[-1]


@registry.op("CONV_2D")
def conv2d(b: Builder, n: SourceNode) -> str:
    x, w = n.inputs[:2]
    weights, shape = conv_weights(b, w, [0, 3, 1, 2])  # OHWI -> OIHW
    given = channels(b, x)
    if shape[1] < 1 or given % shape[1]:
        raise ValueError(f"a filter of {shape[1]} input channels for {given} channels")
    return fused(b, n, "Conv2d", x, weights, operand(n, 2), **window(n), group=given // shape[1])


@registry.op("DEPTHWISE_CONV_2D")
def depthwise(b: Builder, n: SourceNode) -> str:
    x, w = n.inputs[:2]
    shape = b.shape(w)
    if shape is None or len(shape) != 4:
        raise Unsupported(f"a depthwise filter of shape {shape}")
    quant = b.quant(w)
    if quant is not None and quant.axis is not None and shape[3] != channels(b, x):
        # A scale for each output: they are the first axis of a grouped filter only.
        weights, _ = conv_weights(b, w, [3, 0, 1, 2])
        return fused(b, n, "Conv2d", x, weights, operand(n, 2), **window(n), group=channels(b, x))
    flat = reshape(b, w, list(shape[1:])) if b.const(w) is None else b.add_const(b.const(w)[0])
    weights = depthwise_weights(b, flat, channels(b, x))
    if quant is not None:
        b.set_quant(weights, quant if quant.axis is None else replace(quant, axis=1))
    source = b.source_quant(w)
    if quant is None and source is not None and (source.axis is None
                                                 or shape[3] == channels(b, x)):
        b.graph.tensors[weights].source_quant = replace(source, axis=source.axis and 1)
    return fused(b, n, "DepthwiseConv2d", x, weights, operand(n, 2), **window(n))


@registry.op("TRANSPOSE_CONV")
def transpose_conv(b: Builder, n: SourceNode) -> str:
    size, w, x = n.inputs[:3]
    weights, _ = conv_weights(b, w, [0, 3, 1, 2])  # OHWI -> OIHW
    fixed = ints(b, size)
    if fixed is not None:
        check_transposed(b, n, x, fixed[1:3], (b.shape(w) or (None,) * 4)[1:3])
    more = [operand(n, 3)] if fixed is not None else [operand(n, 3), size]
    return fused(b, n, "Deconv2d", x, weights, *more, **window(n),
                 output_shape=None if fixed is None else fixed[1:3])


_POOLING = {"AVERAGE_POOL_2D": AVERAGE, "MAX_POOL_2D": MAX, "L2_POOL_2D": L2}


@registry.op(*_POOLING)
def pool(b: Builder, n: SourceNode) -> str:
    return fused(b, n, "Pooling", n.inputs[0], pooling_type=_POOLING[n.op],
                 kernels=[n.attr("FilterHeight"), n.attr("FilterWidth")], **window(n))


@registry.op("FULLY_CONNECTED")
def fully_connected(b: Builder, n: SourceNode) -> str:
    x, w = n.inputs[:2]
    if n.attr("WeightsFormat", 0):
        raise Unsupported("shuffled weights", "convert the model without them")
    shape = b.shape(w)
    if not n.attr("KeepNumDims", False) and b.rank(x) != 2:
        if shape is None or len(shape) != 2 or shape[1] is None:
            raise Unsupported("its weights have no fixed shape", "make the weights a constant")
        x = reshape(b, x, [-1, shape[1]])
    return fused(b, n, "FullyConnected", x, w, operand(n, 2))


@registry.op("L2_NORMALIZATION")
def l2_normalization(b: Builder, n: SourceNode) -> str:
    # TFLite divides by max(norm, 1e-6); source: its reference kernel's documentation.
    return fused(b, n, "LpNorm", n.inputs[0], p=2, axis=-1, epsilon=1e-6)


@registry.op("LOCAL_RESPONSE_NORMALIZATION")
def lrn(b: Builder, n: SourceNode) -> str:
    return b.op("LocalResponseNorm", n.inputs[0], depth_radius=n.attr("Radius", 0),
                bias=n.attr("Bias", 0.0), alpha=n.attr("Alpha", 0.0), beta=n.attr("Beta", 0.0))
