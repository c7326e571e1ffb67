"""Inference of branches, loops and ops whose results have as many elements as the data say.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math

from mace_tools.convert.inference import Type, View, rule
from mace_tools.convert.inference.checks import require
from mace_tools.graph.ir import Shape, Tensor


def common(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape that two shapes have in common: None where they differ."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b))


def _outputs(v: View, attr: str) -> list[Tensor]:
    graph = v.graph.subgraphs[str(v.attr(attr))]
    return [graph.tensors[name] for name in graph.outputs]


@rule("If")
def if_(v: View) -> list[Type]:
    branches = zip(_outputs(v, "then_branch"), _outputs(v, "else_branch"))
    return [(a.dtype, common(a.shape, b.shape)) for a, b in branches]


@rule("Loop")
def loop(v: View) -> list[Type]:
    carried, made = v.attr("carried"), _outputs(v, "body")[1:]
    types: list[Type] = [(t.dtype, common(v.shape(k + 2), t.shape))
                         for k, t in enumerate(made[:carried])]
    return types + [(t.dtype, None if t.shape is None else (None, *t.shape))
                    for t in made[carried:]]


@rule("NonZero")
def non_zero(v: View) -> list[Type]:
    x = v.shape()
    if x is None:
        return [("i64", (None, None)), ("i64", (1,))]
    require(len(x) > 0, "x is a scalar")
    count = None if None in x else math.prod(x)  # type: ignore[arg-type]
    return [("i64", (len(x), count)), ("i64", (1,))]


@rule("Unique")
def unique(v: View) -> list[Type]:
    x = v.shape()
    require(x != (), "x is a scalar")
    each: Type = ("i64", (None if x is None else x[0],))
    return [each, each, each, ("i64", (1,))][: len(v.node.outputs)]
