"""Computes what depends on constants only.

SPDX-License-Identifier: Apache-2.0

A result is kept only below a size, and not if it is many times larger than what it is made of,
unless it is the weight of a layer: the model file would grow for nothing, the engine can do the
same when it plans.
"""

from __future__ import annotations

import numpy as np

from mace_tools.ir import Graph, Node, dtype_name
from mace_tools.passes.match import CONV_LIKE
from mace_tools.reference import evaluate

SMALL_BYTES = 1 << 16
GROWTH = 4
MAX_BYTES = 1 << 30
_GROWING = ("Fill", "Expand", "Tile", "Range", "OneHot", "Pad", "Resize")


def fold_constants(graph: Graph) -> None:
    for node in list(graph.nodes):
        if not all(graph.const(i) is not None for i in node.inputs if i) or not node.inputs:
            continue
        if any(o in graph.outputs for o in node.outputs) or not _worth_it(graph, node):
            continue
        results = evaluate(node, [graph.const(i) if i else None for i in node.inputs])
        if results is None:
            continue
        graph.remove(node)
        for name, value in zip(node.outputs, results):
            tensor = graph.tensors[name]
            tensor.data = np.ascontiguousarray(value).reshape(value.shape)
            tensor.shape, tensor.dtype = tuple(value.shape), dtype_name(value.dtype)


def _worth_it(graph: Graph, node: Node) -> bool:
    if node.op not in _GROWING:
        return True
    out = graph.tensors[node.outputs[0]]
    if out.static_shape is None:
        return True
    size = int(np.prod(out.static_shape, dtype=object)) * 4
    read = sum(graph.tensors[i].data.nbytes for i in node.inputs if i)
    if size <= SMALL_BYTES or size <= GROWTH * read:
        return True
    return size <= MAX_BYTES and _is_weight(graph, node.outputs[0])


def _is_weight(graph: Graph, name: str) -> bool:
    """Whether a tensor ends, maybe rearranged, as a weight that a layer packs ahead."""
    for node in graph.consumers(name):
        if node.op in (*CONV_LIKE, "BatchNorm", "MatMul") and name in node.inputs[1:]:
            return True
        if node.op in ("Reshape", "Transpose", "ExpandDims") and _is_weight(graph, node.outputs[0]):
            return True
    return False
