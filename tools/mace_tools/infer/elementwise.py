"""Inference of ops whose result has the shape of an operand or of their broadcast.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.infer import Type, View, rule
from mace_tools.ir import Shape


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
        if len(big) > 1:
            raise ValueError(f"shapes {', '.join(map(str, known))} do not broadcast")
        if big:
            result.append(big.pop())
        else:
            result.append(None if None in dims else 1)
    return tuple(result)


@rule("Activation", "BatchNorm", "BiasAdd", "Clip", "Cumsum", "Identity", "InstanceNorm",
      "LayerNorm", "LocalResponseNorm", "LpNorm", "Softmax", "PRelu", "Reverse",
      "ReverseSequence", "ScatterNd", "ChannelShuffle")
def as_input(v: View) -> Type:
    return v.dtype(), v.shape()


@rule("Unary")
def unary(v: View) -> Type:
    is_test = str(v.attr("type")).startswith("IS_")
    return "bool" if is_test else v.dtype(), v.shape()


@rule("Cast")
def cast(v: View) -> Type:
    return str(v.attr("to")), v.shape()


@rule("Eltwise")
def eltwise(v: View) -> Type:
    return v.dtype(), broadcast(v.shape(0), v.shape(1))


@rule("Compare", "Logical")
def compare(v: View) -> Type:
    return "bool", broadcast(*(v.shape(i) for i in range(len(v.node.inputs))))


@rule("Select")
def select(v: View) -> Type:
    return v.dtype(1), broadcast(v.shape(0), v.shape(1), v.shape(2))
