"""Slices, gathers, sorting and one-hot.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_int, one_hot, strided_slice, top_k
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@registry.op("StridedSlice")
def strided_slice_(b: Builder, n: SourceNode) -> str:
    masks = {m: n.attr(m) for m in _MASKS if n.attr(m)}
    return strided_slice(b, *n.inputs[:4], masks)


@registry.op("Gather", "GatherV2", "ResourceGather")
def gather(b: Builder, n: SourceNode) -> str:
    axis = fixed_int(b, n.inputs[2], "axis") if n.op == "GatherV2" else 0
    return b.op("Gather", *n.inputs[:2], axis=axis, batch_dims=n.attr("batch_dims") or None,
                from_start=1)


@registry.op("GatherNd")
def gather_nd(b: Builder, n: SourceNode) -> str:
    if n.attr("bad_indices_policy", "") not in ("", "DEFAULT", "ERROR"):
        raise Unsupported(f"bad_indices_policy {n.attr('bad_indices_policy')}",
                          "leave wrong indices out before it")
    return b.op("GatherNd", *n.inputs[:2], from_start=1)


@registry.op("OneHot")
def one_hot_(b: Builder, n: SourceNode) -> str:
    return one_hot(b, *n.inputs[:4], n.attr("axis", -1))


@registry.op("TopKV2")
def top_k_v2(b: Builder, n: SourceNode) -> list[str]:
    kind = n.attr("index_type")
    if kind is not None and kind.engine != "i32":
        raise Unsupported(f"indices of type {kind.name}", "use int32, and cast them afterwards")
    return top_k(b, *n.inputs[:2], n.attr("sorted", True))
