"""Arithmetic of integers that the engine computes in wider ones.

SPDX-License-Identifier: Apache-2.0

Casting back keeps the low bits, so that sums and products wrap around as in the source.
"""

from collections.abc import Callable

import numpy as np

from mace_tools.convert.importers.builder import Builder

NARROW = ("i8", "u8", "i16")


def widened(b: Builder, compute: Callable[..., str], *operands: str, wide: str = "i32") -> str:
    """compute(*operands), in integers of 32 bits (or another type) where they have fewer; the
    result has the type of the first operand."""
    kind = b.dtype(operands[0])
    if kind not in NARROW and kind != "bool":
        return compute(*operands)
    y = compute(*(b.op("Cast", x, to=wide) if x else x for x in operands))
    return b.op("Cast", y, to=kind)


def eltwise(b: Builder, kind: str, *operands: str) -> str:
    """Eltwise, of any integers."""
    if b.quant(operands[0]) is not None:
        return b.op("Eltwise", *operands, type=kind)
    return widened(b, lambda *xs: b.op("Eltwise", *xs, type=kind), *operands)


def bitwise(b: Builder, kind: str, *operands: str) -> str:
    """AND, OR, XOR, SHIFT_LEFT or SHIFT_RIGHT of the bits of any integers."""
    return widened(b, lambda x, y: b.op("Bitwise", x, y, type=kind), *operands)


def bitwise_not(b: Builder, x: str) -> str:
    """Every bit of any integers inverted."""
    def inverted(x: str) -> str:
        return b.op("Bitwise", x, b.add_const(np.array(-1), b.dtype(x)), type="XOR")

    return widened(b, inverted, x)
