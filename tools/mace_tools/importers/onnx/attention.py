"""Attention: ONNX's own, ONNX Runtime's, and rotary embeddings.

SPDX-License-Identifier: Apache-2.0

Sources: ONNX Attention-23, RotaryEmbedding-23; docs/ContribOperators.md of ONNX Runtime.
"""

from __future__ import annotations

import math

import numpy as np

from mace_tools.importers.builder import Builder
from mace_tools.importers.onnx import registry
from mace_tools.importers.onnx.fused import times
from mace_tools.importers.onnx.norm import FLOAT
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode

LOWEST = float(np.finfo(np.float32).min)
MASKED = -10000.0  # default of ONNX Runtime's mask_filter_value
_NO_STATE = "export the model without key and value caches, so that it takes whole sequences"


@registry.op("Attention")
def attention(b: Builder, n: SourceNode) -> list[str]:
    """softmax(Q K' scale + mask) V, by heads; key and value heads may be fewer"""
    q, k, v, mask, *state = [*n.inputs, *[""] * 7][:7]
    _no_state(n, state)
    n.only("qk_matmul_output_mode", 0)
    n.only("softmax_precision", FLOAT, "export with the softmax in float32")
    for side in ("left_window_size", "right_window_size"):
        n.only(side, -1, "give the window as attn_mask")
    flat = b.rank(q) == 3
    if flat:
        q = _heads(b, q, n.attr("q_num_heads"))
        k, v = (_heads(b, x, n.attr("kv_num_heads")) for x in (k, v))
    groups = _extent(b, q, 1) // _extent(b, k, 1)
    k, v = (_repeated(b, x, groups) for x in (k, v))
    scores = _scores(b, q, k, n.attr("scale"))
    softcap = n.attr("softcap", 0.0)
    if softcap:
        capped = b.op("Activation", times(b, scores, 1 / softcap), activation="TANH")
        scores = times(b, capped, softcap)
    if mask and b.dtype(mask) == "bool":
        zero, lowest = (b.add_const(np.float32(value)) for value in (0, LOWEST))
        mask = b.op("Select", mask, zero, lowest)
    if n.flag("is_causal"):
        scores = _causal(b, scores)
    y = _weighted(b, scores, v, [mask])
    return [_joined(b, y) if flat else y]


@registry.op("com.microsoft.MultiHeadAttention")
def multi_head_attention(b: Builder, n: SourceNode) -> list[str]:
    """Attention of query, key and value, which are already projected"""
    q, k, v, bias, padding, mask, *state = [*n.inputs, *[""] * 10][:10]
    _no_state(n, state)
    if not k or not v or any(b.rank(x) != 3 for x in (q, k, v)):
        raise Unsupported("packed or cached keys and values", "give query, key and value as three "
                          "operands [batch, sequence, hidden]")
    if bias:
        sizes = [_extent(b, x, 2) for x in (q, k, v)]
        parts = b.ops("Split", [bias], 3, axis=0, sizes=sizes)
        q, k, v = (b.op("Eltwise", x, part, type="SUM") for x, part in zip((q, k, v), parts))
    q, k, v = (_heads(b, x, n.attr("num_heads")) for x in (q, k, v))
    return [_attended(b, n, q, k, v, padding, mask)]


@registry.op("com.microsoft.Attention")
def fused_attention(b: Builder, n: SourceNode) -> list[str]:
    """Attention with the projections of query, key and value in one product"""
    x, weights, bias, padding, past, mask, *state = [*n.inputs, *[""] * 7][:7]
    _no_state(n, [past, *state])
    n.only("do_rotary", 0, "export the rotary embedding as nodes of its own")
    n.only("past_present_share_buffer", 0, _NO_STATE)
    n.attr("rotary_embedding_dim")  # of no effect without do_rotary
    y = b.op("MatMul", x, weights)
    if bias:
        y = b.op("Eltwise", y, bias, type="SUM")
    sizes = n.attr("qkv_hidden_sizes") or [_extent(b, weights, 1) // 3] * 3
    q, k, v = (_heads(b, part, n.attr("num_heads"))
               for part in b.ops("Split", [y], 3, axis=2, sizes=list(sizes)))
    return [_attended(b, n, q, k, v, padding, mask)]


def _attended(
    b: Builder, n: SourceNode, q: str, k: str, v: str, padding: str, mask: str
) -> str:
    """What both operators of ONNX Runtime do after the projection."""
    low = float(n.attr("mask_filter_value", MASKED))
    scale = n.attr("scale")
    scores = _scores(b, q, k, scale if scale else None)
    if n.flag("unidirectional"):
        if _extent(b, scores, 2) != _extent(b, scores, 3):
            raise Unsupported("unidirectional is 1 and there are more keys than queries",
                              "give the mask as attention_bias")
        scores = _causal(b, scores)
    return _joined(b, _weighted(b, scores, v, [mask, _padding_mask(b, padding, low)]))


def _padding_mask(b: Builder, mask: str, low: float) -> str:
    """What to add to the scores for a mask [batch, keys] or [batch, queries, keys] of 1 and 0."""
    if not mask:
        return ""
    if b.rank(mask) not in (2, 3):
        raise Unsupported("a mask of lengths", "give the mask as [batch, sequence] of 0 and 1")
    one, factor = b.add_const(np.float32(1)), b.add_const(np.float32(low))
    off = b.op("Eltwise", one, b.op("Cast", mask, to="f32"), type="SUB")
    off = b.op("Eltwise", off, factor, type="PROD")
    return b.op("ExpandDims", off, axis=[1, 2] if b.rank(mask) == 2 else [1])


@registry.op("RotaryEmbedding")
def rotary_embedding(b: Builder, n: SourceNode) -> str:
    """Pairs of elements turned by angles, whose cosines and sines are operands"""
    x, cos, sin, places = [*n.inputs, ""][:4]
    flat = b.rank(x) == 3
    if flat:
        x = _heads(b, x, n.attr("num_heads"))
    else:
        n.attr("num_heads")  # axis 1 of x
    size = _extent(b, x, 3)
    turned = n.attr("rotary_embedding_dim", 0) or size
    rest = ""
    if turned < size:
        x, rest = b.ops("Split", [x], 2, axis=3, sizes=[turned, size - turned])
    if places:
        cos, sin = (b.op("Gather", table, places, axis=0) for table in (cos, sin))
    cos, sin = (b.op("ExpandDims", table, axis=[1]) for table in (cos, sin))
    y = _turned(b, x, cos, sin, turned, bool(n.flag("interleaved")))
    if rest:
        y = b.op("Concat", y, rest, axis=3)
    return _joined(b, y) if flat else y


def _turned(b: Builder, x: str, cos: str, sin: str, size: int, interleaved: bool) -> str:
    if interleaved:
        shaped = b.op("Reshape", x, dim=[0, 0, 0, size // 2, 2])
        first, second = b.ops("Unstack", [shaped], 2, axis=4)
    else:
        first, second = b.ops("Split", [x], 2, axis=3)

    def product(left: str, right: str) -> str:
        return b.op("Eltwise", left, right, type="PROD")

    real = b.op("Eltwise", product(first, cos), product(second, sin), type="SUB")
    imaginary = b.op("Eltwise", product(first, sin), product(second, cos), type="SUM")
    if not interleaved:
        return b.op("Concat", real, imaginary, axis=3)
    return b.op("Reshape", b.op("Stack", real, imaginary, axis=4), dim=[0, 0, 0, size])


def _no_state(n: SourceNode, operands: list[str]) -> None:
    if any(operands) or any(n.outputs[1:]):
        raise Unsupported("keys and values of earlier runs, or outputs for later ones", _NO_STATE)


def _extent(b: Builder, x: str, axis: int) -> int:
    extent = b.extents(x)[axis]
    if not extent:
        raise Unsupported(f"the extent {axis} of its operand is not known", "give input_shapes")
    return extent


def _heads(b: Builder, x: str, count: int | None) -> str:
    """[batch, sequence, hidden] as [batch, heads, sequence, hidden / heads]"""
    if not count:
        raise Unsupported("the number of heads is not given")
    return b.op("Transpose", b.op("Reshape", x, dim=[0, 0, count, -1]), dims=[0, 2, 1, 3])


def _joined(b: Builder, x: str) -> str:
    """The opposite of `_heads`."""
    return b.op("Reshape", b.op("Transpose", x, dims=[0, 2, 1, 3]), dim=[0, 0, -1])


def _repeated(b: Builder, x: str, times_: int) -> str:
    """Each head as often as there are query heads for it."""
    if times_ == 1:
        return x
    heads = _extent(b, x, 1)
    wide = b.op("Tile", b.op("ExpandDims", x, axis=[2]), repeats=[1, 1, times_, 1, 1])
    return b.op("Reshape", wide, dim=[0, heads * times_, -1, _extent(b, x, 3)])


def _scores(b: Builder, q: str, k: str, scale: float | None) -> str:
    factor = scale if scale is not None else 1 / math.sqrt(_extent(b, q, 3))
    return times(b, b.op("MatMul", q, k, transpose_b=1), factor)


def _causal(b: Builder, scores: str) -> str:
    """The scores, where keys after a query have the lowest one."""
    zero, one = (b.add_const(np.array([value], np.int32)) for value in (0, 1))
    rows, columns = (
        b.op("Range", zero, b.op("Shape", scores, output_type="i32", start=k, end=k + 1), one)
        for k in (2, 3))
    later = b.op("Compare", columns, b.op("ExpandDims", rows, axis=[1]), type="GREATER")
    return b.op("Select", later, b.add_const(np.float32(LOWEST)), scores)


def _weighted(b: Builder, scores: str, v: str, masks: list[str]) -> str:
    for mask in filter(None, masks):
        scores = b.op("Eltwise", scores, mask, type="SUM")
    return b.op("MatMul", b.op("Softmax", scores, axis=-1), v)
