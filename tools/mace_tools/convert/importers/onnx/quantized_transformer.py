"""Attention and embeddings of quantized operands, as ONNX Runtime's quantizer writes them.

SPDX-License-Identifier: Apache-2.0

They compute in float32 from dequantized operands, as their definition does.
Source: docs/ContribOperators.md of ONNX Runtime.
"""

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.attention import projected_attention
from mace_tools.convert.importers.onnx.fused import embed_layer_norm
from mace_tools.convert.importers.onnx.qlinear import operand
from mace_tools.convert.importers.onnx.quantized import computed_scale
from mace_tools.convert.importers.onnx.scales import AGAIN, QUANTIZED_TYPES
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError

MS = "com.microsoft."


def _float(b: Builder, n: SourceNode, x: str, scale: str, zero: str) -> str:
    """A dequantized operand, whose scale a DynamicQuantizeLinear may compute."""
    if b.dtype(x) not in QUANTIZED_TYPES:
        raise ModelError(f"{n.op} '{n.name}': its operand '{x}' is {b.dtype(x)}; it must be int8 "
                         f"or uint8; {AGAIN}")
    if b.const(scale) is None:
        return computed_scale(b, n, x, scale, zero)
    return operand(b, n, (x, scale, zero), axis=-1)


@registry.op(f"{MS}QAttention")
def quantized_attention(b: Builder, n: SourceNode) -> list[str]:
    """Attention whose input and weights are quantized; scales of weights may be per column"""
    x, w, bias, x_scale, w_scale, mask, x_zero, w_zero, past = [*n.inputs, *[""] * 9][:9]
    return projected_attention(b, n, _float(b, n, x, x_scale, x_zero),
                               _float(b, n, w, w_scale, w_zero), (bias, mask, "", [past]))


@registry.op(f"{MS}QEmbedLayerNormalization")
def quantized_embed_layer_norm(b: Builder, n: SourceNode) -> list[str]:
    """EmbedLayerNormalization of quantized tables, scale and bias"""
    ids, segments, *rest = [*n.inputs, *[""] * 18][:18]
    quantized, mask, scales, zeros = rest[:5], rest[5], rest[6:11], rest[11:]
    words, places, kinds, gamma, beta = (
        _float(b, n, *names) if names[0] else "" for names in zip(quantized, scales, zeros))
    inputs = [ids, segments, words, places, kinds, gamma, beta, mask]
    return embed_layer_norm(b, SourceNode(n.name, n.op, inputs, n.outputs, n.attrs,
                                          opset=n.opset))[:2]
