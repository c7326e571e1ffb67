"""Finds LSTM, GRU and RNN cells in loops over the steps of a sequence.

SPDX-License-Identifier: Apache-2.0

    c' = s(..) c + s(..) t(..),  h' = s(..) t(c')                        LSTM
    h' = z h + (1 - z) t(.. + r (h R + b)),  z = s(..), r = s(..)         GRU, or with (r h) R
    h' = t(..)                                                            RNN

where .. is x W + h R + b, s and t are activations, and x is a slice of the sequence, one after the
other. Formulas: those of the engine's ops (mace/ops/lstm.cc, gru.cc, rnn.cc).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mace_tools.convert.passes import fp16_constants
from mace_tools.convert.passes.cell_formula import (
    Activated,
    Atom,
    Formula,
    Operand,
    Product,
    Sum,
    is_gather,
)
from mace_tools.convert.passes.count_loops import Counter, LoopParts, counter, iterations
from mace_tools.convert.passes.extents import extent_of
from mace_tools.convert.passes.match import is_op, only_element, through
from mace_tools.graph.ir import Graph


@dataclass
class _Cell:
    """A node of the engine without its sequence and its first states. Matrices are as in the ops:
    [gates x H, elements]."""

    op: str
    attrs: dict[str, Any]
    w: np.ndarray
    r: np.ndarray
    bias: np.ndarray  # of w, then of r
    states: list[str]  # inputs of the body: h, and c of an LSTM


def recurrent_pattern(graph: Graph) -> None:
    for node in [n for n in graph.nodes if n.op == "Loop"]:
        loop = LoopParts(graph, node)
        count = iterations(loop)
        if count is None:
            continue
        sequence = _sequence(loop, count)
        cell = _cell(loop, sequence[1]) if sequence is not None else None
        if sequence is not None and cell is not None:
            _replace(loop, sequence[0], cell, count)


def _sequence(loop: LoopParts, count: int | str) -> tuple[str, str] | None:
    """The tensor around the loop whose slices the body reads, one for each iteration, and the slice
    in the body."""
    counters = {loop.formal(k) for k in range(loop.carried) if counter(loop, k) == Counter(0, 1)}
    counters.add(loop.body.inputs[0])
    found = [n for n in loop.body.nodes if is_gather(n) and n.inputs[1] in counters
             and loop.outside(n.inputs[0]) and loop.body.rank(n.inputs[1]) == 0]
    if len(found) != 1:
        return None
    x = loop.outside(found[0].inputs[0])
    shape = loop.graph.shape(x)
    if shape is None or len(shape) != 3 or shape[2] is None:
        return None
    if isinstance(count, int):
        return (x, found[0].outputs[0]) if shape[0] == count else None
    same = extent_of(loop.graph, count)
    return (x, found[0].outputs[0]) if same is not None and same == extent_of(
        loop.graph, x, 0) else None


def _cell(loop: LoopParts, x: str) -> _Cell | None:
    states = [k for k in range(loop.carried) if counter(loop, k) is None
              and loop.body.consumers(loop.formal(k))]
    names = [loop.formal(k) for k in states]
    formula = Formula(loop.body, [(x, x), *((loop.formal(k), loop.next(k)) for k in states)])
    if len(formula.operands) != 1 + len(names):
        return None
    nexts = [formula.read(loop.next(k)) for k in states]
    if any(n is None for n in nexts):
        return None
    operands = [formula.operands[n] for n in (x, *names)]
    if len(states) == 1:
        return _gru(operands[0], operands[1], nexts[0]) or _rnn(*operands, nexts[0])
    if len(states) == 2:
        return (_lstm(operands[0], operands[1], operands[2], nexts[0], nexts[1])
                or _lstm(operands[0], operands[2], operands[1], nexts[1], nexts[0]))
    return None


def _gate(atom: Atom | None, x: Operand, h: Operand) -> Activated | None:
    """An activation of x W + h R + b."""
    fits = isinstance(atom, Activated) and atom.width == h.width and all(
        a in (x, h) for a in atom.x.terms)
    return atom if fits else None  # type: ignore[return-value]


def _factors(total: Sum | None) -> list[tuple[Sum, Sum]]:
    """The products of which a tensor is the sum; [] if it is another."""
    if total is None or total.bias is not None:
        return []
    found = [(a.a, a.b) for a, factor in total.terms.items()
             if isinstance(a, Product) and _is_one(factor)]
    return found if len(found) == len(total.terms) else []


def _orders(pair: tuple[Sum, Sum]) -> list[tuple[Sum, Sum]]:
    return [pair, pair[::-1]]


def _matrices(gates: list[Sum], x: Operand, h: Operand) -> tuple[np.ndarray, np.ndarray,
                                                                np.ndarray]:
    return (np.concatenate([g.matrix(x).T for g in gates]),
            np.concatenate([g.matrix(h).T for g in gates]),
            np.concatenate([g.offset() for g in gates]))


def _kinds(*activated: Activated) -> str | None:
    """The activation that all of these have."""
    kinds = {a.kind for a in activated}
    return kinds.pop() if len(kinds) == 1 else None


def _lstm(x: Operand, h: Operand, c: Operand, new_h: Sum | None, new_c: Sum | None
          ) -> _Cell | None:
    products, outputs = _factors(new_c), _factors(new_h)
    if len(products) != 2 or len(outputs) != 1 or h.width != c.width:
        return None
    for kept, added in (products, products[::-1]):
        f = next((_gate(a.alone(), x, h) for a, b in _orders(kept) if b.alone() is c), None)
        o = next((( _gate(a.alone(), x, h), b.alone()) for a, b in _orders(outputs[0])
                  if isinstance(b.alone(), Activated) and b.alone().x is new_c), None)
        for first, second in _orders(added):
            i, g = _gate(first.alone(), x, h), _gate(second.alone(), x, h)
            if f is None or o is None or o[0] is None or i is None or g is None:
                continue
            gates = _kinds(i, f, o[0])
            if gates is None:
                continue
            w, r, bias = _matrices([i.x, o[0].x, f.x, g.x], x, h)
            attrs = {"gate_activation": gates, "cell_activation": g.kind,
                     "output_activation": o[1].kind}  # type: ignore[union-attr]
            return _Cell("Lstm", attrs, w, r, np.concatenate([bias, np.zeros_like(bias)]),
                         [h.name, c.name])
    return None


def _gru(x: Operand, h: Operand, new: Sum | None) -> _Cell | None:
    products = _factors(new)
    if len(products) != 2:
        return None
    for kept, added in (products, products[::-1]):
        z = next((_gate(a.alone(), x, h) for a, b in _orders(kept) if b.alone() is h), None)
        n = next((b.alone() for a, b in _orders(added) if z is not None and _is_rest(a, z)), None)
        if z is None or not isinstance(n, Activated) or n.width != h.width:
            continue
        found = _reset(n.x, x, h)
        if found is None:
            continue
        r, of_x, of_h, attrs = found
        gates = _kinds(z, r)
        if gates is None:
            continue
        w, rec, bias = _matrices([z.x, r.x], x, h)
        return _Cell("Gru", {"gate_activation": gates, "cell_activation": n.kind, **attrs},
                     np.concatenate([w, of_x.matrix(x).T]),
                     np.concatenate([rec, of_h.matrix(h).T]),
                     np.concatenate([bias, of_x.offset(), np.zeros_like(bias), of_h.offset()]),
                     [h.name])
    return None


def _is_rest(total: Sum, z: Activated) -> bool:
    """Whether this is 1 - z."""
    factor = total.terms.get(z)
    return (len(total.terms) == 1 and isinstance(factor, float) and factor == -1.0
            and total.bias is not None and bool(np.all(total.bias == 1)))


_Reset = tuple[Activated, Sum, Sum, dict[str, Any]]


def _reset(total: Sum, x: Operand, h: Operand) -> _Reset | None:
    """x W + b + r (h R + c), or x W + (r h) R + b: r, the two sums."""
    rest = {a: f for a, f in total.terms.items() if not isinstance(a, Product)}
    products = [a for a in total.terms if isinstance(a, Product)]
    if len(products) != 1 or any(a is not x for a in rest):
        return None
    of_x = Sum(total.width, rest, total.bias)
    pairs = [(_gate(a.alone(), x, h), b) for a, b in _orders((products[0].a, products[0].b))]
    for r, inner in pairs if _is_one(total.terms[products[0]]) else ():
        if r is not None and all(a is h for a in inner.terms) and inner.alone() is not h:
            return r, of_x, inner, {"linear_before_reset": 1}
    for r, inner in pairs:
        if r is not None and inner.alone() is h:
            return r, of_x, Sum(total.width, {h: total.matrix(products[0])}), {}
    return None


def _is_one(factor: float | np.ndarray) -> bool:
    return isinstance(factor, float) and factor == 1.0


def _rnn(x: Operand, h: Operand, new: Sum | None) -> _Cell | None:
    gate = _gate(None if new is None else new.alone(), x, h)
    if gate is None:
        return None
    w, r, bias = _matrices([gate.x], x, h)
    return _Cell("Rnn", {"cell_activation": gate.kind}, w, r,
                 np.concatenate([bias, np.zeros_like(bias)]), [h.name])


# --- in place of the loop ---


def _replace(loop: LoopParts, x: str, cell: _Cell, count: int | str) -> None:
    """The results of the loop by the node, if all that anything reads can be had from it."""
    graph, node = loop.graph, loop.node
    plans = [_result(loop, k, cell, count) for k in range(len(node.outputs))]
    if None in plans:
        return
    firsts = []
    for name in cell.states:
        firsts.append(graph.add("ExpandDims", [loop.first(loop.body.inputs.index(name) - 2)],
                                axis=[0]).outputs[0])
    weights = [graph.add_const(f"{node.name}/{what}", value[None].astype(np.float32))
               for what, value in (("w", cell.w), ("r", cell.r), ("bias", cell.bias))]
    kind = fp16_constants.kind_of(loop.body.tensors.values()) or fp16_constants.kind_of(
        graph.tensors[name] for name in node.inputs if name)
    fp16_constants.keep(kind, (graph.tensors[name] for name in weights))
    names = [graph.fresh(f"{node.name}/{what}") for what in ("steps", "h", "c")]
    graph.remove(node)
    made = graph.add(cell.op, [x, *weights, "", *firsts],
                     names if cell.op == "Lstm" else names[:2], node.name, **cell.attrs)
    for out, plan in zip(node.outputs, plans):
        if plan == "steps":
            graph.add("Squeeze", [made.outputs[0]], [out], out, axis=[1])
        elif plan in ("h", "c"):
            graph.add("Squeeze", [made.outputs["hc".index(plan) + 1]], [out], out, axis=[0])
        elif plan == "list":
            graph.add("Identity", [made.outputs[1]], [out], out)
        elif isinstance(plan, int):
            dtype = graph.tensors[out].dtype
            value = graph.add_const(f"{node.name}/last", np.array(plan), dtype)
            graph.add("Identity", [value], [out], out)


def _result(loop: LoopParts, k: int, cell: _Cell, count: int | str) -> str | int | None:
    """What result k of the loop is of the node: "steps", "h", "c", "list" (h, as a list of one), a
    number, or "" if nothing reads it."""
    graph, out = loop.graph, loop.node.outputs[k]
    if not graph.consumers(out) and out not in graph.outputs:
        return ""
    new_h = loop.next(loop.body.inputs.index(cell.states[0]) - 2)
    if k >= loop.carried:
        return "steps" if _same(loop.body, loop.next(k), new_h) else None
    if loop.formal(k) in cell.states:
        return "hc"[cell.states.index(loop.formal(k))]
    found = counter(loop, k)
    if found is not None:
        return found.start + found.step * count if isinstance(count, int) else None
    some = isinstance(count, int) and count > 0 or _is_zero(loop, cell)
    return "list" if some and _same(
        loop.body, only_element(loop.body, through(loop.body, loop.next(k))), new_h) else None


def _is_zero(loop: LoopParts, cell: _Cell) -> bool:
    """Whether h is 0 at first, so that a list of it is right even after no iteration."""
    first = loop.first(loop.body.inputs.index(cell.states[0]) - 2)
    value, node = loop.graph.const(first), loop.graph.producer(first)
    return not value.any() if value is not None else is_op(node, "Fill", value=0.0)


def _same(body: Graph, a: str, b: str) -> bool:
    return through(body, a) == through(body, b) != ""
