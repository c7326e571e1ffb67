"""Checks of shapes that several inference rules share. Parts of a shape may be unknown.

SPDX-License-Identifier: Apache-2.0

Errors of all functions: ValueError. Something unknown is never an error.
"""

import math
from collections.abc import Sequence

from mace_tools.convert.ops.common.view import View
from mace_tools.graph.ir import Shape


def require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def axis_of(axis: int, rank: int) -> int:
    """A non-negative axis."""
    require(-rank <= axis < rank, f"axis {axis} is out of range for rank {rank}")
    return axis % rank


def axes_of(axes: Sequence[int], rank: int) -> list[int]:
    """The same for several axes, none of which may appear twice."""
    found = [axis_of(a, rank) for a in axes]
    require(len(set(found)) == len(found), f"axes {list(axes)} name one of rank {rank} twice")
    return found


def product(dims: Shape) -> int | None:
    return None if any(d is None for d in dims) else math.prod(dims)  # type: ignore[arg-type]


def fits(a: Shape | None, b: Shape | None) -> bool:
    """Whether two shapes may be the same."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))


def same(a: int | None, b: int | None) -> bool:
    return a is None or b is None or a == b


def check_elements(x: Shape, idx: Shape | None, axis: int) -> None:
    """Indices of elements along an axis: they have the rank of x, and are no larger than x along
    the other axes."""
    require(idx is None or len(idx) == len(x) and all(
        k == axis or i is None or d is None or i <= d for k, (i, d) in enumerate(zip(idx, x))),
        f"idx {idx} may be larger than {x} only along axis {axis}")


def with_rank(v: View, i: int, rank: int, what: str) -> Shape:
    """The shape of an operand that must have this rank."""
    x = v.shape(i)
    require(x is None or len(x) == rank, f"operand {i} must be {what}")
    return (None,) * rank if x is None else x


def check_vector(v: View, i: int, extent: int | None) -> None:
    """Operand `i`, if present, must have one dimension of this extent."""
    if v.has(i):
        require(fits(v.shape(i), (extent,)), f"operand {i} must be [{extent}]")


def check_single(v: View, i: int) -> None:
    """Operand `i`, if present, must have one element."""
    if v.has(i):
        x = v.shape(i)
        require(x is None or product(x) in (1, None), f"operand {i} must have one element")


def broadcast(*shapes: Shape | None) -> Shape | None:
    """NumPy's rule; an unknown extent stays unknown unless the other side decides it."""
    if any(s is None for s in shapes):
        return None
    known = [s for s in shapes if s is not None]
    rank = max((len(s) for s in known), default=0)
    result: list[int | None] = []
    for axis in range(-rank, 0):
        dims = [s[axis] for s in known if len(s) >= -axis]
        big = {d for d in dims if d not in (1, None)}
        require(len(big) <= 1, f"shapes {', '.join(map(str, known))} do not broadcast")
        if big:
            result.append(big.pop())
        else:
            result.append(None if None in dims else 1)
    return tuple(result)
