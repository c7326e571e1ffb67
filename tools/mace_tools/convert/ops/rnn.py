"""Rnn: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.recurrent import (
    evaluate_steps,
    infer_states,
    random_shapes,
)
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = random_shapes(gates=1)


def infer(v: View) -> list[Type]:
    return infer_states(v, gates=1, activations=1)


def evaluate(xs, attrs):
    return evaluate_steps(_step, xs, attrs)


def _step(cell, x, h, c):
    return cell.act("cell_activation", x + cell.w_bias + h @ cell.r.T + cell.r_bias), c
