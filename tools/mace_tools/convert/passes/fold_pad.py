"""Folds padding into the convolution or pooling after it, if that is exact.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.windows import AVERAGE, CEIL, EXPLICIT, MAX, VALID
from mace_tools.graph.ir import Graph, Node

_NEVER_NEGATIVE = ("RELU", "RELUX", "SIGMOID", "HARDSIGMOID", "SOFTPLUS")


def fold_pad(graph: Graph) -> None:
    for node in list(graph.nodes):
        if graph.is_quantized(node):
            continue
        if node.op not in ("Conv2d", "DepthwiseConv2d", "Pooling"):
            continue
        pad = graph.producer(node.inputs[0])
        if pad is None or pad.op != "Pad" or not _is_exact(graph, pad, node):
            continue
        node.attrs.update(padding=EXPLICIT, padding_values=_total(pad, node))
        if node.op == "Pooling" and node.attrs["pooling_type"] == AVERAGE:
            node.attrs["count_include_pad"] = 1
        graph.set_inputs(node, [pad.inputs[0], *node.inputs[1:]])


def _total(pad: Node, node: Node) -> list[int]:
    """The padding of both: top, left, bottom, right."""
    before = node.attrs["padding_values"] if node.attr("padding") == EXPLICIT else [0] * 4
    top, bottom, left, right = pad.attrs["paddings"][2:6]
    return [a + b for a, b in zip(before, [top, left, bottom, right])]


def _is_exact(graph: Graph, pad: Node, node: Node) -> bool:
    pads = pad.attr("paddings")
    spatial = len(pads) == 8 and not any(pads[:2] + pads[6:])
    zeros = pad.attr("pad_type") == "CONSTANT" and pad.attr("constant_value") == 0
    if not spatial or not zeros or node.attr("padding") not in (VALID, EXPLICIT):
        return False
    if node.op != "Pooling":
        return True
    if node.attr("global") or node.attr("round_mode") == CEIL:
        return False
    if node.attrs["pooling_type"] == AVERAGE:
        return node.attr("padding") == VALID
    if node.attrs["pooling_type"] != MAX:
        return False
    # A padded zero and an element outside the image are the same only if nothing is negative
    # and each window has an element.
    maker = graph.producer(pad.inputs[0])
    small = all(p < k for p, k in zip(_total(pad, node), [*node.attrs["kernels"]] * 2))
    dense = all(d == 1 for d in node.attr("dilations") or ())
    return small and dense and maker is not None and (
        maker.attrs.get("activation") in _NEVER_NEGATIVE)
