"""Lstm: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.recurrent import (
    evaluate_steps,
    infer_states,
    random_shapes,
)
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = random_shapes(gates=4)
_NORM_EPSILON = 1e-8


def infer(v: View) -> list[Type]:
    return infer_states(v, gates=4, activations=3, cells=True)


def evaluate(xs, attrs):
    return evaluate_steps(_step, xs, attrs, has_cells=True)


def _step(cell, x, h, c):
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
