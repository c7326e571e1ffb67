"""Attention: ONNX's own, ONNX Runtime's, and rotary embeddings.

SPDX-License-Identifier: Apache-2.0

Sources: ONNX Attention-23, RotaryEmbedding-23; docs/ContribOperators.md of ONNX Runtime.
"""

import math
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.fused import times
from mace_tools.convert.importers.onnx.norm import FLOAT
from mace_tools.convert.importers.onnx.tensors import type_name
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode

_FLOATS = (FLOAT, 10, 11, 16)  # float32 is at least as exact as any that models have
MASKED = -10000.0  # default of ONNX Runtime's mask_filter_value
_NO_STATE = "export the model without key and value caches, so that it takes whole sequences"


@registry.op("Attention")
def attention(b: Builder, n: SourceNode) -> list[str]:
    """softmax(Q K' scale + mask) V, by heads; key and value heads may be fewer"""
    q, k, v, mask, past_k, past_v, lengths = [*n.inputs, *[""] * 7][:7]
    precision = n.attr("softmax_precision", FLOAT)
    if precision not in _FLOATS:
        raise Unsupported(f"its softmax_precision is {type_name(precision)}", "use a float type")
    heads, shared = n.attr("q_num_heads"), n.attr("kv_num_heads")
    new = b.shape(k)
    if past_k or past_v or any(n.outputs[1:3]):
        k, v = (_grown(b, past, x, shared) for past, x in ((past_k, k), (past_v, v)))
    windows = {"left_window": n.attr("left_window_size", -1),
               "right_window": n.attr("right_window_size", -1), "at_end": int(bool(past_k))}
    if n.flag("is_causal", 0):
        windows["right_window"] = 0
    mask = _fitted_mask(b, mask, _rows(b, k))
    if lengths:
        mask = _masked(b, mask, _visible(b, q, k, lengths, windows))
        windows = {}
    elif past_k and new[-2 if len(new) == 4 else 1] != _rows(b, q):
        seen = _seen(_rows(b, q), _rows(b, k), _rows(b, past_k), windows)
        mask = _masked(b, mask, b.add_const(seen, "bool", "seen"))
        windows = {}
    attrs = {"scale": n.attr("scale"), "softcap": n.attr("softcap", 0.0)}
    what = n.attr("qk_matmul_output_mode", 0)
    flat = any(b.rank(x) == 3 for x in (q, k, v))
    y = b.op("Attention", q, k, v, mask, **_given(
        {**attrs, **windows, "heads": heads if flat else None,
         "kv_heads": shared if flat else None}))
    results = [y, k, v]
    if len(n.outputs) > 3 and n.outputs[3]:
        results.append(_debug(b, n, q, k, mask, windows, what))
    return results


def _given(attrs: dict[str, Any]) -> dict[str, Any]:
    """Without those that are absent; numbers that the engine has as floats are floats."""
    floats = ("scale", "softcap")
    return {k: float(v) if k in floats else v for k, v in attrs.items() if v is not None}


def _grown(b: Builder, past: str, x: str, heads: int | None) -> str:
    """Keys or values [batch, heads, rows, depth], behind those of earlier runs."""
    x = _heads(b, x, heads) if b.rank(x) == 3 else x
    return b.op("Concat", past, x, axis=2) if past else x


def _fitted_mask(b: Builder, mask: str, keys: int) -> str:
    """A mask for all keys; what it lacks counts as masked."""
    if not mask or b.rank(mask) == 0:
        return mask
    has = b.extents(mask)[-1]
    if has is None or has in (1, keys):
        return mask
    pads = [0, 0] * (b.rank(mask) - 1) + [0, keys - has]
    if b.dtype(mask) == "bool":
        return b.op("Pad", mask, paddings=pads)
    return b.op("Pad", mask, paddings=pads, constant_value=-math.inf)


def _rows(b: Builder, x: str) -> int:
    return _extent(b, x, 2 if b.rank(x) == 4 else 1)


def _masked(b: Builder, mask: str, sees: str) -> str:
    """A mask that also leaves out keys where `sees` is 0."""
    if not mask:
        return sees
    if b.dtype(mask) == "bool":
        return b.op("Logical", sees, mask, type="AND")
    return b.op("Select", sees, mask, b.add_const(np.array(-np.inf), b.dtype(mask)))


def _seen(rows: int, columns: int, offset: int, windows: dict[str, int]) -> np.ndarray:
    """Which keys the windows leave to each query; query i is at key i + offset."""
    first, keys = np.arange(rows)[:, None] + offset, np.arange(columns)
    sees = np.ones((rows, columns), bool)
    if windows.get("right_window", -1) >= 0:
        sees &= keys <= first + windows["right_window"]
    if windows.get("left_window", -1) >= 0:
        sees &= keys >= first - windows["left_window"]
    return sees


def _visible(b: Builder, q: str, k: str, lengths: str, windows: dict[str, int]) -> str:
    """What lengths of the keys say: the last query is at the last key that counts."""
    queries, keys = _rows(b, q), _rows(b, k)
    lengths = b.op("Cast", lengths, to="i32") if b.dtype(lengths) != "i32" else lengths
    count = b.op("ExpandDims", lengths, axis=[1, 2, 3])
    places = b.add_const(np.arange(keys).reshape(1, 1, 1, -1), "i32", "keys")
    sees = b.op("Compare", places, count, type="LESS")
    for name, sign, kind in (("right_window", 1, "LESS_EQUAL"),
                             ("left_window", -1, "GREATER_EQUAL")):
        if windows[name] >= 0:
            first = np.arange(queries).reshape(1, 1, -1, 1) - queries + sign * windows[name]
            limit = b.op("Eltwise", count, b.add_const(first, "i32", "rows"), type="SUM")
            bound = b.op("Compare", places, limit, type=kind)
            sees = b.op("Logical", sees, bound, type="AND")
    return sees


def _debug(b: Builder, n: SourceNode, q: str, k: str, mask: str, windows: dict[str, int],
           what: int) -> str:
    """The scores that the fourth output asks for, which are stored whole."""
    q = _heads(b, q, n.attr("q_num_heads")) if b.rank(q) == 3 else q
    k = _heads(b, k, n.attr("kv_num_heads")) if b.rank(k) == 3 else k
    k = _repeated(b, k, _extent(b, q, 1) // _extent(b, k, 1))
    scores, softcap = _scores(b, q, k, n.attr("scale")), n.attr("softcap", 0.0)
    after_softcap, with_mask = 1, 2
    if what != 0 and softcap and (what == after_softcap or what in (with_mask, 3)):
        capped = b.op("Activation", times(b, scores, 1 / softcap), activation="TANH")
        scores = times(b, capped, softcap)
    if what not in (with_mask, 3):
        return scores
    low = b.add_const(np.float32(-np.inf))
    if mask:
        scores = (b.op("Select", mask, scores, low) if b.dtype(mask) == "bool"
                  else b.op("Eltwise", scores, mask, type="SUM"))
    rows, columns = _extent(b, scores, 2), _extent(b, scores, 3)
    seen = _seen(rows, columns, columns - rows if windows.get("at_end") else 0, windows)
    if not seen.all():
        scores = b.op("Select", b.add_const(seen, "bool", "seen"), scores, low)
    if what != 3:
        return scores
    shares = b.op("Softmax", scores, axis=-1)  # NaN where no key counts
    return b.op("Select", b.op("Unary", shares, type="IS_NAN"), b.add_const(np.float32(0)), shares)


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
    return [_attended(b, n, q, k, v, padding, mask)]


@registry.op("com.microsoft.Attention")
def fused_attention(b: Builder, n: SourceNode) -> list[str]:
    """Attention with the projections of query, key and value in one product"""
    x, weights, bias, padding, past, mask, *state = [*n.inputs, *[""] * 7][:7]
    n.attr("rotary_embedding_dim")  # of no effect without do_rotary
    return projected_attention(b, n, x, weights, (bias, padding, mask, [past, *state]))


def projected_attention(
    b: Builder, n: SourceNode, x: str, weights: str, more: tuple[str, str, str, list[str]]
) -> list[str]:
    """`more`: bias, padding mask, mask that is added, and what earlier runs left."""
    bias, padding, mask, state = more
    _no_state(n, state)
    n.only("do_rotary", 0, "export the rotary embedding as nodes of its own")
    n.only("past_present_share_buffer", 0, _NO_STATE)
    y = b.op("MatMul", x, weights)
    if bias:
        y = b.op("Eltwise", y, bias, type="SUM")
    sizes = n.attr("qkv_hidden_sizes") or [_extent(b, weights, 1) // 3] * 3
    q, k, v = b.ops("Split", [y], 3, axis=2, sizes=list(sizes))
    return [_attended(b, n, q, k, v, padding, mask)]


def _attended(
    b: Builder, n: SourceNode, q: str, k: str, v: str, padding: str, mask: str
) -> str:
    """What both operators of ONNX Runtime do after the projection."""
    low, heads = float(n.attr("mask_filter_value", MASKED)), n.attr("num_heads")
    if not heads:
        raise Unsupported("the number of heads is not given")
    causal = n.flag("unidirectional")
    if causal and _extent(b, q, 1) != _extent(b, k, 1):
        raise Unsupported("unidirectional is 1 and there are more keys than queries",
                          "give the mask as attention_bias")
    masks = [m for m in (mask, _padding_mask(b, padding, low)) if m]
    added = b.op("Eltwise", *masks, type="SUM") if len(masks) == 2 else "".join(masks)
    return b.op("Attention", q, k, v, added, **_given(
        {"heads": heads, "scale": n.attr("scale"), "right_window": 0 if causal else None}))


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
    heads = n.attr("num_heads")  # with four dimensions: axis 1 of x
    if flat and not heads:
        raise Unsupported("the number of heads is not given")
    if places:
        cos, sin = (b.op("Gather", table, places, axis=0) for table in (cos, sin))
    cos, sin = (b.op("ExpandDims", table, axis=[1]) for table in (cos, sin))
    return b.op("RotaryEmbedding", cos, sin, x, heads=[heads] if flat else [],
                size=n.attr("rotary_embedding_dim", 0), interleaved=n.flag("interleaved"))


@registry.op("com.microsoft.RotaryEmbedding")
def contrib_rotary_embedding(b: Builder, n: SourceNode) -> str:
    """The same with places of all rows, or the place of the first one"""
    x, places, cos, sin = n.inputs[:4]
    n.only("is_packed_batching", 0, "give each sequence a row of its own")
    n.only("scale", 1.0, "scale the queries or the scores instead")
    size, heads, flat = n.attr("rotary_embedding_dim", 0), n.attr("num_heads", 0), b.rank(x) == 3
    if flat and not size:  # the tables tell how wide heads are
        heads = _extent(b, x, 2) // (2 * _extent(b, cos, 1))
    if flat and not heads:
        raise Unsupported("the number of heads is not given")
    if b.rank(places) == 1:
        rows = np.arange(_extent(b, x, 1 if flat else 2), dtype=np.int64)
        if b.dtype(places) != "i64":
            places = b.op("Cast", places, to="i64")
        places = b.op("Eltwise", b.op("ExpandDims", places, axis=[1]),
                      b.add_const(rows, name="rows"), type="SUM")
    cos, sin = (b.op("ExpandDims", b.op("Gather", table, places, axis=0), axis=[1])
                for table in (cos, sin))
    return b.op("RotaryEmbedding", cos, sin, x, heads=[heads] if flat else [], size=size,
                interleaved=n.flag("interleaved"))


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
