"""Append: inference.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.checks import axis_of, require
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = (*[lambda x: x] * 3,)
_MIN_CAPACITY = 16


def infer(v: View) -> list[Type]:
    shapes = [v.shape(i) for i in range(3)]
    known = [s for s in shapes if s is not None]
    if not known:
        return [(v.dtype(), None), ("i64", (1,)), (v.dtype(), None)][: len(v.node.outputs)]
    rank = len(known[0])
    require(all(len(s) == rank for s in known), "operands of Append differ in rank")
    axis = axis_of(v.attr("axis"), rank)
    for k in set(range(rank)) - {axis}:
        dims = {s[k] for s in known if s[k] is not None}
        require(len(dims) <= 1, f"operands of Append differ along axis {k}: {dims}")
    capacity, past, rows = (None if s is None else s[axis] for s in shapes)
    require(capacity is None or past is None or past <= capacity,
            f"capacity {capacity} for {past} rows")
    total = None if past is None or rows is None else past + rows
    if capacity is None or total is None:
        wide = None
    else:
        wide = capacity if total <= capacity else max(total, 2 * capacity, _MIN_CAPACITY)
    first = shapes[0] or known[0]
    types: list[Type] = [(v.dtype(), (*first[:axis], wide, *first[axis + 1:])), ("i64", (1,)),
                         (v.dtype(), (*first[:axis], total, *first[axis + 1:]))]
    return types[: len(v.node.outputs)]
