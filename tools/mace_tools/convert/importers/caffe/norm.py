"""Normalization.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.caffe import registry
from mace_tools.convert.importers.caffe.layer import Layer
from mace_tools.convert.importers.channels_first import to_first, to_last
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.ops.common.windows import AVERAGE, EXPLICIT
from mace_tools.support.errors import ModelError


@registry.op("BatchNorm")
def batch_norm(b: Builder, n: Layer) -> str:
    """With the stored sums of means and variances, divided by the third blob."""
    n.check_bottoms()
    if n.attr("use_global_stats") is False:
        raise Unsupported("use_global_stats: false, so that each batch is normalized by itself",
                          "set it to true, or leave it out")
    x = n.bottoms[0]
    channels = b.extents(x)[1] if b.rank(x) > 1 else 1
    each = None if channels is None else (channels,)
    mean, var, factor = n.check_weights([each, each, (1,)])
    scale = 0.0 if factor.item() == 0 else 1 / np.float64(factor.item())
    params = [np.ones_like(mean), np.zeros_like(mean), mean * np.float32(scale),
              var * np.float32(scale)]
    if b.rank(x) == 1:
        raise Unsupported("a bottom with one axis", "give it a batch")
    y = b.op("BatchNorm", to_last(b, x), *[b.add_const(p.reshape(-1)) for p in params],
             epsilon=float(n.attr("eps")))
    return to_first(b, y)


@registry.op("LRN")
def lrn(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    x, size, alpha, beta = n.bottoms[0], n.attr("local_size"), n.attr("alpha"), n.attr("beta")
    if size % 2 == 0:
        raise ModelError(f"LRN '{n.name}': local_size is {size}, it must be odd")
    if n.attr("norm_region") == "ACROSS_CHANNELS":
        return to_first(b, b.op(
            "LocalResponseNorm", to_last(b, x), depth_radius=size // 2, bias=float(n.attr("k")),
            alpha=alpha / size, beta=float(beta)))
    n.attr("k")  # within a channel, Caffe always adds 1
    if b.rank(x) != 4:
        raise Unsupported(f"LRN within channels of a blob with {b.rank(x)} axes", "give it four")
    squares = b.op("Unary", to_last(b, x), type="SQUARE")
    half = size // 2
    mean = b.op("Pooling", squares, pooling_type=AVERAGE, kernels=[size, size], strides=[1, 1],
                padding=EXPLICIT, padding_values=[half] * 4, count_include_pad=1, round_mode=1)
    scale = b.op("Eltwise", mean, _number(b, alpha), type="PROD")
    scale = b.op("Eltwise", scale, _number(b, 1), type="SUM")
    scale = b.op("Eltwise", scale, _number(b, -beta), type="POW")
    return b.op("Eltwise", x, to_first(b, scale), type="PROD")


@registry.op("MVN")
def mvn(b: Builder, n: Layer) -> str:
    """(x - mean) / (deviation + eps), over the positions of a channel, or also over channels."""
    n.check_bottoms()
    x, rank = n.bottoms[0], b.rank(n.bottoms[0])
    if rank != 4:
        raise Unsupported(f"MVN of a blob with {rank} axes", "give it four")
    axes = list(range(1 if n.attr("across_channels") else 2, rank))
    eps = n.attr("eps")
    mean = b.op("Reduce", x, reduce_type="MEAN", axis=axes, keepdims=1)
    y = b.op("Eltwise", x, mean, type="SUB")
    if not n.attr("normalize_variance"):
        return y
    var = b.op("Reduce", b.op("Unary", y, type="SQUARE"), reduce_type="MEAN", axis=axes,
               keepdims=1)
    deviation = b.op("Eltwise", b.op("Unary", var, type="SQRT"), _number(b, eps), type="SUM")
    return b.op("Eltwise", y, deviation, type="DIV")


@registry.op("Normalize", "NormalizeBBox")
def normalize(b: Builder, n: Layer) -> str:
    """Of SSD: scale x / root of the sum of squares and eps, for each position, or for all."""
    n.check_bottoms()
    x = n.bottoms[0]
    if b.rank(x) != 4:
        raise Unsupported(f"{n.op} of a blob with {b.rank(x)} axes", "give it four")
    axes = [1, 2, 3] if n.attr("across_spatial") else [1]
    channels = b.extents(x)[1]
    each = None if channels is None else (channels,)
    scale, = n.check_weights([(1,) if n.attr("channel_shared") else each])
    total = b.op("Reduce", x, reduce_type="SUM_SQUARE", axis=axes, keepdims=1)
    total = b.op("Eltwise", total, _number(b, n.attr("eps")), type="SUM")
    y = b.op("Eltwise", x, b.op("Unary", total, type="RSQRT"), type="PROD")
    return b.op("Eltwise", y, b.add_const(scale.reshape(-1, 1, 1), name="scale"), type="PROD")


def _number(b: Builder, value: float) -> str:
    return b.add_const(np.float32(value), name="number")
