"""Inference of recurrent ops.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math

from mace_tools.convert.inference import Type, View, rule
from mace_tools.convert.inference.checks import check_vector, fits, require, same, with_rank
from mace_tools.graph.ir import Shape

_GATES = {"Rnn": 1, "Gru": 3, "Lstm": 4}
_ACTIVATIONS = {"Rnn": 1, "Gru": 2, "Lstm": 3}


@rule("Rnn", "Gru", "Lstm")
def recurrent(v: View) -> list[Type]:
    op, batch_major = v.node.op, bool(v.attr("batch_major"))
    gates = _GATES[op]
    _check_attributes(v)
    x = with_rank(v, 0, 3, "[steps, batch, inputs]")
    steps, batch = (x[1], x[0]) if batch_major else (x[0], x[1])
    w = with_rank(v, 1, 3, "[directions, gates * hidden, inputs]")
    r = with_rank(v, 2, 3, "[directions, gates * hidden, state]")
    directions = 2 if v.attr("direction") == "BIDIRECTIONAL" else 1
    require(fits(w, (directions, r[1], x[2])), f"the weights are {w}")
    require(fits(r, (directions, w[1], None)), f"the recurrent weights are {r}")
    rows = w[1] if w[1] is not None else r[1]
    require(rows is None or rows % gates == 0, f"{rows} is no multiple of {gates} gates")
    hidden = None if rows is None else rows // gates
    outputs = r[2]
    require(all(d != 0 for d in (hidden, outputs, x[2], w[2])), "an extent is 0")
    _check(v, 3, (directions, None if rows is None else 2 * rows))
    check_vector(v, 4, batch)
    _check(v, 5, _state(directions, batch, outputs, batch_major))
    if op == "Lstm":
        _check_lstm(v, directions, batch, hidden, outputs, batch_major)
    if op != "Lstm" or not v.has(8):
        require(same(hidden, outputs), f"the state has {outputs} elements, a gate {hidden}")
        hidden = outputs = hidden if outputs is None else outputs
    y = (batch, steps, directions, outputs) if batch_major else (steps, directions, batch, outputs)
    types: list[Type] = [(v.dtype(), y),
                         (v.dtype(), _state(directions, batch, outputs, batch_major))]
    if op == "Lstm":
        types.append((v.dtype(), _state(directions, batch, hidden, batch_major)))
    return types[: len(v.node.outputs)]


@rule("QuantizedLstm")
def quantized_lstm(v: View) -> list[Type]:
    x = with_rank(v, 0, 3, "[steps, batch, inputs]")
    steps, batch = (x[1], x[0]) if v.attr("batch_major") else (x[0], x[1])
    w, r = with_rank(v, 1, 2, "[4 * hidden, inputs]"), with_rank(v, 2, 2, "[4 * hidden, hidden]")
    hidden = r[1]
    rows = None if hidden is None else 4 * hidden
    require(fits(w, (rows, x[2])) and same(r[0], rows), f"the weights are {w} and {r}")
    check_vector(v, 3, rows)
    for i in (4, 5):
        require(fits(v.shape(i), (batch, hidden)), f"a state is {v.shape(i)}")
    require(math.isfinite(v.attr("cell_clip")) and v.attr("cell_clip") >= 0, "cell_clip")
    y = (batch, steps, hidden) if v.attr("batch_major") else (steps, batch, hidden)
    types: list[Type] = [("i8", y), ("i8", (batch, hidden)), ("i16", (batch, hidden))]
    return types[: len(v.node.outputs)]


def _check_attributes(v: View) -> None:
    op = v.node.op
    for name in ("clip", "cell_clip", "projection_clip") if op == "Lstm" else ("clip",):
        value = v.attr(name)
        require(math.isfinite(value) and value >= 0, f"{name} is {value}")
    for name in ("activation_alpha", "activation_beta"):
        value = v.attr(name)
        require(len(value) in (0, _ACTIVATIONS[op]), f"{name} has {len(value)} entries")
        require(all(map(math.isfinite, value)), f"{name} is {value}")


def _check_lstm(v: View, directions: int, batch: int | None, hidden: int | None,
                outputs: int | None, batch_major: bool) -> None:
    _check(v, 6, _state(directions, batch, hidden, batch_major))
    _check(v, 7, (directions, None if hidden is None else 3 * hidden))
    _check(v, 8, (directions, outputs, hidden))
    require(v.has(8) or not v.has(9), "a projection bias needs a projection")
    _check(v, 9, (directions, outputs))
    _check(v, 10, (directions, None if hidden is None else 4 * hidden))


def _state(directions: int, batch: int | None, width: int | None, batch_major: bool) -> Shape:
    return (batch, directions, width) if batch_major else (directions, batch, width)


def _check(v: View, i: int, shape: Shape) -> None:
    """Operand `i`, if present, must have this shape."""
    if v.has(i):
        require(fits(v.shape(i), shape), f"operand {i} is {v.shape(i)}, it must be {shape}")
