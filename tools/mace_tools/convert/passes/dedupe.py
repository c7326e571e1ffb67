"""Merges equal constants, and nodes that compute the same from the same.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.graph.ir import Graph
from mace_tools.graph.quantization import as_key
from mace_tools.graph.quantized_weights import digest


def dedupe(graph: Graph) -> None:
    _merge_constants(graph)
    _merge_nodes(graph)


def _merge_constants(graph: Graph) -> None:
    seen: dict[tuple, str] = {}
    for name, tensor in list(graph.tensors.items()):
        if tensor.data is None or name in graph.outputs or tensor.quant is not None:
            continue
        key = (tensor.dtype, tensor.stored, tensor.data.shape, as_key(tensor.source_quant),
               digest(tensor))
        kept = seen.setdefault(key, name)
        if kept != name:
            graph.replace_uses(name, kept)


def _merge_nodes(graph: Graph) -> None:
    """REQUIRES: sorted nodes, so that one pass over them finds chains of equal nodes."""
    seen: dict[tuple, list[str]] = {}
    for node in list(graph.nodes):
        if node.is_custom:  # it may have a state, and effects
            continue
        attrs = tuple(sorted((k, repr(v)) for k, v in node.attrs.items()))
        quants = tuple(as_key(graph.tensors[o].quant) for o in node.outputs)
        key = (node.op, tuple(node.inputs), attrs, quants)
        kept = seen.setdefault(key, node.outputs)
        if kept is node.outputs or any(o in graph.outputs for o in node.outputs):
            continue
        graph.remove(node)
        for old, new in zip(node.outputs, kept):
            graph.replace_uses(old, new)
