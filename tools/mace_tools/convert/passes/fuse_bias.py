"""Folds sums with per-channel constants into the bias of the layer before them.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.passes.fold_scale import Affine, fold_into_layers
from mace_tools.convert.passes.match import channel_vector, with_constant
from mace_tools.graph.ir import Graph, Node


def fuse_bias(graph: Graph) -> None:
    fold_into_layers(graph, _scale_and_offset)


def _scale_and_offset(graph: Graph, node: Node) -> Affine | None:
    """x + c, x - c and c - x per channel."""
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
