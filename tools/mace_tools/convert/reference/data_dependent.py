"""Ops whose results have as many elements as the data say, in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mace_tools.convert.reference import Operands, op


@op("NonZero")
def non_zero(operands: Operands, attrs: Mapping[str, Any]) -> list[np.ndarray]:
    x = operands[0]
    assert x is not None
    found = np.array(np.nonzero(x), np.int64)
    indices = np.zeros((x.ndim, x.size), np.int64)
    indices[:, : found.shape[1]] = found
    return [indices, np.array([found.shape[1]], np.int64)][: attrs["num_outputs"]]


@op("Unique")
def unique(operands: Operands, attrs: Mapping[str, Any]) -> list[np.ndarray]:
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
