"""Operations on the bits of integers.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.importers.builder import Builder
from mace_tools.importers.narrow import widened
from mace_tools.importers.onnx import registry
from mace_tools.importers.onnx.tensors import ELEMENT, NARROWED
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode
from mace_tools.importers.unsigned import kind_of
from mace_tools.ir import dtype_name


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


@registry.op("BitCast")
def bit_cast(b: Builder, n: SourceNode) -> str:
    """Between types of the same size"""
    x, kind = n.inputs[0], ELEMENT.get(n.attr("to"))
    if kind is None or n.attr("to") == 16 or b.source_type(0) or kind_of(b, x) or \
            np.dtype(kind) in NARROWED:
        raise Unsupported(f"the bits of {b.dtype(x)} as ONNX element type {n.attr('to')}",
                          "use types of the engine: float32, float16, int8 to int64, uint8")
    to = dtype_name(kind)
    if "bool" in (to, b.dtype(x)):
        if {to, b.dtype(x)} <= {"bool", "u8"}:  # true is 1
            return b.op("Cast", x, to=to)
        raise Unsupported("the bits of truth values", "cast them")
    return b.op("Bitcast", x, to=to)
