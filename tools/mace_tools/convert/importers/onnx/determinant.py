"""Determinants: by the definition up to 3 x 3, else by elimination with pivots.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.rare import matrix
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError

BY_DEFINITION = 3
MAX = 64  # rows: each adds some 20 nodes to the graph


@registry.op("Det")
def det(b: Builder, n: SourceNode) -> str:
    """Of up to 64 x 64 elements: by the definition up to 3 x 3, else by elimination with pivots"""
    x = n.inputs[0]
    rows, columns = matrix(b, n)
    if rows != columns:
        raise ModelError(f"Det '{n.name}': its matrices are {rows} x {columns}; they must be "
                         "square")
    if rows > MAX:
        raise Unsupported(f"a determinant of {rows} x {rows} elements",
                          f"up to {MAX} x {MAX} can be converted")
    if rows == 0:
        batch = b.op("Shape", x, output_type="i64", start=0, end=-2)
        return b.op("Fill", batch, value=1.0, dtype=b.dtype(x))
    return _by_definition(b, x, rows) if rows <= BY_DEFINITION else _by_elimination(b, x, rows)


def _by_definition(b: Builder, x: str, count: int) -> str:
    rank = b.rank(x)

    def element(row: int, column: int) -> str:
        cell = b.op("Slice", x, starts=[row, column], ends=[row + 1, column + 1],
                    axes=[rank - 2, rank - 1])
        return b.op("Squeeze", cell, axis=[rank - 2, rank - 1])

    total = ""
    for order in itertools.permutations(range(count)):
        part = element(0, order[0])
        for row in range(1, count):
            part = b.op("Eltwise", part, element(row, order[row]), type="PROD")
        odd = sum(a > c for a, c in itertools.combinations(order, 2)) % 2
        total = b.op("Eltwise", total, part, type="SUB" if odd else "SUM") if total else part
    return total


def _by_elimination(b: Builder, x: str, count: int) -> str:
    """The product of the pivots, each the largest element of the first column that is left."""
    kind = b.dtype(x)
    zero, one, less = (b.add_const(np.array(v), kind) for v in (0, 1, -1))
    batch = b.op("Shape", x, output_type="i64", start=0, end=-2)
    left = b.op("Reshape", x, dim=[-1, count, count])  # [N, rows, columns]
    total = ""
    for size in range(count, 0, -1):
        first = b.op("Slice", left, starts=[0], ends=[1], axes=[2])
        best = b.op("ArgMax", b.op("Unary", first, type="ABS"), axis=1, keepdims=1)  # [N, 1, 1]
        numbers = b.add_const(np.arange(size).reshape(1, size, 1), "i64", "numbers")
        chosen = b.op("Compare", numbers, best, type="EQUAL")
        row = b.op("Reduce", b.op("Select", chosen, left, zero), reduce_type="SUM", axis=[1],
                   keepdims=1)
        pivot = b.op("Slice", row, starts=[0], ends=[1], axes=[2])
        is_first = b.op("Compare", best, b.add_const(np.array(0), "i64"), type="EQUAL")
        factor = b.op("Eltwise", pivot, b.op("Select", is_first, one, less), type="PROD")
        total = b.op("Eltwise", total, factor, type="PROD") if total else factor
        if size == 1:
            break
        # The first row takes the place of the pivot's, and the others lose their first element.
        top = b.op("Slice", left, starts=[0], ends=[1], axes=[1])
        rest = b.op("Slice", b.op("Select", chosen, top, left), starts=[1], ends=[size], axes=[1])
        none = b.op("Compare", pivot, zero, type="EQUAL")  # the determinant is 0, whatever follows
        by = b.op("Eltwise", b.op("Slice", rest, starts=[0], ends=[1], axes=[2]),
                  b.op("Select", none, one, pivot), type="DIV")
        left = b.op("Eltwise", rest, b.op("Eltwise", by, row, type="PROD"), type="SUB")
        left = b.op("Slice", left, starts=[1], ends=[size], axes=[2])
    return b.op("Reshape", total, batch)
