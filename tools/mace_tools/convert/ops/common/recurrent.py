"""Rnn, Gru and Lstm: inference, and the loop over their steps in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Callable

import numpy as np

from mace_tools.convert.ops.common.activations import activate
from mace_tools.convert.ops.common.checks import check_vector, fits, require, same, with_rank
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.graph.ir import Shape

_DEFAULTS = {"AFFINE": (1, 0), "SCALEDTANH": (1, 1), "THRESHOLDEDRELU": (1, 0),
             "LEAKYRELU": (0.01, 0), "ELU": (1, 0), "HARDSIGMOID": (0.2, 0.5), "RELUX": (6, 0)}


def infer_states(v: View, gates: int, activations: int, cells: bool = False) -> list[Type]:
    """The states of all steps, the last one, and the last cells of an op that has cells. `gates`
    and `activations` say how many of each it has."""
    batch_major = bool(v.attr("batch_major"))
    _check_attributes(v, activations, cells)
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
    if cells:
        _check_cells(v, directions, batch, hidden, outputs, batch_major)
    if not cells or not v.has(8):
        require(same(hidden, outputs), f"the state has {outputs} elements, a gate {hidden}")
        hidden = outputs = hidden if outputs is None else outputs
    y = (batch, steps, directions, outputs) if batch_major else (steps, directions, batch, outputs)
    types: list[Type] = [(v.dtype(), y),
                         (v.dtype(), _state(directions, batch, outputs, batch_major))]
    if cells:
        types.append((v.dtype(), _state(directions, batch, hidden, batch_major)))
    return types[: len(v.node.outputs)]


def _check_attributes(v: View, activations: int, cells: bool) -> None:
    for name in ("clip", "cell_clip", "projection_clip") if cells else ("clip",):
        value = v.attr(name)
        require(math.isfinite(value) and value >= 0, f"{name} is {value}")
    for name in ("activation_alpha", "activation_beta"):
        value = v.attr(name)
        require(len(value) in (0, activations), f"{name} has {len(value)} entries")
        require(all(map(math.isfinite, value)), f"{name} is {value}")


def _check_cells(v: View, directions: int, batch: int | None, hidden: int | None,
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


class Cell:
    """One direction of a node: its attributes, and its operands by index."""

    def __init__(self, xs, attrs, d):
        self.attrs, self.d = attrs, d
        self.operands = [*xs, *[None] * 11][:11]
        self.r = xs[2][d].astype(np.float64)
        gates = self.r.shape[0]
        bias = self.of(3, np.zeros(2 * gates))
        self.w_bias, self.r_bias = bias[:gates], bias[gates:]

    def of(self, i, default=None):
        x = self.operands[i]
        return default if x is None else x[self.d].astype(np.float64)

    def act(self, name, x):
        """The activation of this attribute, of x within the clip."""
        index = [a for a in ("gate_activation", "cell_activation", "output_activation")
                 if a in self.attrs].index(name)
        kind, clip = self.attrs[name], self.attrs["clip"]
        if clip and name != "output_activation":
            x = np.clip(x, -clip, clip)
        alpha, beta = _DEFAULTS.get(kind, (0, 0))
        if self.attrs["activation_alpha"]:
            alpha = self.attrs["activation_alpha"][index]
        if self.attrs["activation_beta"]:
            beta = self.attrs["activation_beta"][index]
        if kind == "AFFINE":
            return alpha * x + beta
        if kind == "SCALEDTANH":
            return alpha * np.tanh(beta * x)
        if kind == "THRESHOLDEDRELU":
            return np.where(x > alpha, x, 0)
        return activate(x, {"activation": kind, "max_limit": alpha, "activation_coefficient": alpha,
                            "hardsigmoid_beta": beta})


# The next states and cells, of a projected input, the states and the cells.
Step = Callable[[Cell, np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def evaluate_steps(step: Step, xs, attrs, has_cells: bool = False):
    count = 2 if attrs["direction"] == "BIDIRECTIONAL" else 1
    ys, hs, cs = zip(*(_direction(step, has_cells, xs, attrs, d) for d in range(count)))
    y = np.stack(ys, 1)
    axis = int(bool(attrs["batch_major"]))
    if axis:
        y = y.transpose(2, 0, 1, 3)
    outputs = [y, np.stack(hs, axis), np.stack(cs, axis)]
    return [o.astype(np.float32) for o in outputs[: attrs["num_outputs"]]]


def _direction(step, has_cells, xs, attrs, d):
    """All states [T,B,P], the last one, and the last cells, of one direction."""
    cell = Cell(xs, attrs, d)
    x = xs[0].swapaxes(0, 1) if attrs["batch_major"] else xs[0]
    steps, batch = x.shape[:2]
    lens = np.full(batch, steps) if cell.operands[4] is None else cell.operands[4]
    projected = x.astype(np.float64) @ xs[1][d].T.astype(np.float64)

    def initial(i, width):
        state = cell.operands[i]
        if state is None:
            return np.zeros((batch, width))
        return (state[:, d] if attrs["batch_major"] else state[d]).astype(np.float64)

    h = initial(5, xs[2].shape[2])
    c = initial(6, xs[1].shape[1] // 4) if has_cells else np.zeros((batch, 0))
    backward = d == 1 or attrs["direction"] == "REVERSE"
    y = np.zeros((steps, *h.shape))
    for t in reversed(range(steps)) if backward else range(steps):
        active = (t < lens)[:, None]
        new_h, new_c = step(cell, projected[t], h, c)
        h, c = np.where(active, new_h, h), np.where(active, new_c, c)
        y[t] = np.where(active, h, 0)
    return y, h, c


def random_shapes(gates: int) -> tuple[Callable[[tuple[int, ...]], tuple[int, ...]], ...]:
    """Operands for a state of 2 elements in one direction, with time first."""
    def state(x: tuple[int, ...]) -> tuple[int, ...]:
        return (1, x[1] if len(x) > 1 else 1, 2)

    return (lambda x: (*x, 2, 3, 4)[:3], lambda x: (1, 2 * gates, (*x, 2, 3, 4)[2]),
            lambda x: (1, 2 * gates, 2), lambda x: (1, 4 * gates), lambda x: state(x)[1:2], state,
            state, lambda x: (1, 6), lambda x: (1, 2, 2), lambda x: (1, 2), lambda x: (1, 8))
