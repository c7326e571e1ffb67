"""KV caches: rows of float32, float16, or of int8 that end with their scale, a float32.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import require, same
from mace_tools.convert.ops.common.view import View

SCALE_BYTES = 4


def without_scales(heads: tuple[int | None, ...], v: View, i: int) -> tuple[int | None, ...]:
    """[batch, heads, rows, depth] of operand i, whose depth counts no scales."""
    depth = heads[3]
    if v.dtype(i) != "i8" or depth is None:
        return heads
    require(len(v.shape(i) or ()) == 4 and depth >= SCALE_BYTES,
            f"a KV cache of int8 must be [batch, heads, rows, depth + 4], it is {v.shape(i)}")
    return (*heads[:3], depth - SCALE_BYTES)


def check_position(v: View, i: int, batch: int | None) -> None:
    if not v.has(i) or v.shape(i) is None:
        return
    shape = v.shape(i)
    require(len(shape) == 1 and (shape[0] == 1 or same(shape[0], batch)),  # type: ignore[arg-type,index]
            f"position {shape} must have 1 or {batch} elements")


def floats_of(rows: np.ndarray) -> np.ndarray:
    """The floats of rows of a cache."""
    if rows.dtype != np.int8:
        return rows.astype(np.float32)
    scales = np.ascontiguousarray(rows[..., -SCALE_BYTES:]).view("<f4")
    return rows[..., :-SCALE_BYTES] * scales


def stored(rows: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Rows of floats as they lie in a cache."""
    if dtype != np.int8:
        with np.errstate(over="ignore"):
            return rows.astype(dtype)
    largest = np.abs(rows).max(-1, keepdims=True, initial=0).astype(np.float32)
    inverse = np.divide(np.float32(127), largest, where=largest > 0, out=np.zeros_like(largest))
    values = np.rint(rows * inverse).astype(np.int8)
    scales = np.ascontiguousarray(largest / np.float32(127)).view(np.int8)
    return np.concatenate([values, scales], -1)
