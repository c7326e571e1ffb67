"""Operators of the domain com.microsoft that ONNX Runtime's optimizer makes of several: products
and normalization.

SPDX-License-Identifier: Apache-2.0

Source: docs/ContribOperators.md of ONNX Runtime.
"""

from collections.abc import Sequence

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.conv import conv
from mace_tools.convert.importers.onnx.matmul import gemm
from mace_tools.convert.importers.onnx.norm import FLOAT
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError

# What ONNX Runtime appends to a convolution or a product, and the engine's name.
_ACTIVATIONS = {"Relu": "RELU", "Tanh": "TANH", "Sigmoid": "SIGMOID", "Softplus": "SOFTPLUS",
                "Softsign": "SOFTSIGN"}
SKIP_EPSILON = 1e-12  # default of the Skip and Embed operators


@registry.op("com.microsoft.FusedMatMul", "com.microsoft.TransposeMatMul")
def fused_matmul(b: Builder, n: SourceNode) -> str:
    """alpha * A' * B'. transBatch: the rows (of A) or columns (of B) come before the batch."""
    operands, turned = [], []
    for x, which in zip(n.inputs, "AB"):
        rank, flag = b.rank(x), n.flag(f"trans{which}")
        if n.flag(f"transBatch{which}"):
            if rank < 3:
                raise ModelError(f"{n.op} '{n.name}': transBatch{which} is 1, and its operand "
                                 f"'{x}' has {rank} dimensions; it needs at least 3")
            x = b.transpose(x, [*range(1, rank - 1), 0, rank - 1])
        operands.append(x)
        turned.append(flag if rank > 1 else 0)
    y = b.op("MatMul", *operands, transpose_a=turned[0], transpose_b=turned[1])
    return times(b, y, n.attr("alpha", 1.0))


@registry.op("com.microsoft.FusedGemm")
def fused_gemm(b: Builder, n: SourceNode) -> str:
    """Gemm, then an activation."""
    keys = ("activation_alpha", "activation_beta", "activation_gamma")
    given = [n.attr(key) for key in keys]
    return activated(b, n, gemm(b, n), [v for v in given if v is not None])


@registry.op("com.microsoft.FusedConv")
def fused_conv(b: Builder, n: SourceNode) -> str:
    """Conv, then a sum with Z, then an activation."""
    bias = [i for i in n.inputs[2:3] if i]
    plain = SourceNode(n.name, "Conv", [*n.inputs[:2], *bias], n.outputs, n.attrs)
    y = conv(b, plain)
    if len(n.inputs) > 3 and n.inputs[3]:
        y = b.op("Eltwise", y, n.inputs[3], type="SUM")
    return activated(b, n, y, n.attr("activation_params") or [])


def activated(b: Builder, n: SourceNode, x: str, numbers: Sequence[float]) -> str:
    """The activation that an attribute names, with its numbers in order."""
    kind = n.attr("activation", "")
    if not kind:
        return x
    if kind in _ACTIVATIONS:
        return b.op("Activation", x, activation=_ACTIVATIONS[kind])
    if kind == "LeakyRelu" and len(numbers) >= 1:
        return b.op("Activation", x, activation="LEAKYRELU",
                    activation_coefficient=float(numbers[0]))
    if kind == "HardSigmoid" and len(numbers) >= 2:
        return b.op("Activation", x, activation="HARDSIGMOID",
                    activation_coefficient=float(numbers[0]), hardsigmoid_beta=float(numbers[1]))
    if kind == "Clip" and len(numbers) >= 2:
        return b.op("Clip", x, min=float(numbers[0]), max=float(numbers[1]))
    raise Unsupported(f"the activation {kind} with the numbers {list(numbers)}",
                      "export the model without ONNX Runtime's optimizations")


@registry.op("RMSNormalization", "SimplifiedLayerNormalization")
def rms_norm(b: Builder, n: SourceNode) -> list[str]:
    """x / sqrt(mean(x^2) + epsilon) * scale"""
    n.only("stash_type", FLOAT, "export with the mean in float32")
    x, scale = n.inputs[:2]
    axis = n.attr("axis", -1) % b.rank(x)
    return list(_rms(b, x, scale, list(range(axis, b.rank(x))), n.attr("epsilon", 1e-5)))


@registry.op("com.microsoft.SkipSimplifiedLayerNormalization")
def skip_rms_norm(b: Builder, n: SourceNode) -> list[str]:
    """RMS normalization of input + skip"""
    if len(n.inputs) > 3 and n.inputs[3]:
        raise Unsupported("a bias, which versions of ONNX Runtime add or leave out",
                          "add it in a node of its own")
    _no_moments(n)
    total = b.op("Eltwise", *n.inputs[:2], type="SUM")
    y, _ = _rms(b, total, n.inputs[2], [b.rank(total) - 1], n.attr("epsilon", SKIP_EPSILON))
    return [y, y, y, total]


@registry.op("com.microsoft.SkipLayerNormalization")
def skip_layer_norm(b: Builder, n: SourceNode) -> list[str]:
    """LayerNorm of input + skip + bias"""
    x, skip, gamma, beta, bias = [*n.inputs, "", ""][:5]
    _no_moments(n)
    total = b.op("Eltwise", x, skip, type="SUM")
    if bias:
        total = b.op("Eltwise", total, bias, type="SUM")
    y = b.op("LayerNorm", total, gamma, beta, axis=-1,
             epsilon=float(n.attr("epsilon", SKIP_EPSILON)))
    return [y, y, y, total]


@registry.op("com.microsoft.EmbedLayerNormalization")
def embed_layer_norm(b: Builder, n: SourceNode) -> list[str]:
    """LayerNorm of the sum of embeddings of words, positions and segments"""
    ids, segments, words, places, kinds, gamma, beta, mask, given = [*n.inputs, *[""] * 9][:9]
    n.only("mask_index_type", 0, "export the model without ONNX Runtime's optimizations")
    if len(n.outputs) > 1 and n.outputs[1] and mask:
        raise Unsupported("its output mask_index, the lengths that a mask means",
                          "export the model without ONNX Runtime's optimizations")
    total = b.op("Gather", words, ids, axis=0)
    if given:
        total = b.op("Eltwise", total, b.op("Gather", places, given, axis=0), type="SUM")
    else:
        length = b.op("Shape", ids, output_type="i32", start=1, end=2)
        zero = b.add_const(np.array([0], np.int32), name="zero")
        axis = b.add_const(np.array([0], np.int32), name="axis")
        total = b.op("Eltwise", total, b.op("Slice", places, zero, length, axis), type="SUM")
    if segments:
        total = b.op("Eltwise", total, b.op("Gather", kinds, segments, axis=0), type="SUM")
    y = b.op("LayerNorm", total, gamma, beta, axis=-1,
             epsilon=float(n.attr("epsilon", SKIP_EPSILON)))
    batch = b.op("Shape", ids, output_type="i32", start=0, end=1)
    return [y, b.op("Fill", batch, value=0.0, dtype="i32"), total]


def _no_moments(n: SourceNode) -> None:
    if any(n.outputs[1:3]):
        raise Unsupported("its outputs mean and inv_std_var, which training needs",
                          "export for inference")


def _rms(b: Builder, x: str, scale: str, axes: list[int], epsilon: float) -> tuple[str, str]:
    """The normalized x, and what it was multiplied by."""
    mean = b.op("Reduce", b.op("Unary", x, type="SQUARE"), reduce_type="MEAN", axis=axes,
                keepdims=1)
    mean = b.op("Eltwise", mean, b.add_const(np.float32(epsilon)), type="SUM")
    inverse = b.op("Unary", mean, type="RSQRT")
    y = b.op("Eltwise", x, inverse, type="PROD")
    return b.op("Eltwise", y, scale, type="PROD"), inverse


def times(b: Builder, x: str, factor: float) -> str:
    return x if factor == 1 else b.op("Eltwise", x, b.add_const(np.float32(factor)), type="PROD")
