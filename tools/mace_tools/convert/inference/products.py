"""Inference of matrix products and reductions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.convert.inference import Type, View, rule
from mace_tools.convert.inference.checks import (
    axes_of,
    axis_of,
    broadcast,
    check_vector,
    product,
    require,
    same,
    with_rank,
)
from mace_tools.graph.ir import Shape


@rule("FullyConnected")
def fully_connected(v: View) -> Type:
    x = v.shape(0)
    out, columns = with_rank(v, 1, 2, "[O,K]")
    require(out != 0 and columns != 0, "the weight has an extent of 0")
    check_vector(v, 2, out)
    if x is None:
        return v.dtype(), None
    require(len(x) >= 1, "x must have a dimension")
    rows = product(x[1:])
    if len(x) <= 2 or x[-1] is not None and x[-1] == columns:
        require(same(x[-1], columns), f"x {x} does not split into rows of {columns}")
        return v.dtype(), (*x[:-1], out)
    if x[-1] is None or columns is None:
        return v.dtype(), None  # of two dimensions, or as many as x has
    require(same(rows, columns), f"x {x} does not split into rows of {columns}")
    return v.dtype(), (x[0], out)


@rule("MatMul")
def matmul(v: View) -> Type:
    a, b = v.shape(0), v.shape(1)
    require(a != () and b != (), "operands need a dimension")
    if a is None or b is None:
        return v.dtype(), None
    if len(a) >= 2 and v.attr("transpose_a"):
        a = (*a[:-2], a[-1], a[-2])
    if len(b) >= 2 and v.attr("transpose_b"):
        b = (*b[:-2], b[-1], b[-2])
    inner = (a[-1], b[-2] if len(b) > 1 else b[0])
    require(same(*inner), f"inner extents {inner[0]} and {inner[1]} differ")
    batch = broadcast(a[:-2], b[:-2]) or ()
    return v.dtype(), (*batch, *(a[-2:-1] if len(a) > 1 else ()), *(b[-1:] if len(b) > 1 else ()))


@rule("Reduce")
def reduce(v: View) -> Type:
    axes = v.ints(1, "axis")
    if axes is None:
        x = v.shape()
        return v.dtype(), None if x is None or not v.attr("keepdims") else (None,) * len(x)
    return v.dtype(), reduced(v.shape(), axes, bool(v.attr("keepdims")))


def reduced(x: Shape | None, axes: list[int], keepdims: bool) -> Shape | None:
    if x is None:
        return None if axes or keepdims else ()
    gone = set(axes_of(axes, len(x))) if axes else set(range(len(x)))
    if keepdims:
        return tuple(1 if k in gone else d for k, d in enumerate(x))
    return tuple(d for k, d in enumerate(x) if k not in gone)


@rule("ArgMax")
def arg_max(v: View) -> Type:
    x, axis = v.shape(), v.attr("axis")
    if x is not None:
        require(x[axis_of(axis, len(x))] != 0, f"axis {axis} of {x} has no elements")
    return str(v.attr("output_type")), reduced(x, [axis], bool(v.attr("keepdims")))
