"""UpdateKvCache: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import require, same
from mace_tools.convert.ops.common.heads import by_heads, heads_of
from mace_tools.convert.ops.common.kv_cache import check_position, stored, without_scales
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = (*[lambda x: (*x, 2, 2, 3, 4)[:4]] * 2, lambda x: (1,))


def infer(v: View) -> Type:
    require(v.shape(0) is None or len(v.shape(0)) == 4,  # type: ignore[arg-type]
            f"cache {v.shape(0)} must be [batch, heads, capacity, depth]")
    cache = without_scales(heads_of(v.shape(0), 0), v, 0)
    rows = heads_of(v.shape(1), cache[1] or 0) if v.shape(1) is not None else cache
    require(all(same(rows[k], cache[k]) for k in (0, 1, 3))
            and (rows[2] is None or cache[2] is None or rows[2] <= cache[2]),
            f"rows {rows} do not fit cache {cache}")
    check_position(v, 2, cache[0])
    return v.dtype(), v.shape(0)


def evaluate(xs, attrs):
    del attrs
    cache, rows, position = xs
    rows = rows if rows.ndim == 4 else by_heads(rows, cache.shape[1])
    y, count = cache.copy(), rows.shape[2]
    for n, at in enumerate(np.broadcast_to(position, len(y))):
        if not 0 <= at <= y.shape[2] - count:
            raise IndexError(f"{count} rows at position {at} of {y.shape[2]}")
        y[n, :, at:at + count] = stored(rows[n], y.dtype)
    return y
