"""Finds where the body of a loop writes one element of a list that the loop carries.

SPDX-License-Identifier: Apache-2.0

    ScatterNd(list, i, element)                               TensorFlow
    Concat(list[0 : i], element, list[i + 1 :])               TFLite
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from mace_tools.convert.passes.match import is_op, only_element, through
from mace_tools.graph.ir import Graph, Node

_OPEN = (1 << 31) - 1  # a bound that stands for the end
_MAX_NUMBERS = 64
_MAX_NESTED = 8


@dataclass(frozen=True)
class Write:
    """list[i] = item in iteration i, or list[0] = item in a list of one."""

    item: str
    size: str = ""  # the tensor with the number of elements, if the list may be a 0 for all of them
    always_first: bool = False


def written(body: Graph, old: str, new: str, counters: Collection[str]) -> Write | None:
    """How the list `old` becomes `new`; None if it does in another way. `counters` hold the number
    of the iteration."""
    node = body.producer(through(body, new))
    if is_op(node, "ScatterNd", reduction="NONE"):
        return _scattered(body, node, old, counters)
    return _joined(body, node, old, counters) if is_op(node, "Concat", axis=0) else None


def _scattered(body: Graph, node: Node, old: str, counters: Collection[str]) -> Write | None:
    whole, at, element = node.inputs
    size, spread = "", body.producer(whole)
    if is_op(spread, "Expand") and len(spread.inputs) == 2:
        size = _first_extent(body, spread.inputs[1])
        whole = spread.inputs[0]
        if not size:
            return None
    item = _item(body, element)
    if whole != old or not item or len(body.consumers(old)) != 1:
        return None
    place = body.const(at)
    if place is not None:
        return Write(item, size, True) if place.shape == (1, 1) and not place.any() else None
    index = body.producer(at)
    known = is_op(index, "Reshape") and body.tensors[at].static_shape == (1, 1)
    return Write(item, size) if known and index.inputs[0] in counters else None


def _first_extent(body: Graph, shape: str) -> str:
    """n of Concat([n], ...)."""
    node = body.producer(shape)
    if not is_op(node, "Concat"):
        return ""
    first = node.inputs[0]
    maker = body.producer(first)
    return maker.inputs[0] if is_op(maker, "Reshape") else first


def _item(body: Graph, element: str) -> str:
    """x of x[None], whatever the shape of x is in another run."""
    node = body.producer(element)
    return only_element(body, element) if node is not None and len(node.inputs) == 1 else ""


def _joined(body: Graph, node: Node, old: str, counters: Collection[str]) -> Write | None:
    if len(node.inputs) != 3:
        return None
    before, after = (_range(body, name, old, counters) for name in node.inputs[::2])
    item = _item(body, node.inputs[1])
    if not item or before != (_Number(0), _Number(0, 1)) or after is None:
        return None
    start, end = after
    fits = start == _Number(1, 1) and end.times == 0 and end.plus >= _OPEN
    readers = {id(n) for n in body.consumers(old)}
    slices = {id(body.producer(name)) for name in node.inputs[::2]}
    return Write(item) if fits and readers == slices else None


@dataclass(frozen=True)
class _Number:
    """plus + times * i, of an iteration i that is not negative."""

    plus: int
    times: int = 0


def _range(body: Graph, name: str, old: str,
           counters: Collection[str]) -> tuple[_Number, _Number] | None:
    """What a Slice of the list takes along axis 0, if it takes all of the others."""
    node, rank = body.producer(name), body.rank(old)
    if not is_op(node, "Slice") or node.inputs[0] != old or len(node.inputs) != 3 or rank is None:
        return None
    starts, ends = (_numbers(body, i, counters) for i in node.inputs[1:])
    if starts is None or ends is None or not len(starts) == len(ends) == rank:
        return None
    for start, end in zip(starts[1:], ends[1:]):
        if start != _Number(0) or end.times or end.plus < _OPEN:
            return None
    return starts[0], ends[0]


def _numbers(body: Graph, name: str, counters: Collection[str], depth: int = _MAX_NESTED
             ) -> list[_Number] | None:
    """A small integer tensor, as far as it is computed from the number of the iteration, by so many
    nodes one after the other."""
    if name in counters:
        return [_Number(0, 1)]
    value = body.const(name)
    if value is not None:
        return [_Number(int(v)) for v in value.reshape(-1)] if value.size <= _MAX_NUMBERS else None
    node = body.producer(name)
    if node is None or depth == 0:
        return None
    if node.op in ("Identity", "Reshape", "ExpandDims", "Squeeze", "Cast"):
        return _numbers(body, node.inputs[0], counters, depth - 1)
    if node.op == "Select":
        return _selected(body, node, counters, depth - 1)
    if node.op != "Concat" and not is_op(node, "Eltwise", type="SUM"):
        return None
    parts: list[list[_Number]] = []
    for i in node.inputs:
        part = _numbers(body, i, counters, depth - 1)
        if part is None or sum(map(len, parts)) > _MAX_NUMBERS:
            return None
        parts.append(part)
    if node.op == "Concat":
        return [number for part in parts for number in part]
    pairs = _paired(parts[0], parts[1])
    return None if pairs is None else [_Number(a.plus + b.plus, a.times + b.times)
                                       for a, b in pairs]


def _paired(a: list[_Number], b: list[_Number]) -> list[tuple[_Number, _Number]] | None:
    if len(a) == 1 or len(b) == 1:
        count = max(len(a), len(b))
        a, b = a * (count if len(a) == 1 else 1), b * (count if len(b) == 1 else 1)
    return list(zip(a, b)) if len(a) == len(b) else None


def _selected(body: Graph, node: Node, counters: Collection[str], depth: int
              ) -> list[_Number] | None:
    chosen = _signs(body, node.inputs[0], counters, depth)
    sides = [_numbers(body, i, counters, depth) for i in node.inputs[1:]]
    if chosen is None or None in sides:
        return None
    pairs = _paired(*sides)  # type: ignore[arg-type]
    if pairs is None or len(pairs) != len(chosen):
        return None
    return [pair[0] if c else pair[1] for c, pair in zip(chosen, pairs)]


def _signs(body: Graph, name: str, counters: Collection[str], depth: int) -> list[bool] | None:
    """Constant truth values, or x < 0 where the sign of x is the same in each iteration."""
    value = body.const(name)
    if value is not None:
        return [bool(v) for v in value.reshape(-1)]
    node = body.producer(name)
    if not is_op(node, "Compare", type="LESS"):
        return None
    limit, numbers = body.const(node.inputs[1]), _numbers(body, node.inputs[0], counters, depth)
    if limit is None or np.any(limit != 0) or numbers is None:
        return None
    signs = []
    for number in numbers:
        if number.plus >= 0 and number.times >= 0:
            signs.append(False)
        elif number.plus < 0 and number.times <= 0:
            signs.append(True)
        else:
            return None
    return signs
