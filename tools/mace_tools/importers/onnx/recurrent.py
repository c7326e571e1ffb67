"""RNN, GRU and LSTM, unrolled over their steps.

SPDX-License-Identifier: Apache-2.0

The products with the input are computed for all steps at once; only those with the state remain in
the loop. Formulas: ONNX RNN-14, GRU-14, LSTM-14.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from mace_tools.errors import ModelError
from mace_tools.importers.builder import Builder
from mace_tools.importers.onnx import registry
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode

MOST_STEPS = 512
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
_ACTIVATIONS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
_KINDS = {"Sigmoid": "SIGMOID", "Tanh": "TANH", "Relu": "RELU", "Softsign": "SOFTSIGN",
          "Softplus": "SOFTPLUS"}


@dataclass
class Cell:
    """One direction: its weights by gate, and its activations."""

    b: Builder
    hidden: int
    recurrent: np.ndarray  # [gates * hidden, hidden]
    recurrent_bias: np.ndarray
    kinds: list[str]
    peepholes: list[str] = field(default_factory=list)  # input, output, forget
    linear_before_reset: bool = False

    def act(self, x: str, k: int) -> str:
        return self.b.op("Activation", x, activation=self.kinds[k])

    def sum(self, *xs: str) -> str:
        return reduce(lambda x, y: self.b.op("Eltwise", x, y, type="SUM"), xs)

    def product(self, x: str, y: str) -> str:
        return self.b.op("Eltwise", x, y, type="PROD")

    def state(self, h: str, first: int, last: int) -> str:
        """h times the recurrent weights of gates [first, last), plus their bias."""
        rows = slice(first * self.hidden, last * self.hidden)
        return self.b.op("FullyConnected", h, self.b.add_const(self.recurrent[rows]),
                         self.b.add_const(self.recurrent_bias[rows]))

    def gates(self, x: str, count: int) -> list[str]:
        return self.b.ops("Split", [x], count, axis=1) if count > 1 else [x]


def rnn_step(c: Cell, x: str, h: str, _: str) -> tuple[str, str]:
    return c.act(c.sum(x, c.state(h, 0, 1)), 0), ""


def gru_step(c: Cell, x: str, h: str, _: str) -> tuple[str, str]:
    xz, xr, xh = c.gates(x, 3)
    z, r = c.gates(c.act(c.sum(c.b.op("Concat", xz, xr, axis=1), c.state(h, 0, 2)), 0), 2)
    if c.linear_before_reset:
        new = c.sum(xh, c.product(r, c.state(h, 2, 3)))
    else:
        new = c.sum(xh, c.state(c.product(r, h), 2, 3))
    new = c.act(new, 1)
    # (1 - z) * new + z * h
    return c.sum(new, c.product(z, c.b.op("Eltwise", h, new, type="SUB"))), ""


def lstm_step(c: Cell, x: str, h: str, s: str) -> tuple[str, str]:
    i, o, f, g = c.gates(c.sum(x, c.state(h, 0, 4)), 4)
    if c.peepholes:
        i = c.sum(i, c.product(c.peepholes[0], s))
        f = c.sum(f, c.product(c.peepholes[2], s))
    s = c.sum(c.product(c.act(f, 0), s), c.product(c.act(i, 0), c.act(g, 1)))
    if c.peepholes:
        o = c.sum(o, c.product(c.peepholes[1], s))
    return c.product(c.act(o, 0), c.act(s, 2)), s


STEPS: dict[str, Callable[[Cell, str, str, str], tuple[str, str]]] = {
    "RNN": rnn_step, "GRU": gru_step, "LSTM": lstm_step}


@registry.op("RNN", "GRU", "LSTM")
def recurrent(b: Builder, n: SourceNode) -> list[str]:
    inputs = [*n.inputs, *[""] * 8][:8]
    batch_first = n.flag("layout", 0)
    x = b.transpose(inputs[0], [1, 0, 2]) if batch_first else inputs[0]
    _check(b, n, x, inputs)
    direction = n.attr("direction", "forward")
    backward = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    runs = [_run(b, n, x, inputs, d, back) for d, back in enumerate(backward)]
    steps, last_h, last_c = ([run[k] for run in runs] for k in range(3))
    y = b.op("Stack", *[b.op("Stack", *s, axis=0) for s in steps], axis=1)  # [T, D, B, H]
    if batch_first:
        y = b.transpose(y, [2, 0, 1, 3])
    ends = [b.op("Stack", *state, axis=int(batch_first)) for state in (last_h, last_c) if state[0]]
    return [y, *ends]


def _check(b: Builder, n: SourceNode, x: str, inputs: list[str]) -> None:
    shape, lengths = b.shape(x), b.const(inputs[4])
    if shape is None or shape[0] is None or shape[1] is None:
        raise Unsupported("the number of steps or the batch is not known", "give input_shapes")
    if shape[0] > MOST_STEPS:
        raise Unsupported(f"{shape[0]} steps, at most {MOST_STEPS} are unrolled",
                          "run the model on shorter sequences")
    if inputs[4] and (lengths is None or (lengths != shape[0]).any()):
        raise Unsupported("sequences of different lengths", "run them one by one")
    computed = [i for i in (*inputs[1:4], inputs[7]) if i and b.const(i) is None]
    if computed:
        made_of = ", ".join(f"'{name}'" for name in b.inputs_of(computed[0]))
        made_of = made_of or "constants that are too large"
        raise Unsupported(f"its weights '{computed[0]}' are computed while the model runs, from "
                          f"{made_of}", "make the weights constants of the source model")
    for name in ("clip", "input_forget", "activation_alpha", "activation_beta"):
        if n.attr(name):
            raise Unsupported(f"attribute {name}", f"export the model without {name}")
    hidden = b.const(inputs[2]).shape[-1]
    if n.attr("hidden_size", hidden) != hidden:
        raise ModelError(f"{n.op} '{n.name}': hidden_size is {n.attr('hidden_size')}, its "
                         f"recurrent weights are for {hidden}")
    for kind in n.attr("activations") or []:
        if kind not in _KINDS:
            raise Unsupported(f"activation {kind}", f"use one of {', '.join(_KINDS)}")


def _run(
    b: Builder, n: SourceNode, x: str, inputs: list[str], d: int, back: bool
) -> tuple[list[str], str, str]:
    """One direction: the states of all steps, and the last hidden and cell state."""
    w, r = b.const(inputs[1])[d], b.const(inputs[2])[d]
    hidden, half = r.shape[1], w.shape[0]
    bias = b.const(inputs[3])[d] if inputs[3] else np.zeros(2 * half, w.dtype)
    per = len(_ACTIVATIONS[n.op])
    kinds = [_KINDS[k] for k in (n.attr("activations") or _ACTIVATIONS[n.op] * (d + 1))]
    cell = Cell(b, hidden, r, bias[half:], kinds[d * per : (d + 1) * per],
                linear_before_reset=bool(n.flag("linear_before_reset", 0)))
    if inputs[7]:
        cell.peepholes = [b.add_const(p) for p in np.split(b.const(inputs[7])[d], 3)]
    count, batch = b.shape(x)[:2]
    all_steps = b.op("FullyConnected", x, b.add_const(w), b.add_const(bias[:half]))
    parts = b.ops("Unstack", [all_steps], count, axis=0)
    h, s = (_initial(b, n, name, d, (batch, hidden)) for name in inputs[5:7])
    steps = [""] * count
    for t in reversed(range(count)) if back else range(count):
        h, s = STEPS[n.op](cell, parts[t], h, s)
        steps[t] = h
    return steps, h, s


def _initial(b: Builder, n: SourceNode, name: str, d: int, shape: tuple[int, int]) -> str:
    if not name:
        return b.add_const(np.zeros(shape), b.dtype(n.inputs[0]), name="zero_state")
    index = b.add_const(np.array(d, np.int32), name="direction")
    return b.op("Gather", name, index, axis=1 if n.flag("layout", 0) else 0)
