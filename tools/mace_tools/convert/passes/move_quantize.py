"""Moves Dequantize down and Quantize up past nodes that only move elements.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.passes.fold_constants import fold_node
from mace_tools.convert.passes.match import plain
from mace_tools.convert.passes.quantized_operands import as_added, dequantized_from
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Graph, Node, Quant, Tensor
from mace_tools.graph.op_support import takes_quantized
from mace_tools.graph.quantization import along, nearest, quantized_data, same_quant

# Moving nodes all of whose inputs are elements to move; of others, the first one is.
_ALL_INPUTS = ("Concat", "Stack")
# Those of which a constant may be the only operand with elements: a table.
_LOOKUPS = ("Gather", "GatherElements", "GatherNd")


def move_quantize(graph: Graph) -> None:
    changed = True
    while changed:
        changed = False
        graph.topo_sort()
        for node in list(graph.nodes):
            changed |= _lower_dequantize(graph, node)
        for node in reversed(list(graph.nodes)):
            changed |= _raise_quantize(graph, node)


def _moves(node: Node) -> bool:
    """Whether the node gives its outputs elements of its inputs as they are."""
    op = None if node.is_custom else op_schema.all_ops().get(node.op)
    if op is None or op.on_quantized != "moves" or not plain(node):
        return False
    if node.op == "Pooling":
        return node.attr("pooling_type") == op_schema.numbers("Pooling", "pooling_type")["MAX"]
    return node.op != "Resize" or node.attr("mode") == "NEAREST"


def _data_inputs(node: Node) -> list[str]:
    return list(node.inputs) if node.op in _ALL_INPUTS else node.inputs[:1]


def _lower_dequantize(graph: Graph, node: Node) -> bool:
    """move(Dequantize(x)) = Dequantize(move(x)), if all operands have the scale of the first."""
    if not _moves(node) or graph.is_quantized(node):
        return False
    names = _data_inputs(node)
    found = [_quantized_tensor(graph, name, node.op in _LOOKUPS or k > 0 or len(names) > 1)
             for k, name in enumerate(names)]
    first = found[0]
    if first is None or any(t is None or t.dtype != first.dtype
                            or not same_quant(t.quant, first.quant) for t in found):
        return False
    if all(t.is_const for t in found) and node.op not in _LOOKUPS:
        return False
    if not _pads_with_a_constant(node, first.quant, first.dtype) \
            or not takes_quantized(op_schema.all_ops()[node.op], first.dtype):
        return False
    quantized = [as_added(graph, t) for t in found]
    graph.set_inputs(node, [*quantized, *node.inputs[len(quantized):]])
    for k, out in enumerate(list(node.outputs)):
        floats = graph.tensors[out]
        inner = graph.add_tensor(Tensor(graph.fresh(f"{out}/quantized"), first.dtype, floats.shape,
                                        quant=first.quant))
        graph.set_output(node, k, inner.name)
        graph.add("Dequantize", [inner.name], [out])
    return True


def _quantized_tensor(graph: Graph, name: str, constants: bool) -> Tensor | None:
    """The quantized values, per tensor, from which an operand is dequantized. Those of a constant
    are not yet part of the graph."""
    tensor = graph.tensors[name]
    if constants and tensor.source_quant is not None and tensor.source_quant.axis is None:
        quantized = quantized_data(tensor, "i8")
        if quantized is None:
            return None
        return Tensor(f"{name}/quantized", "i8", tensor.shape, quantized, quant=tensor.source_quant)
    return dequantized_from(graph, name)


def _raise_quantize(graph: Graph, node: Node) -> bool:
    """Quantize(move(x)) = move(Quantize(x))."""
    if node.op != "Quantize" or graph.tensors[node.inputs[0]].quant is not None:
        return False
    x, y = graph.tensors[node.inputs[0]], graph.tensors[node.outputs[0]]
    if x.is_const:
        return y.name not in graph.outputs and fold_node(graph, node)
    move = graph.producer(x.name)
    if move is None or not _moves(move) or len(move.outputs) != 1 \
            or graph.only_consumer(x.name) is not node or graph.is_quantized(move) \
            or not takes_quantized(op_schema.all_ops()[move.op], y.dtype):
        return False
    names = _data_inputs(move)
    if "" in names:
        return False
    kept = dict(node.attrs)
    graph.remove(node)
    graph.set_output(move, 0, y.name)
    quantized = []
    for name in names:
        inner = graph.add_tensor(Tensor(graph.fresh(f"{name}/quantized"), y.dtype,
                                        graph.shape(name),
                                        quant=y.quant))
        graph.add("Quantize", [name], [inner.name], **kept)
        quantized.append(inner.name)
    graph.set_inputs(move, [*quantized, *move.inputs[len(quantized):]])
    return True


def _pads_with_a_constant(node: Node, quant: Quant, dtype: str) -> bool:
    """Whether the number by which a Pad fills is that of a code; true for other nodes."""
    if node.op != "Pad" or node.attr("pad_type") != "CONSTANT":
        return True
    value = np.float32(node.attr("constant_value"))
    code = nearest(np.array(value), quant, dtype)
    floats = (code.astype(np.int64) - along(quant.zero_point, None, 0)) * quant.scale[0]
    return bool(floats == value)
