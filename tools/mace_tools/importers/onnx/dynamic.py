"""Operators whose results have as many elements as the data say.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.importers.builder import Builder
from mace_tools.importers.onnx import registry
from mace_tools.importers.places import places
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode


@registry.op("NonZero")
def non_zero(b: Builder, n: SourceNode) -> str:
    """The plan waits for their number"""
    if b.rank(n.inputs[0]) == 0:
        raise Unsupported("NonZero of a scalar", "reshape it to one element in the source model")
    return places(b, n.inputs[0])


@registry.op("Compress")
def compress(b: Builder, n: SourceNode) -> str:
    """The plan waits for the number of chosen slices"""
    x, axis = n.inputs[0], n.attr("axis")
    if axis is None:
        x, axis = b.op("Reshape", x, dim=[-1]), 0
    chosen = b.op("Squeeze", places(b, n.inputs[1]), axis=[0])
    return b.op("Gather", x, chosen, axis=axis)
