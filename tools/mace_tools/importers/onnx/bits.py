"""Operations on the bits of integers.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.importers.builder import Builder
from mace_tools.importers.narrow import widened
from mace_tools.importers.onnx import registry
from mace_tools.importers.onnx.tensors import ELEMENT
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode
from mace_tools.ir import dtype_name

_BITS = {"uint16": 16, "uint32": 32}  # types that are wider in the engine


def _cut(b: Builder, n: SourceNode, y: str) -> str:
    """The bits that the source's type has."""
    bits = _BITS.get(b.model.retyped.get(n.inputs[0], ""))
    if bits is None:
        return y
    return b.op("Bitwise", y, b.add_const(np.array((1 << bits) - 1), b.dtype(y)), type="AND")


@registry.op("BitwiseAnd", "BitwiseOr", "BitwiseXor")
def bitwise(b: Builder, n: SourceNode) -> str:
    kind = n.op.removeprefix("Bitwise").upper()
    return widened(b, lambda x, y: b.op("Bitwise", x, y, type=kind), *n.inputs)


@registry.op("BitwiseNot")
def bitwise_not(b: Builder, n: SourceNode) -> str:
    def flipped(x: str) -> str:
        return b.op("Bitwise", x, b.add_const(np.array(-1), b.dtype(x)), type="XOR")

    return _cut(b, n, widened(b, flipped, n.inputs[0]))


@registry.op("BitShift")
def bit_shift(b: Builder, n: SourceNode) -> str:
    """By as many bits as the type has, or more: 0, or -1 for a negative number shifted right"""
    direction = n.attr("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise Unsupported(f"the direction '{direction}'", "use LEFT or RIGHT")
    y = widened(b, lambda x, by: b.op("Bitwise", x, by, type=f"SHIFT_{direction}"), *n.inputs)
    return _cut(b, n, y) if direction == "LEFT" else y


@registry.op("BitCast")
def bit_cast(b: Builder, n: SourceNode) -> str:
    """Between types of the same size"""
    x, kind = n.inputs[0], ELEMENT.get(n.attr("to"))
    if kind is None or n.attr("to") == 16 or n.inputs[0] in b.model.retyped or \
            np.dtype(kind).itemsize > np.dtype(np.int64).itemsize:
        raise Unsupported(f"the bits of {b.dtype(x)} as ONNX element type {n.attr('to')}",
                          "use types of the engine: float32, float16, int8 to int64, uint8")
    to = dtype_name(kind)
    if "bool" in (to, b.dtype(x)):
        if {to, b.dtype(x)} <= {"bool", "u8"}:  # true is 1
            return b.op("Cast", x, to=to)
        raise Unsupported("the bits of truth values", "cast them")
    return b.op("Bitcast", x, to=to)
