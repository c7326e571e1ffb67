"""Gru: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.recurrent import (
    evaluate_steps,
    infer_states,
    random_shapes,
)
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = random_shapes(gates=3)


def infer(v: View) -> list[Type]:
    return infer_states(v, gates=3, activations=2)


def evaluate(xs, attrs):
    return evaluate_steps(_step, xs, attrs)


def _step(cell, x, h, c):
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
