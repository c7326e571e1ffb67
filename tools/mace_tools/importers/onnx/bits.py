"""Operations on the bits of integers.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.importers.builder import Builder
from mace_tools.importers.narrow import widened
from mace_tools.importers.onnx import registry
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode


@registry.op("BitwiseAnd", "BitwiseOr", "BitwiseXor")
def bitwise(b: Builder, n: SourceNode) -> str:
    kind = n.op.removeprefix("Bitwise").upper()
    return widened(b, lambda x, y: b.op("Bitwise", x, y, type=kind), *n.inputs)


@registry.op("BitwiseNot")
def bitwise_not(b: Builder, n: SourceNode) -> str:
    def flipped(x: str) -> str:
        return b.op("Bitwise", x, b.add_const(np.array(-1), b.dtype(x)), type="XOR")

    return widened(b, flipped, n.inputs[0])


@registry.op("BitShift")
def bit_shift(b: Builder, n: SourceNode) -> str:
    """By as many bits as the type has, or more: 0, or -1 for a negative number shifted right"""
    direction = n.attr("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise Unsupported(f"the direction '{direction}'", "use LEFT or RIGHT")
    return widened(b, lambda x, by: b.op("Bitwise", x, by, type=f"SHIFT_{direction}"), *n.inputs)
