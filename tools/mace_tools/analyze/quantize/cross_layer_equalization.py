"""Cross-layer equalization: scales the channels between two layers so that they have ranges as
alike as possible, without changing what the model computes.

SPDX-License-Identifier: Apache-2.0

M. Nagel et al., Data-Free Quantization through Weight Equalization and Bias Correction, 2019. There
weights have one scale; here each output channel of a layer has its own, so what is balanced is the
observed range of an activation's channels against the weights that read them.
"""

from collections.abc import Mapping

import numpy as np

from mace_tools.analyze.quantize.calibration import Observed
from mace_tools.convert.passes.match import plain
from mace_tools.graph.ir import Graph, Node

LAYERS = ("Conv2d", "DepthwiseConv2d")
# Channels are scaled by at most this much, so that no channel's weights get lost.
_MAX_FACTOR = 4.0
# Inputs other than the samples may be this much larger.
_ROOM = 1.25


def pairs(graph: Graph) -> list[tuple[Node, Node]]:
    """Layers whose result only the other one reads, with no activation between them but those that
    factors above 0 pass: ReLU, and ReLU with a limit as `_factors` says."""
    found = []
    for node in graph.nodes:
        if node.op not in LAYERS or not _scalable(graph, node):
            continue
        reader = graph.only_consumer(node.outputs[0])
        if reader is None or reader.op not in LAYERS or reader.inputs[0] != node.outputs[0]:
            continue
        if not (plain(node) or node.attr("activation") in ("RELU", "RELUX")):
            continue
        if _scalable(graph, reader) and int(_group(reader)) == 1:
            found.append((node, reader))
    return found


def equalize(graph: Graph, observed: Mapping[str, Observed]) -> int:
    """Scales the channels between all pairs, and returns how many pairs those are."""
    done = 0
    for first, second in pairs(graph):
        seen = observed[first.outputs[0]].channel_largest
        factors = None if seen is None else _factors(graph, first, second, seen)
        if factors is not None:
            _scale(graph, first, second, factors)
            done += 1
    return done


def _factors(graph: Graph, first: Node, second: Node, largest: np.ndarray) -> np.ndarray | None:
    """What to divide each channel by. A limit above stays where it is, so no channel that reaches
    it may be divided by more than 1, and others at most until they reach it."""
    w = graph.tensors[second.inputs[1]].data
    if w.shape[1] != largest.size:
        return None
    # Each channel of a depthwise layer has weights with a scale of their own.
    weights = 1.0 if second.op == "DepthwiseConv2d" else np.maximum(
        np.abs(w).max((0, 2, 3)).astype(np.float64), 1e-30)
    wanted = np.sqrt(largest / weights)
    used = (largest > 0) & (wanted > 0)
    if used.sum() < 2:
        return None
    if first.attr("activation") == "RELUX":
        middle = wanted[used].max()
        least = np.minimum(1.0, _ROOM * largest / float(first.attr("max_limit")))
    else:
        middle, least = np.exp(np.log(wanted[used]).mean()), 0.0
    factors = np.where(used, wanted / middle, 1.0)
    return np.maximum(np.clip(factors, 1 / _MAX_FACTOR, _MAX_FACTOR), np.where(used, least, 1.0))


def _scale(graph: Graph, first: Node, second: Node, factors: np.ndarray) -> None:
    """Divides the outputs of the first layer, and multiplies the weights of the second."""
    w = graph.tensors[first.inputs[1]].data
    if first.op == "DepthwiseConv2d":
        own = factors.reshape(-1, w.shape[0]).T[:, :, None, None]  # output c * M + m
    else:
        own = factors[:, None, None, None]
    inputs = list(first.inputs)
    inputs[1] = graph.add_const(inputs[1], (w / own).astype(np.float32))
    if first.has_input(2):
        bias = graph.tensors[inputs[2]].data
        inputs[2] = graph.add_const(inputs[2], (bias / factors).astype(np.float32))
    graph.set_inputs(first, inputs)
    # [M, C, kh, kw] and [O, C, kh, kw] both have the input channels second.
    w = graph.tensors[second.inputs[1]].data
    inputs = list(second.inputs)
    inputs[1] = graph.add_const(inputs[1], (w * factors[None, :, None, None]).astype(np.float32))
    graph.set_inputs(second, inputs)


def _scalable(graph: Graph, node: Node) -> bool:
    return all(graph.tensors[n].is_const for n in node.inputs[1:] if n)


def _group(node: Node) -> int:
    return 1 if node.op == "DepthwiseConv2d" else int(node.attr("group"))
