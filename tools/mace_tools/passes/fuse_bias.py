"""Folds sums with per-channel constants into the bias of the layer before them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.ir import Graph, Node
from mace_tools.passes.fold_scale import ACTIVATION_ATTRS, apply_affine
from mace_tools.passes.match import CONV_LIKE, channel_vector, only_producer, plain, with_constant


def fuse_bias(graph: Graph) -> None:
    for node in list(graph.nodes):
        found = _scale_and_offset(graph, node)
        if found is None:
            continue
        source, scale, offset = found
        layer = only_producer(graph, source)
        if layer is None or layer.op not in CONV_LIKE or not plain(layer):
            continue
        if apply_affine(graph, layer, scale, offset):
            layer.attrs.update({k: v for k, v in node.attrs.items() if k in ACTIVATION_ATTRS})
            graph.bypass(node, source)


def _scale_and_offset(graph: Graph, node: Node) -> tuple[str, np.ndarray | None, np.ndarray] | None:
    """x + c, x - c and c - x per channel: x, the factor of x if it is not 1, and the rest."""
    found = with_constant(graph, node)
    if found is None or found[1].dtype.kind != "f":
        return None
    source, array, place = found
    offset = channel_vector(graph, source, array)
    if offset is None:
        return None
    offset = offset.astype(np.float64)
    if node.op == "BiasAdd" or (node.op == "Eltwise" and node.attrs["type"] == "SUM"):
        return source, None, offset
    if node.op == "Eltwise" and node.attrs["type"] == "SUB":
        if place == 1:
            return source, None, -offset
        return source, np.full(offset.shape, -1.0), offset
    return None
