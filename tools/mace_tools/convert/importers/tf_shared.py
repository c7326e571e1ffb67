"""Importer functions of operators that mean the same in TensorFlow and TFLite.

SPDX-License-Identifier: Apache-2.0

    registry.op("AddN")(add_n)          # in importers/tensorflow/
    registry.op("ADD_N")(add_n)         # in importers/tflite/
"""

from collections.abc import Mapping, Sequence

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_int, split_sizes, summed
from mace_tools.convert.importers.registry import Importer
from mace_tools.convert.importers.source import SourceNode


def typed(op: str, types: Mapping[str, str], operands: int) -> Importer:
    """One engine op for a family of source operators; `types` gives its `type` attribute."""

    def of_type(b: Builder, n: SourceNode) -> str:
        return b.op(op, *n.inputs[:operands], type=types[n.op])

    return of_type


def add_n(b: Builder, n: SourceNode) -> str:
    return summed(b, n.inputs)


def assign(b: Builder, n: SourceNode) -> str:
    """The operand is a variable, in whose place readers found its handle."""
    variable, value = n.inputs[:2]
    b.assign(variable, value)
    return value


def not_above(b: Builder, x: str, boundaries: Sequence[float]) -> str:
    """How many of these boundaries are not above x; all of them where x is no number."""
    x = x if b.dtype(x) == "f32" else b.op("Cast", x, to="f32")
    limits = b.add_const(np.array(boundaries, np.float32), name="boundaries")
    above = b.op("Compare", b.op("ExpandDims", x, axis=[-1]), limits, type="LESS")
    below = b.op("Cast", b.op("Logical", above, type="NOT"), to="i32")
    return b.op("Reduce", below, reduce_type="SUM", axis=[-1])


def split(b: Builder, n: SourceNode) -> list[str]:
    axis, x = n.inputs[:2]
    return b.ops("Split", [x], len(n.outputs), axis=fixed_int(b, axis, "axis"))


def split_v(b: Builder, n: SourceNode) -> list[str]:
    x, sizes, axis = n.inputs[:3]
    return split_sizes(b, x, sizes, fixed_int(b, axis, "axis"), len(n.outputs))
