"""Reduces slices into the rows that ids name, for importers of all formats.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import INT32_MAX, reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.graph.ir import NUMPY


def reduced(b: Builder, data: str, ids: str, shape: list[int], rank: int, kind: str) -> str:
    """The slices of `data` behind its first `rank` axes, each reduced (SUM, PROD, MIN, MAX) into
    the row of the result that its id names. `shape`: that of the result, rows first. Ids out of
    range name no row; a row that none names has the neutral element."""
    rows, kind_of_ids = shape[0], b.dtype(ids)
    if rows < 0:
        raise ValueError(f"{rows} segments, of which there must be at least 0")
    if rows >= INT32_MAX:
        raise Unsupported(f"{rows} rows of the result, of which there may be {INT32_MAX - 1}",
                          "the ids may be wrong: a result of this size fits into no memory")
    flat = reshape(b, ids, [-1]) if rank != 1 else ids
    none = [b.op("Compare", flat, b.add_const(np.array(limit), kind_of_ids), type=test)
            for limit, test in ((0, "LESS"), (rows, "GREATER_EQUAL"))]
    own = b.op("Select", b.op("Logical", *none, type="OR"),
               b.add_const(np.array(rows), kind_of_ids), flat)
    if rank != 1:
        data = b.op("Reshape", data, dim=[-1, *shape[1:]])
    dtype = NUMPY[b.dtype(data)]
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    neutral = {"SUM": 0, "PROD": 1, "MAX": limits.min, "MIN": limits.max}[kind]
    whole = b.add_const(np.array([rows + 1, *shape[1:]], np.int32), name="shape")
    start = b.op("Expand", b.add_const(np.array(neutral, dtype), name="neutral"), whole)
    made = b.op("ScatterNd", start, b.op("ExpandDims", own, axis=[1]), data, reduction=kind)
    return b.op("Slice", made, starts=[0], ends=[rows], axes=[0])
