"""QuantizedLstm: inference.

SPDX-License-Identifier: Apache-2.0
"""

import math

from mace_tools.convert.ops.common.checks import check_vector, fits, require, same, with_rank
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> list[Type]:
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
