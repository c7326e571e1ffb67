"""Operations on the bits of numbers.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers import narrow_integers
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.graph.ir import NUMPY

_KINDS = {"BitwiseAnd": "AND", "BitwiseOr": "OR", "BitwiseXor": "XOR", "LeftShift": "SHIFT_LEFT",
          "RightShift": "SHIFT_RIGHT"}


@registry.op(*_KINDS)
def bitwise(b: Builder, n: SourceNode) -> str:
    return narrow_integers.bitwise(b, _KINDS[n.op], *n.inputs[:2])


@registry.op("Invert")
def invert(b: Builder, n: SourceNode) -> str:
    return narrow_integers.bitwise_not(b, n.inputs[0])


@registry.op("Bitcast")
def bitcast(b: Builder, n: SourceNode) -> str:
    """Between types of the same size"""
    x, kind = n.inputs[0], n.attr("type")
    to = kind.engine if kind else None
    if to is None or kind.retyped or b.source_type(0) or "bool" in (to, b.dtype(x)) or (
            NUMPY[to].itemsize != NUMPY[b.dtype(x)].itemsize):
        raise Unsupported(f"the bits of {b.dtype(x)} as {kind.name if kind else 'another type'}",
                          "cast to a number type of the same size")
    return b.op("Bitcast", x, to=to)
