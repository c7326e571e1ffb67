"""Folds batch norm and products with per-channel constants into the weights before them.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable

import numpy as np

from mace_tools.convert.passes.match import (
    ACTIVATION_ATTRS,
    CONV_LIKE,
    channel_vector,
    only_producer,
    plain,
    with_constant,
)
from mace_tools.graph.ir import Graph, Node

# y = x * scale + offset per channel: x, scale and offset; None if it is 1 or 0.
Affine = tuple[str, "np.ndarray | None", "np.ndarray | None"]


def fold_scale(graph: Graph) -> None:
    fold_into_layers(graph, _scale_and_offset)


def fold_into_layers(graph: Graph, read: Callable[[Graph, Node], Affine | None]) -> None:
    """Folds a node that `read` understands into the layer before it, if nothing else reads that
    layer."""
    for node in list(graph.nodes):
        if graph.is_quantized(node):
            continue
        found = read(graph, node)
        if found is None:
            continue
        source, scale, offset = found
        layer, views = only_producer(graph, source), []
        while layer is not None and _keeps_channels(graph, layer):
            views.append(layer)
            layer = only_producer(graph, layer.inputs[0])
        if layer is None or layer.op not in CONV_LIKE or not plain(layer):
            continue
        if _apply_affine(graph, layer, scale, offset):
            layer.attrs.update({k: v for k, v in node.attrs.items() if k in ACTIVATION_ATTRS})
            graph.bypass(node, source, fused=True)
            for view in views:  # what it views is scaled now
                graph.origins.pop(view.inputs[0], None)


def _keeps_channels(graph: Graph, node: Node) -> bool:
    """Whether a node only adds or removes axes before the last one, as around a convolution over
    one axis."""
    rank = graph.tensors[node.inputs[0]].rank if node.op in ("Squeeze", "ExpandDims") else None
    axes = [] if rank is None else node.attr("axis")
    if rank is None or not axes:
        return False
    rank += len(axes) if node.op == "ExpandDims" else 0
    return all(axis % rank != rank - 1 for axis in axes)


def _scale_and_offset(graph: Graph, node: Node) -> Affine | None:
    if node.op == "BatchNorm":
        params = [graph.const(i) for i in node.inputs[1:5]]
        if any(p is None for p in params):
            return None
        gamma, beta, mean, var = (p.astype(np.float64) for p in params)
        scale = gamma / np.sqrt(var + node.attr("epsilon"))
        return node.inputs[0], scale, beta - mean * scale
    if node.op != "Eltwise" or node.attrs["type"] not in ("PROD", "DIV"):
        return None
    found = with_constant(graph, node)
    if found is None or found[1].dtype.kind != "f":
        return None
    source, array, place = found
    scale = channel_vector(graph, source, array)
    if scale is None or (node.attrs["type"] == "DIV" and (place == 0 or not scale.all())):
        return None
    scale = scale.astype(np.float64)
    return source, 1 / scale if node.attrs["type"] == "DIV" else scale, None


def _apply_affine(
    graph: Graph, layer: Node, scale: np.ndarray | None, offset: np.ndarray | None
) -> bool:
    """Makes a layer compute scale * y + offset per output channel. Returns False if it cannot, or
    if the weight is quantized values, or a table of embeddings, too."""
    name = layer.inputs[1]
    weight = graph.const(name)
    if scale is not None and (graph.tensors[name].packed is not None or any(
            reader.op not in CONV_LIKE for reader in graph.consumers(name))):
        return False
    bias = graph.const(layer.inputs[2]) if layer.has_input(2) else None
    if weight is None or (layer.has_input(2) and bias is None):
        return False
    inputs = [*layer.inputs, ""][: max(3, len(layer.inputs))]
    total = np.zeros(len(offset)) if bias is None and offset is not None else bias
    if scale is not None:
        scaled = weight.astype(np.float64) * _along_outputs(layer, weight, scale)
        inputs[1] = graph.add_const(layer.inputs[1], scaled.astype(weight.dtype),
                                    like=layer.inputs[1])
        total = None if total is None else total * scale
    if offset is not None:
        total = total + offset
    if total is not None:
        base = layer.inputs[2] if bias is not None else f"{layer.name}_bias"
        inputs[2] = graph.add_const(base, np.asarray(total).astype(weight.dtype))
    graph.set_inputs(layer, inputs if inputs[-1] else inputs[:-1])
    return True


def _along_outputs(layer: Node, weight: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Per-channel factors, shaped to multiply the weight."""
    if layer.op == "DepthwiseConv2d":  # [M, C, kh, kw], output channel c * M + m
        return scale.reshape(weight.shape[1], weight.shape[0]).T[:, :, None, None]
    return scale.reshape(-1, *[1] * (weight.ndim - 1))
