"""NumPy evaluation of recurrent ops, step by step.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.convert.reference import op
from mace_tools.convert.reference.elementwise import activate

_DEFAULTS = {"AFFINE": (1, 0), "SCALEDTANH": (1, 1), "THRESHOLDEDRELU": (1, 0),
             "LEAKYRELU": (0.01, 0), "ELU": (1, 0), "HARDSIGMOID": (0.2, 0.5), "RELUX": (6, 0)}
_NORM_EPSILON = 1e-8


class _Cell:
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


def _rnn(cell, x, h, c):
    return cell.act("cell_activation", x + cell.w_bias + h @ cell.r.T + cell.r_bias), c


def _gru(cell, x, h, c):
    xz, xr, xn = np.split(x + cell.w_bias, 3, axis=-1)
    rz, rr, rn = np.split(cell.r, 3)
    bz, br, bn = np.split(cell.r_bias, 3)
    z = cell.act("gate_activation", xz + h @ rz.T + bz)
    r = cell.act("gate_activation", xr + h @ rr.T + br)
    if cell.attrs["linear_before_reset"]:
        n = xn + r * (h @ rn.T + bn)
    else:
        n = xn + (r * h) @ rn.T + bn
    return (1 - z) * cell.act("cell_activation", n) + z * h, c


def _lstm(cell, x, h, c):
    size = c.shape[-1]
    sums, bias = x + h @ cell.r.T, cell.w_bias + cell.r_bias
    peepholes, norm, attrs = cell.of(7), cell.of(10), cell.attrs

    def gate(k, peephole=None, state=None):
        part = slice(k * size, (k + 1) * size)
        total = sums[:, part]
        if peepholes is not None and peephole is not None:
            total = total + peepholes[peephole * size : (peephole + 1) * size] * state
        if norm is not None:
            mean = total.mean(-1, keepdims=True)
            variance = ((total - mean) ** 2).mean(-1, keepdims=True)
            total = (total - mean) / np.sqrt(variance + _NORM_EPSILON) * norm[part]
        return total + bias[part]

    i = cell.act("gate_activation", gate(0, 0, c))
    f = 1 - i if attrs["input_forget"] else cell.act("gate_activation", gate(2, 2, c))
    c = f * c + i * cell.act("cell_activation", gate(3))
    c = _bounded(c, attrs["cell_clip"])
    o = cell.act("gate_activation", gate(1, 1, c))
    h = o * cell.act("output_activation", c)
    if cell.of(8) is not None:
        h = _bounded(h @ cell.of(8).T + cell.of(9, 0), attrs["projection_clip"])
    return h, c


def _bounded(x, limit):
    return np.clip(x, -limit, limit) if limit else x


_STEPS = {"Rnn": _rnn, "Gru": _gru, "Lstm": _lstm}


def _direction(name, xs, attrs, d):
    """All states [T,B,P], the last one, and the last cells, of one direction."""
    cell = _Cell(xs, attrs, d)
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
    c = initial(6, xs[1].shape[1] // 4) if name == "Lstm" else np.zeros((batch, 0))
    backward = d == 1 or attrs["direction"] == "REVERSE"
    y = np.zeros((steps, *h.shape))
    for t in reversed(range(steps)) if backward else range(steps):
        active = (t < lens)[:, None]
        new_h, new_c = _STEPS[name](cell, projected[t], h, c)
        h, c = np.where(active, new_h, h), np.where(active, new_c, c)
        y[t] = np.where(active, h, 0)
    return y, h, c


def _recurrent(name):
    def evaluate(xs, attrs):
        count = 2 if attrs["direction"] == "BIDIRECTIONAL" else 1
        ys, hs, cs = zip(*(_direction(name, xs, attrs, d) for d in range(count)))
        y = np.stack(ys, 1)
        axis = int(bool(attrs["batch_major"]))
        if axis:
            y = y.transpose(2, 0, 1, 3)
        outputs = [y, np.stack(hs, axis), np.stack(cs, axis)]
        return [o.astype(np.float32) for o in outputs[: attrs["num_outputs"]]]

    return evaluate


for _name in _STEPS:
    op(_name)(_recurrent(_name))
