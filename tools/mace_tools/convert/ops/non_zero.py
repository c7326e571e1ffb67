"""NonZero: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.values import Operands
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> list[Type]:
    x = v.shape()
    if x is None:
        return [("i64", (None, None)), ("i64", (1,))]
    require(len(x) > 0, "x is a scalar")
    count = None if None in x else math.prod(x)  # type: ignore[arg-type]
    return [("i64", (len(x), count)), ("i64", (1,))]


def evaluate(operands: Operands, attrs: Mapping[str, Any]) -> list[np.ndarray]:
    x = operands[0]
    assert x is not None
    found = np.array(np.nonzero(x), np.int64)
    indices = np.zeros((x.ndim, x.size), np.int64)
    indices[:, : found.shape[1]] = found
    return [indices, np.array([found.shape[1]], np.int64)][: attrs["num_outputs"]]
