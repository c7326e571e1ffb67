"""Pooling.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.importers.builder import Builder
from mace_tools.importers.onnx import registry
from mace_tools.importers.onnx.conv import padding
from mace_tools.importers.onnx.layout import pair, spatial, spatial_rank
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode
from mace_tools.infer.spatial import AVERAGE, MAX


@registry.op("MaxPool", "AveragePool")
def pool(b: Builder, n: SourceNode) -> str:
    if len([o for o in n.outputs if o]) > 1:
        raise Unsupported("MaxPool with its second output, Indices",
                          "compute without the indices, e.g. replace MaxUnpool by Resize")
    rank = spatial_rank(b, n)
    attrs = {"pooling_type": MAX if n.op == "MaxPool" else AVERAGE,
             "kernels": pair(n.attr("kernel_shape"), 1, rank),
             "strides": pair(n.attr("strides"), 1, rank),
             "dilations": pair(n.attr("dilations"), 1, rank),
             "round_mode": n.flag("ceil_mode", 0),
             "count_include_pad": n.flag("count_include_pad", 0), **padding(n, rank)}
    return spatial(b, n.inputs[0], lambda t: b.op("Pooling", t, **attrs))


@registry.op("GlobalAveragePool", "GlobalMaxPool")
def global_pool(b: Builder, n: SourceNode) -> str:
    x = n.inputs[0]
    kind = MAX if n.op == "GlobalMaxPool" else AVERAGE
    if b.rank(x) != 4:
        how = "MAX" if kind == MAX else "MEAN"
        return b.op("Reduce", x, reduce_type=how, axis=list(range(2, b.rank(x))), keepdims=1)
    return spatial(b, x, lambda t: b.op(
        "Pooling", t, pooling_type=kind, kernels=[1, 1], strides=[1, 1], **{"global": 1}))


@registry.op("GlobalLpPool")
def global_lp_pool(b: Builder, n: SourceNode) -> str:
    if n.attr("p", 2) not in (1, 2):
        raise Unsupported(f"p = {n.attr('p')}; 1 and 2 are supported")
    axes = list(range(2, b.rank(n.inputs[0])))
    return b.op("Reduce", n.inputs[0], reduce_type=f"L{n.attr('p', 2)}", axis=axes, keepdims=1)
