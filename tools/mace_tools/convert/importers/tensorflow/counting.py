"""Buckets, places in sorted rows, and counts of numbers.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_int, scalar
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tf_shared import not_above

MAX_ELEMENTS = 1 << 24  # of the comparisons of all operands with all bins


@registry.op("Bucketize")
def bucketize(b: Builder, n: SourceNode) -> str:
    """How many boundaries are not above x"""
    return not_above(b, n.inputs[0], n.attr("boundaries", []))


@registry.op("LowerBound", "UpperBound")
def bound(b: Builder, n: SourceNode) -> str:
    """How many elements of a sorted row are below (LowerBound), or not above, each value"""
    rows, values = (b.op("ExpandDims", x, axis=[axis]) for x, axis in zip(n.inputs, (-2, -1)))
    if n.op == "LowerBound":
        counted = b.op("Compare", rows, values, type="LESS")
    else:
        above = b.op("Compare", values, rows, type="LESS")
        counted = b.op("Logical", above, type="NOT")
    kind = n.attr("out_type")
    counted = b.op("Cast", counted, to=kind.engine if kind else "i32")
    return b.op("Reduce", counted, reduce_type="SUM", axis=[-1])


@registry.op("DenseBincount")
def dense_bincount(b: Builder, n: SourceNode) -> str:
    """How often each number occurs in a row, or the sum of its weights; others count nowhere"""
    x, size, weights = n.inputs[:3]
    bins = fixed_int(b, _clamped(b, size), "number of bins")
    extents = b.extents(x)
    if None in extents or np.prod(extents, dtype=np.float64) * bins > MAX_ELEMENTS:
        raise Unsupported(f"counts of {extents} numbers in {bins} bins, which would be compared "
                          "one by one", "give input_shapes, or count in the app")
    numbers = b.add_const(np.arange(bins), b.dtype(x), "bins")
    own = b.op("Compare", b.op("ExpandDims", x, axis=[-1]), numbers, type="EQUAL")
    kind = b.dtype(weights)
    if n.attr("binary_output", False):
        own = b.op("Reduce", own, reduce_type="ANY", axis=[-2])
        return b.op("Cast", own, to=kind)
    if 0 not in b.extents(weights):
        each = b.op("ExpandDims", weights, axis=[-1])
        own = b.op("Select", own, each, scalar(b, 0, weights))
    else:
        own = b.op("Cast", own, to=kind)
    return b.op("Reduce", own, reduce_type="SUM", axis=[-2])


def _clamped(b: Builder, size: str) -> str:
    """The least of at most so many bins, if they are at least as many: tf.math.bincount counts the
    bins that the numbers need, and clamps them to minlength and maxlength."""
    outer = b.graph.producer(size)
    if outer is None or outer.op != "Eltwise" or outer.attr("type") != "MIN":
        return size
    for most, inner in (outer.inputs, outer.inputs[::-1]):
        node, limit = b.graph.producer(inner), b.const(most)
        if limit is None or node is None or node.op != "Eltwise" or node.attr("type") != "MAX":
            continue
        floors = [c for c in map(b.const, node.inputs) if c is not None]
        if any(np.min(c) >= np.max(limit) for c in floors):
            return most
    return size
