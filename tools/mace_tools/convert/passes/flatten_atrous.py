"""Turns space-to-batch, convolution, batch-to-space into one dilated convolution.

SPDX-License-Identifier: Apache-2.0

SpaceToBatch with blocks of d pads x and distributes its pixels over d * d images; a convolution of
stride 1 on each, gathered again by BatchToSpace, is the convolution with dilation d of the padded
x, and cropping the result takes as much padding away again (Yu and Koltun, 2016).
"""

from __future__ import annotations

from mace_tools.convert.ops.common.windows import EXPLICIT, VALID
from mace_tools.convert.passes.match import only_producer
from mace_tools.graph.ir import Graph


def flatten_atrous(graph: Graph) -> None:
    for after in list(graph.nodes):
        if graph.is_quantized(after):
            continue
        if after.op != "BatchToSpaceNd":
            continue
        conv = only_producer(graph, after.inputs[0])
        if conv is None or conv.op not in ("Conv2d", "DepthwiseConv2d"):
            continue
        before = only_producer(graph, conv.inputs[0])
        if before is None or before.op != "SpaceToBatchNd":
            continue
        block = before.attrs["block_shape"]
        plain = (conv.attr("strides") == conv.attr("dilations") == [1, 1]
                 and conv.attr("padding") == VALID)
        if not plain or len(block) != 2 or after.attrs["block_shape"] != block:
            continue
        pads = [p - c for p, c in zip(before.attrs["paddings"], after.attrs["crops"])]
        if min(pads) < 0:
            continue
        top, bottom, left, right = pads
        conv.attrs.update(dilations=list(block), padding=EXPLICIT,
                          padding_values=[top, left, bottom, right])
        graph.set_inputs(conv, [before.inputs[0], *conv.inputs[1:]])
        graph.bypass(after, after.inputs[0], fused=True)
