"""Slices, gathers, sorting and one-hot.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers import operands
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry

_MASKS = {
    "BeginMask": "begin_mask", "EndMask": "end_mask", "EllipsisMask": "ellipsis_mask",
    "NewAxisMask": "new_axis_mask", "ShrinkAxisMask": "shrink_axis_mask",
}


@registry.op("STRIDED_SLICE")
def strided_slice(b: Builder, n: SourceNode) -> str:
    masks = {ours: n.attr(theirs) for theirs, ours in _MASKS.items() if n.attr(theirs)}
    steps, indices = operands.ints(b, n.inputs[3]) or [], n.attr("ShrinkAxisMask")
    if any(step < 1 and indices >> k & 1 for k, step in enumerate(steps)):
        raise Unsupported(f"an index has one of the strides {steps}, which must be positive there",
                          "give indices the stride 1")
    return operands.strided_slice(b, *n.inputs[:4], masks)


@registry.op("GATHER")
def gather(b: Builder, n: SourceNode) -> str:
    return b.op("Gather", *n.inputs[:2], axis=n.attr("Axis", 0),
                batch_dims=n.attr("BatchDims") or None, from_start=1)


@registry.op("GATHER_ND")
def gather_nd(b: Builder, n: SourceNode) -> str:
    return b.op("GatherNd", *n.inputs[:2], from_start=1)


@registry.op("ONE_HOT")
def one_hot(b: Builder, n: SourceNode) -> str:
    return operands.one_hot(b, *n.inputs[:4], n.attr("Axis", 0))


@registry.op("TOPK_V2")
def top_k(b: Builder, n: SourceNode) -> list[str]:
    return operands.top_k(b, *n.inputs[:2], True)
