"""Reshape: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.checks import product, require
from mace_tools.convert.ops.common.extents import numbers
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.graph.ir import Shape


def infer(v: View) -> Type:
    dims = v.ints(1, "dim")
    if dims is None:
        dims = numbers(v.graph, v.node.inputs[1])
        return v.dtype(), None if dims is None else partly_reshaped(v.shape(), dims)
    return v.dtype(), reshaped(v.shape(), dims, bool(v.attr("allow_zero")))


def reshaped(x: Shape | None, dims: list[int], allow_zero: bool = False) -> Shape:
    """The shape that Reshape's `dims` mean for an operand of shape x."""
    require(dims.count(-1) <= 1 and min(dims, default=0) >= -1,
            f"shape {dims} may hold one -1 and no other negative")
    out: list[int | None] = [d if d >= 0 else None for d in dims]
    if not allow_zero:
        require(x is None or 0 not in dims[len(x) :],
                f"shape {dims} takes more extents than x {x} has")
        out = [(x[k] if x is not None else None) if d == 0 else d for k, d in enumerate(out)]
    total = None if x is None else product(x)
    rest = product(tuple(d for k, d in enumerate(out) if dims[k] != -1))
    if total is None or rest is None:
        return tuple(out)
    if -1 in dims:
        require(rest != 0 and total % rest == 0, f"{total} elements do not divide into {dims}")
        out[dims.index(-1)] = total // rest
    else:
        require(total == rest, f"{total} elements do not fit into {dims}")
    return tuple(out)


def partly_reshaped(x: Shape | None, dims: list[int | None]) -> Shape:
    """The same where entries of `dims` may be unknown."""
    out = [x[k] if d == 0 and x is not None and k < len(x) else None if d in (-1, 0) else d
           for k, d in enumerate(dims)]
    total, missing = None if x is None else product(x), [k for k, d in enumerate(out) if d is None]
    rest = product(tuple(d for d in out if d is not None))
    if total is not None and len(missing) == 1 and rest and total % rest == 0:
        out[missing[0]] = total // rest
    return tuple(out)


def evaluate(xs, attrs):
    dims = ints(xs, 1, attrs, "dim")
    return xs[0].reshape(reshaped(xs[0].shape, dims, bool(attrs["allow_zero"])))
