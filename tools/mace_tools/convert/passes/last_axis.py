"""Follows the elements of a tensor's last axis, one by one, to the tensors that they come from.

SPDX-License-Identifier: Apache-2.0

Exporters take an axis apart (Slice, Split, Gather, Reshape to pairs), compute with the parts, and
join them again (Concat, Stack, Reshape). All axes before the last one are left alone by what is
followed here; other nodes end the way.
"""

from dataclasses import dataclass
from typing import Union

import numpy as np

from mace_tools.convert.passes.match import is_op, plain
from mace_tools.convert.passes.rows import reshape_dims
from mace_tools.graph.ir import Graph, Node

Factor = tuple[str, int]  # an element of the last axis of a tensor
Term = tuple[int, tuple[Factor, ...]]  # a sign and what it multiplies

_MAX_ELEMENTS = 1024  # of an axis
_MAX_STEPS = 16


@dataclass
class _Grid:
    """The axes of a tensor behind the first `lead` ones: each element a tuple of terms, which are
    added."""

    terms: np.ndarray
    lead: int
    like: frozenset[str]  # tensors with the same first `lead` extents


# By tensor, `lead`, and whether sums are followed.
_Seen = dict[tuple[str, int, bool], Union[_Grid, None]]


def elements(graph: Graph, name: str) -> list[tuple[Term, ...]] | None:
    """Each element of the last axis as a sum of products of two elements of other tensors, or as a
    single element; None if it is neither. All have the axes before the last one in common, to which
    factors may broadcast."""
    rank = graph.rank(name)
    found = None if not rank else _sums(graph, name, rank - 1, {}, _MAX_STEPS)
    return None if found is None or found.terms.ndim != 1 else list(found.terms)


def _sums(graph: Graph, name: str, lead: int, seen: _Seen, steps: int) -> _Grid | None:
    """Sums of products, and what is only moved, behind the first `lead` axes. Each tensor is
    followed once."""
    key = (name, lead, True)
    if key not in seen:
        seen[key] = _followed_sums(graph, name, lead, seen, steps)
    return seen[key]


def _followed_sums(graph: Graph, name: str, lead: int, seen: _Seen, steps: int) -> _Grid | None:
    node = graph.producer(name)
    if node is None or steps == 0:
        return None
    if is_op(node, "Eltwise") and plain(node) and len(node.inputs) == 2:
        if node.attrs["type"] == "PROD":
            return _product(graph, node, lead, seen, steps - 1)
        if node.attrs["type"] not in ("SUM", "SUB"):
            return None
        a, b = (_sums(graph, n, lead, seen, steps - 1) for n in node.inputs)
        if a is None or b is None or a.terms.shape != b.terms.shape or a.lead != b.lead:
            return None
        if any(len(s) + len(t) > 2 for s, t in zip(a.terms.flat, b.terms.flat)):
            return None
        sign = -1 if node.attrs["type"] == "SUB" else 1
        return _each(a, lambda s, t: s + _times(t, sign), b)
    found = [_sums(graph, n, lead, seen, steps - 1) or _moved(graph, n, lead, seen, steps - 1)
             for n in _parts(node)]
    return _rearranged(graph, node, name, found)


def _product(graph: Graph, node: Node, lead: int, seen: _Seen, steps: int) -> _Grid | None:
    # What broadcasts may have fewer axes.
    a, b = (_moved(graph, n, min(lead, (graph.rank(n) or 1) - 1), seen, steps)
            for n in node.inputs)
    if a is None or b is None or a.terms.shape != b.terms.shape:
        return None
    # The operand that the other one broadcasts to.
    for one in (a, b):
        of = node.inputs[0 if one is a else 1]
        shape, result = graph.shape(of), graph.shape(node.outputs[0])
        if shape and result and one.lead == lead and shape[:lead] == result[:lead]:
            return _each(_Grid(a.terms, one.lead, one.like | {node.outputs[0]}),
                         lambda s, t: ((s[0][0] * t[0][0], (*s[0][1], *t[0][1])),), b)
    return None


def _moved(graph: Graph, name: str, lead: int, seen: _Seen, steps: int) -> _Grid | None:
    """Elements of one tensor in another order, perhaps negated."""
    key = (name, lead, False)
    if key not in seen:
        seen[key] = _followed_moves(graph, name, lead, seen, steps)
    return seen[key]


def _followed_moves(graph: Graph, name: str, lead: int, seen: _Seen, steps: int) -> _Grid | None:
    node = graph.producer(name)
    if node is not None and steps > 0:
        found = _rearranged(graph, node, name,
                            [_moved(graph, n, lead, seen, steps - 1) for n in _parts(node)])
        if found is not None and len({t[0][1][0][0] for t in found.terms.reshape(-1)}) == 1:
            return found
    shape = graph.shape(name)
    if (not shape or len(shape) != lead + 1 or shape[-1] is None
            or not 0 < shape[-1] <= _MAX_ELEMENTS):
        return None
    terms = np.empty(shape[-1], object)
    terms[:] = [((1, ((name, i),)),) for i in range(shape[-1])]
    return _Grid(terms, len(shape) - 1, frozenset([name]))


def _parts(node: Node) -> list[str]:
    """The operands whose elements a node may move."""
    if node.op in ("Concat", "Stack"):
        return node.inputs
    moves = ("Slice", "Split", "Unary", "ExpandDims", "Squeeze", "Reshape", "Gather", "Unstack")
    return node.inputs[:1] if node.op in moves else []


def _rearranged(graph: Graph, node: Node, name: str, parts: list[_Grid | None]) -> _Grid | None:
    if not parts or any(p is None for p in parts):
        return None
    known = [p for p in parts if p is not None]
    x = known[0]
    if is_op(node, "Unary", type="NEG"):
        return _each(x, lambda s, _: _times(s, -1))
    rank = graph.rank(node.inputs[0])
    if rank is None or rank != x.lead + x.terms.ndim:
        return None
    terms = None
    if node.op in ("Concat", "Stack"):
        axis = _behind(node.attr("axis"), rank + (node.op == "Stack"), x.lead)
        shapes = {(p.lead, p.terms.ndim) for p in known}
        if axis is not None and len(shapes) == 1:
            join = np.concatenate if node.op == "Concat" else np.stack
            terms = _tried(lambda: join([p.terms for p in known], axis))
    elif node.op == "Slice" and len(node.inputs) == 1:
        terms = _sliced(node, x, rank)
    elif node.op in ("Split", "Unstack"):
        terms = _part(graph, node, name, x, rank)
    elif node.op == "Gather":
        axis, at = _behind(node.attr("axis"), rank, x.lead), graph.const(node.inputs[1])
        if axis is not None and at is not None and at.ndim < 2:
            terms = _tried(lambda: np.take(x.terms, at.astype(np.int64), axis))
    elif node.op in ("ExpandDims", "Squeeze"):
        terms = _with_axes(node, x, rank)
    elif node.op == "Reshape":
        terms = _reshaped(graph, node, x)
    if not isinstance(terms, np.ndarray) or not 0 < terms.size <= _MAX_ELEMENTS:
        return None
    return _Grid(terms, x.lead, frozenset.union(*(p.like for p in known)) | {name})


def _behind(axis: int, rank: int, lead: int) -> int | None:
    """An axis, counted from `lead`; None for one before."""
    axis = axis + rank if axis < 0 else axis
    return axis - lead if axis >= lead else None


def _tried(make):  # type: ignore[no-untyped-def]
    """What NumPy makes of it, None where shapes or indices do not fit."""
    try:
        return make()
    except (ValueError, IndexError):
        return None


def _sliced(node: Node, x: _Grid, rank: int) -> np.ndarray | None:
    starts, ends = node.attr("starts"), node.attr("ends")
    axes = node.attr("axes") or list(range(len(starts)))
    ranges = [slice(None)] * x.terms.ndim
    for k, a in enumerate(axes):
        axis = _behind(a, rank, x.lead)
        if axis is None:
            return None
        step = (node.attr("steps") or [1] * len(starts))[k]
        if step < 1:
            return None
        ranges[axis] = slice(starts[k], ends[k], step)
    return x.terms[tuple(ranges)]


def _part(graph: Graph, node: Node, name: str, x: _Grid, rank: int) -> np.ndarray | None:
    axis, k = _behind(node.attr("axis"), rank, x.lead), node.outputs.index(name)
    if axis is None:
        return None
    if node.op == "Unstack":
        return _tried(lambda: np.take(x.terms, k, axis))
    ends = []
    for out in node.outputs:
        shape = graph.shape(out)
        extent = None if shape is None else shape[x.lead + axis]
        if extent is None:
            return None
        ends.append(extent + (ends[-1] if ends else 0))
    if ends[-1] != x.terms.shape[axis]:
        return None
    return np.split(x.terms, ends[:-1], axis)[k]


def _with_axes(node: Node, x: _Grid, rank: int) -> np.ndarray | None:
    """With axes of 1 added or removed."""
    axes = [_behind(a, rank + len(node.attr("axis")) * (node.op == "ExpandDims"), x.lead)
            for a in node.attr("axis")]
    if None in axes or not axes:
        return None
    if node.op == "ExpandDims" and 0 in axes:
        return None  # it belongs to the first axes, as in [batch, rows, 1, angles]
    change = np.expand_dims if node.op == "ExpandDims" else np.squeeze
    return _tried(lambda: change(x.terms, tuple(axes)))  # type: ignore[arg-type]


def _reshaped(graph: Graph, node: Node, x: _Grid) -> np.ndarray | None:
    """Of a Reshape that keeps the first axes: what it divides or joins behind them."""
    dims = reshape_dims(graph, node)
    if dims is None or len(dims) <= x.lead:
        return None
    kept = 0  # of the first axes, those that are proven
    for axis, entry in enumerate(dims[: x.lead]):
        if entry is None or entry == -1:
            continue
        if isinstance(entry, int):
            shape = graph.shape(node.inputs[0])
            kept += entry == 0 or shape is not None and shape[axis] == entry
        else:
            kept += entry.axis == axis and entry.tensor in x.like
    rest = [d if isinstance(d, int) and d > 0 else -1 for d in dims[x.lead:]]
    if any(d != -1 and d is not None and not isinstance(d, int) for d in dims[x.lead:]):
        return None
    if dims.count(-1) > 1 or None in dims or 0 in dims[x.lead:]:
        return None
    if kept == x.lead:
        return _tried(lambda: x.terms.reshape(rest))
    # One of the first axes is -1: it has what the others leave, if these are as before.
    whole = kept == x.lead - 1 and -1 in dims[: x.lead] and np.prod(rest) == x.terms.size
    return x.terms.reshape(rest) if whole else None


def _times(terms: tuple[Term, ...], sign: int) -> tuple[Term, ...]:
    return tuple((sign * s, factors) for s, factors in terms)


def _each(a: _Grid, function, b: _Grid | None = None) -> _Grid:  # type: ignore[no-untyped-def]
    """Applies a function to each element of a, and that of b."""
    terms = np.empty(a.terms.shape, object)
    others = a.terms if b is None else b.terms
    for at in np.ndindex(terms.shape):
        terms[at] = function(a.terms[at], others[at])
    like = a.like if b is None else a.like | b.like if b.lead == a.lead else a.like
    return _Grid(terms, a.lead, like)
