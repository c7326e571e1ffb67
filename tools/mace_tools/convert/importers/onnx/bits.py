"""Operations on the bits of integers.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers import narrow_integers
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode


@registry.op("BitwiseAnd", "BitwiseOr", "BitwiseXor")
def bitwise(b: Builder, n: SourceNode) -> str:
    return narrow_integers.bitwise(b, n.op.removeprefix("Bitwise").upper(), *n.inputs)


@registry.op("BitwiseNot")
def bitwise_not(b: Builder, n: SourceNode) -> str:
    return narrow_integers.bitwise_not(b, n.inputs[0])


@registry.op("BitShift")
def bit_shift(b: Builder, n: SourceNode) -> str:
    """By as many bits as the type has, or more: 0, or -1 for a negative number shifted right"""
    direction = n.attr("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise Unsupported(f"the direction '{direction}'", "use LEFT or RIGHT")
    return narrow_integers.bitwise(b, f"SHIFT_{direction}", *n.inputs)
