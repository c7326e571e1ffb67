"""Operators whose results have as many elements as the data say.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.data_dependent import places, unique
from mace_tools.convert.importers.operands import fixed_ints
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.support.errors import ModelError


@registry.op("Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2")
def unique_(b: Builder, n: SourceNode) -> list[str]:
    """The plan waits for the number of different elements. NaN equals nothing"""
    x, *axes = n.inputs
    axis = fixed_ints(b, axes[0], "axis") if axes else []
    if len(axis) > 1:
        raise ModelError(f"{n.op} '{n.name}': axis {axis} must be one number, or none")
    if not axis and b.rank(x) != 1:
        raise ModelError(f"{n.op} '{n.name}': its operand has rank {b.rank(x)}, it must be 1")
    kind = n.attr("out_idx")
    to = "i32" if kind is None else kind.engine
    values, _, inverse, counts = unique(b, x, axis[0] if axis else 0, in_order=False)
    results = [values, b.op("Cast", inverse, to=to), b.op("Cast", counts, to=to)]
    return results if "Counts" in n.op else results[:2]


@registry.op("DynamicPartition")
def dynamic_partition(b: Builder, n: SourceNode) -> list[str]:
    """The slices of each part, in their order; the plan waits for their numbers"""
    x, parts = n.inputs
    rank = b.rank(parts)
    if rank != 1:
        raise Unsupported(f"partitions of rank {rank}", "reshape data and partitions to one axis")
    found = []
    for k in range(n.attr("num_partitions")):
        chosen = b.op("Compare", parts, b.add_const(np.int32(k)), type="EQUAL")
        at = b.op("Squeeze", places(b, chosen), axis=[0])
        found.append(b.op("Gather", x, at, axis=0))
    return found
