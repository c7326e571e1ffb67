"""Turns space-to-batch, convolution, batch-to-space into one dilated convolution.

SPDX-License-Identifier: Apache-2.0

SpaceToBatch with blocks of d pads x and distributes its pixels over d * d images; a convolution of
stride 1 on each, gathered again by BatchToSpace, is the convolution with dilation d of the padded
x, and cropping the result takes as much padding away again (Yu and Koltun, 2016).
"""

from mace_tools.convert.ops.common.windows import EXPLICIT, VALID
from mace_tools.convert.passes.match import only_producer
from mace_tools.graph.ir import Graph, Node


def flatten_atrous(graph: Graph) -> None:
    for after in list(graph.nodes):
        if graph.is_quantized(after) or after.op != "BatchToSpaceNd":
            continue
        found = _convolution(graph, after)
        if found is None:
            continue
        first, conv, before, axes = found
        block = before.attrs["block_shape"]
        plain = (conv.attr("strides") == conv.attr("dilations") == [1, 1]
                 and conv.attr("padding") == VALID)
        if not plain or len(block) != len(axes) or after.attrs["block_shape"] != block:
            continue
        pads = [p - c for p, c in zip(before.attrs["paddings"], after.attrs["crops"])]
        if min(pads) < 0:
            continue
        dilations, values = [1, 1], [0] * 4  # top, left, bottom, right
        for k, axis in enumerate(axes):
            dilations[axis], values[axis], values[axis + 2] = block[k], *pads[2 * k:2 * k + 2]
        conv.attrs.update(dilations=dilations, padding=EXPLICIT, padding_values=values)
        graph.set_inputs(first, [before.inputs[0], *first.inputs[1:]])
        graph.bypass(after, after.inputs[0], fused=True)


def _convolution(graph: Graph, after: Node) -> tuple[Node, Node, Node, list[int]] | None:
    """The node that reads the blocks, the convolution, the node that makes them, and the spatial
    axes of the convolution that they have. A convolution over one axis, which frameworks compute
    with an axis of 1 more, stands between ExpandDims and Squeeze."""
    conv = only_producer(graph, after.inputs[0])
    axes, squeeze = [0, 1], conv
    if squeeze is not None and squeeze.op == "Squeeze":
        conv = only_producer(graph, squeeze.inputs[0])
    if conv is None or conv.op not in ("Conv2d", "DepthwiseConv2d"):
        return None
    first, before = conv, only_producer(graph, conv.inputs[0])
    if squeeze is not conv:
        if before is None or before.op != "ExpandDims" or squeeze is None:
            return None
        added = [a % 4 for a in before.attr("axis")]
        if added not in ([1], [2]) or [a % 4 for a in squeeze.attr("axis")] != added:
            return None
        axes = [2 - added[0]]
        first, before = before, only_producer(graph, before.inputs[0])
    if before is None or before.op != "SpaceToBatchNd":
        return None
    return first, conv, before, axes
