"""GroupQueryAttention of ONNX Runtime: attention behind caches of keys and values.

SPDX-License-Identifier: Apache-2.0

Source: docs/ContribOperators.md of ONNX Runtime.
"""

from dataclasses import dataclass

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import Unsupported

# Operands behind the ten first ones, and why they are refused.
_REFUSED = {12: "scales of a quantized cache", 13: "scales of a quantized cache",
            14: "norms of queries", 15: "norms of keys", 16: "lengths of queries"}
_NORMS = "normalize queries and keys in nodes of their own, and keep the cache in floats"


@dataclass(frozen=True)
class _Parts:
    """[batch, rows, heads * depth] of this run; its rows begin at `position` [batch], i64."""

    q: str
    k: str
    v: str
    heads: int
    kv_heads: int
    position: str


@registry.op("com.microsoft.GroupQueryAttention")
def group_query_attention(b: Builder, n: SourceNode) -> list[str]:
    """Causal attention, whose keys and values follow those of a cache; a cache that is a state of
    the engine has a fixed capacity, any other grows by the rows of the run"""
    inputs = [*n.inputs, *[""] * 17][:17]
    _check(n, inputs)
    past_k, past_v, lengths = inputs[3:6]
    heads, kv_heads = n.attr("num_heads"), n.attr("kv_num_heads")
    if not heads or not kv_heads:
        raise Unsupported("the number of heads is not given")
    q, k, v = _projections(b, inputs, heads, kv_heads)
    rows = b.op("Shape", q, start=1, end=2)
    parts = _Parts(q, k, v, heads, kv_heads, _position(b, past_k, lengths, rows))
    if n.flag("do_rotary"):
        q, k = _turned(b, n, parts, inputs[7:10], rows)
    keys, values = (_cached(b, past, x, parts) for past, x in ((past_k, k), (past_v, v)))
    sinks = inputs[11]
    if n.flag("smooth_softmax"):
        sinks = b.add_const(np.zeros(heads, np.float32), name="sinks")
    window = n.attr("local_window_size", -1)
    if window == 0 or window < -1:
        raise Unsupported(f"local_window_size is {window}, with which no key counts",
                          "use -1, or at least 1")
    y = b.op("Attention", q, keys, values, inputs[10], parts.position, "", sinks, heads=heads,
             kv_heads=0 if b.rank(keys) == 4 else kv_heads, scale=float(n.attr("scale", 0.0)),
             softcap=float(n.attr("softcap", 0.0)), left_window=window - 1 if window > 0 else -1,
             right_window=0 if n.flag("causal", 1) else -1)
    return [y, *(_by_heads(b, x, kv_heads) for x in (keys, values))]


def _check(n: SourceNode, inputs: list[str]) -> None:
    for k, what in _REFUSED.items():
        if inputs[k]:
            raise Unsupported(f"its operand {k}, {what}", _NORMS)
    for name in ("k_quant_type", "v_quant_type"):
        n.only(name, "NONE", _NORMS)
    for name in ("kv_cache_bit_width", "qk_output", "sliding_window_cache"):
        n.only(name, 0, "export for the CPU, with a cache in floats")
    if len(n.outputs) > 3 and n.outputs[3]:
        raise Unsupported("its output of scores", "export for inference")


def _projections(b: Builder, inputs: list[str], heads: int, kv_heads: int) -> list[str]:
    """Queries, keys and values, which may be one operand."""
    q, k, v = inputs[:3]
    if k and v:
        return [q, k, v]
    if k or v or b.extents(q)[2] is None:
        raise Unsupported("keys or values alone", "give query, key and value, or one operand of "
                          "all three whose shape is known")
    depth = b.extents(q)[2] // (heads + 2 * kv_heads)
    return b.ops("Split", [q], 3, axis=2,
                 sizes=[heads * depth, kv_heads * depth, kv_heads * depth])


def _position(b: Builder, past: str, lengths: str, rows: str) -> str:
    """How many rows are before those of this run: seqlens_k + 1 - rows, or 0 where the cache is
    empty, as prompts may be padded on the right."""
    lengths = b.op("Cast", b.op("Reshape", lengths, dim=[-1]), to="i64")
    one, zero = (b.add_const(np.array([k]), "i64", "number") for k in (1, 0))
    before = b.op("Eltwise", b.op("Eltwise", lengths, one, type="SUM"), rows, type="SUB")
    if not past:
        return b.op("Eltwise", lengths, zero, type="PROD")
    if b.is_state(past):
        return before
    length = b.op("Shape", past, start=2, end=3)
    is_empty = b.op("Compare", length, zero, type="EQUAL")
    return b.op("Select", is_empty, zero, before)


def _turned(b: Builder, n: SourceNode, parts: _Parts, tables: list[str], rows: str
            ) -> tuple[str, str]:
    """Queries and keys turned by their positions, of which only the first one is given."""
    cos, sin, places = tables
    if not cos or not sin:
        raise Unsupported("do_rotary is 1 without cosines and sines", "export them as operands")
    first = b.op("ExpandDims", parts.position, axis=[1])
    if places:
        zero, one, axis = (b.add_const(np.array([k]), "i64", "number") for k in (0, 1, 1))
        first = b.op("Slice", b.op("Cast", places, to="i64"), zero, one, axis)
    zero, one = (b.add_const(np.array(k), "i64", "number") for k in (0, 1))
    numbers = b.op("Range", zero, b.op("Squeeze", rows, axis=[0]), one)
    places = b.op("Eltwise", first, numbers, type="SUM")
    cos, sin = (b.op("ExpandDims", b.op("Gather", table, places, axis=0), axis=[1])
                for table in (cos, sin))
    size = b.extents(cos)[-1]
    if size is None:
        raise Unsupported("the width of its cosines is not known", "export them as constants")
    q, k = b.ops("RotaryEmbedding", [cos, sin, parts.q, parts.k], 2,
                 heads=[parts.heads, parts.kv_heads], size=2 * size,
                 interleaved=n.flag("rotary_interleaved"))
    return q, k


def _cached(b: Builder, past: str, x: str, parts: _Parts) -> str:
    """The rows of the cache and behind them those of this run."""
    if not past:
        return _by_heads(b, x, parts.kv_heads)
    if not b.is_state(past):  # its capacity is what it holds
        x = _by_heads(b, x, parts.kv_heads)
        past = b.op("Concat", past, x, axis=2)
    return b.op("UpdateKvCache", past, x, parts.position)


def _by_heads(b: Builder, x: str, heads: int) -> str:
    """[batch, rows, hidden] as [batch, heads, rows, hidden / heads]"""
    if b.rank(x) == 4:
        return x
    return b.op("Transpose", b.op("Reshape", x, dim=[0, 0, heads, -1]), dims=[0, 2, 1, 3])
