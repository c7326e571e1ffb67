"""Reads of lookup tables with constant contents, which the reader gives them as operands.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tensorflow.tables import FIND
from mace_tools.graph.ir import NUMPY

MAX_ROWS = 1 << 20  # of a table that has a row for each number between its keys
MAX_ELEMENTS = 1 << 24  # of the comparisons of all operands with all keys


@registry.op(*FIND)
def find(b: Builder, n: SourceNode) -> str:
    """The value of a key, of a table with constant keys and values"""
    if len(n.inputs) != 4:
        raise Unsupported("a table of texts, or one whose contents are not constants of the file",
                          "look up in the app: name the tensor after it in input_tensors")
    x, default, keys, values = n.inputs
    known, rows = b.const(keys), b.const(values)
    if known is None or rows is None or known.dtype.kind != "i" or known.ndim != 1:
        raise Unsupported(f"keys of {b.dtype(keys)}", "look up in the app: name the tensor after "
                          "it in input_tensors")
    other = b.const(default)
    low, high = (int(known.min()), int(known.max())) if known.size else (1, 0)
    limits = np.iinfo(NUMPY[b.dtype(x)])
    if other is None or high - low > MAX_ROWS or low == limits.min or high == limits.max:
        return _compared(b, x, default, keys, values)
    table = np.empty((high - low + 3, *rows.shape[1:]), rows.dtype)
    table[:] = other
    table[known - (low - 1)] = rows
    for kind, limit in (("MAX", low - 1), ("MIN", high + 1), ("SUB", low - 1)):
        x = b.op("Eltwise", x, b.add_const(np.array(limit), b.dtype(x), "limit"), type=kind)
    return b.op("Gather", b.add_const(table, b.dtype(values), "table"), x, axis=0)


def _compared(b: Builder, x: str, default: str, keys: str, values: str) -> str:
    """By comparing with each key."""
    extents, count = b.extents(x), b.extents(keys)[0]
    if None in extents or np.prod(extents, dtype=np.float64) * (count or 0) > MAX_ELEMENTS or (
            b.rank(values) != 1):
        raise Unsupported(f"{extents} numbers in a table of {count} keys that lie far apart",
                          "give input_shapes, or look up in the app: name the tensor after it in "
                          "input_tensors")
    own = b.op("Compare", b.op("ExpandDims", x, axis=[-1]), keys, type="EQUAL")
    place = b.op("ArgMax", b.op("Cast", own, to="i32"), axis=-1, keepdims=0, output_type="i32")
    found = b.op("Gather", values, place, axis=0)
    return b.op("Select", b.op("Reduce", own, reduce_type="ANY", axis=[-1]), found, default)
