"""Tensors [batch, heads, rows, depth], or [batch, rows, heads * depth].

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.checks import require
from mace_tools.graph.ir import Shape


def heads_of(x: Shape | None, heads: int) -> tuple[int | None, ...]:
    """[batch, heads, rows, depth]"""
    if x is None:
        return (None, heads or None, None, None)
    if len(x) == 4:
        require(heads in (0, x[1]) or x[1] is None, f"{x} must have {heads} heads")
        return x
    require(len(x) == 3 and heads > 0 and (x[2] is None or x[2] % heads == 0),
            f"{x} must have {heads} heads")
    return (x[0], heads, x[1], None if x[2] is None else x[2] // heads)


def by_heads(x, count):
    return x.reshape(*x.shape[:2], count, -1).swapaxes(1, 2)
