"""Rows of tables: embeddings, sums of embeddings, and tables with keys.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np
import tflite

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_ints, fixed_shape, reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.segments import reduced
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry

_SUM, _MEAN, _SQRTN = (getattr(tflite.CombinerType, c) for c in ("SUM", "MEAN", "SQRTN"))


@registry.op("EMBEDDING_LOOKUP")
def embedding_lookup(b: Builder, n: SourceNode) -> str:
    ids, table = n.inputs[:2]
    return b.op("Gather", table, ids, axis=0, from_start=1)


@registry.op("EMBEDDING_LOOKUP_SPARSE")
def embedding_lookup_sparse(b: Builder, n: SourceNode) -> str:
    """Sums of rows of a table with weights, by the place of each id in a sparse matrix"""
    ids, indices, dense_shape, weights, table = n.inputs[:5]
    outer = fixed_ints(b, dense_shape, "shape")[:-1]
    inner = fixed_shape(b, table)[1:]
    if not outer:
        raise ValueError("a sparse matrix of 1 axis, of which there must be 2 or more")
    kind, combiner = b.dtype(indices), n.attr("Combiner", _SUM)
    rank = len(outer)
    places = b.op("Slice", indices, starts=[0], ends=[rank], axes=[1])
    steps = [math.prod(outer[k + 1 :]) for k in range(rank)]
    flat = b.op("Eltwise", places, b.add_const(np.array(steps), kind, "steps"), type="PROD")
    rows = b.op("Reduce", flat, reduce_type="SUM", axis=[1])
    wide = reshape(b, weights, [-1] + [1] * len(inner))
    scaled = b.op("Eltwise", b.op("Gather", table, ids, axis=0, from_start=1), wide, type="PROD")
    count = math.prod(outer)
    total = reduced(b, scaled, rows, [count, *inner], 1, "SUM")
    if combiner != _SUM:
        if combiner not in (_MEAN, _SQRTN):
            raise ValueError(f"the combiner {combiner}, which is none of SUM, MEAN and SQRTN")
        parts = wide if combiner == _MEAN else b.op("Eltwise", wide, wide, type="PROD")
        divisor = reduced(b, parts, rows, [count] + [1] * len(inner), 1, "SUM")
        if combiner == _SQRTN:
            divisor = b.op("Unary", divisor, type="SQRT")
        empty = b.op("Compare", divisor, b.add_const(np.float32(0)), type="EQUAL")
        divisor = b.op("Select", empty, b.add_const(np.float32(1)), divisor)
        total = b.op("Eltwise", total, divisor, type="DIV")
    return reshape(b, total, [*outer, *inner])


@registry.op("HASHTABLE_LOOKUP")
def hashtable_lookup(b: Builder, n: SourceNode) -> list[str]:
    """The row of each key, or zeros where there is no such key, and whether there is"""
    wanted, keys, values = n.inputs[:3]
    rank = len(fixed_shape(b, values))
    if fixed_shape(b, keys)[0] < 1:
        raise Unsupported("a table without keys", "remove the table from the source model")
    same = b.op("Compare", b.op("ExpandDims", wanted, axis=[1]), keys, type="EQUAL")
    found = b.op("Cast", same, to="i32")
    hits = b.op("Reduce", found, reduce_type="MAX", axis=[1])
    row = b.op("ArgMax", found, axis=1, keepdims=0, output_type="i32")
    rows = b.op("Gather", values, row, axis=0)
    is_there = b.op("Cast", hits, to="bool")
    if rank > 1:
        is_there = reshape(b, is_there, [-1] + [1] * (rank - 1))
    zero = b.add_const(np.array(0), b.dtype(values), "zero")
    return [b.op("Select", is_there, rows, zero), b.op("Cast", hits, to="u8")]
