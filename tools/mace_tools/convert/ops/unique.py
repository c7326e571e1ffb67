"""Unique: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.values import Operands
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> list[Type]:
    x = v.shape()
    require(x != (), "x is a scalar")
    each: Type = ("i64", (None if x is None else x[0],))
    return [each, each, each, ("i64", (1,))][: len(v.node.outputs)]


def evaluate(operands: Operands, attrs: Mapping[str, Any]) -> list[np.ndarray]:
    x = operands[0]
    assert x is not None
    count = len(x)
    # NaN comes behind all numbers and equals nothing: it is told apart by its place.
    rows = [tuple((v != v, i if v != v else v) for v in row.reshape(-1)) for i, row in enumerate(x)]
    order = sorted(range(count), key=lambda i: (rows[i], i))
    first = [i for k, i in enumerate(order) if k == 0 or rows[i] != rows[order[k - 1]]]
    first = first if attrs["sorted"] else sorted(first)
    numbers = {rows[i]: k for k, i in enumerate(first)}
    inverse = [numbers[row] for row in rows]
    lists = [np.array([*values, *[0] * (count - len(values))], np.int64)
             for values in (first, inverse, np.bincount(np.array(inverse, np.int64)))]
    return [*lists, np.array([len(first)], np.int64)][: attrs["num_outputs"]]
