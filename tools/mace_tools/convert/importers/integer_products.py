"""Products of integers by operators on floats, exact.

SPDX-License-Identifier: Apache-2.0

Sums of products up to 2^24 are exact in float32; where those of a matrix product can be larger, its
first operand is split into two of 4 bits each.
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.support.errors import Unsupported

REACH = 255  # the largest difference of two quantized values
_EXACT = 1 << 24  # integers that float32 holds
_HALF = 16


def product(b: Builder, x: str, w: str) -> str:
    """The matrix product of integers that are given as floats; exact, as floats if these hold it
    and as int32 otherwise."""
    weights = b.const(w)
    depth = (b.shape(w) or (None,))[-2 if b.rank(w) > 1 else 0]
    if weights is not None:
        most = REACH * np.abs(weights).sum(axis=-2 if weights.ndim > 1 else 0).max(initial=0)
    else:
        most = np.inf if depth is None else float(REACH) ** 2 * depth
    if most < _EXACT:
        return b.op("MatMul", x, w)
    if most >= _EXACT * _HALF:
        raise Unsupported("it adds so many products that float32 does not hold their sum",
                          "quantize the model statically (quantize_static)")
    half = b.add_const(np.float32(_HALF))
    high = b.op("Unary", b.op("Eltwise", x, half, type="DIV"), type="FLOOR")
    low = b.op("Eltwise", x, b.op("Eltwise", high, half, type="PROD"), type="SUB")
    upper = b.op("Cast", b.op("MatMul", high, w), to="i32")
    upper = b.op("Eltwise", upper, b.add_const(np.int32(_HALF)), type="PROD")
    lower = b.op("Cast", b.op("MatMul", low, w), to="i32")
    return b.op("Eltwise", upper, lower, type="SUM")
