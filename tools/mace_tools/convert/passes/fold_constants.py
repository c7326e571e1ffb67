"""Computes nodes whose inputs are constants.

SPDX-License-Identifier: Apache-2.0

A result is kept only if it is small enough, and not much larger than the constants that it
replaces, unless it is the weight of a layer: the model file would grow for nothing, the engine can
do the same when it plans.
"""

import numpy as np

from mace_tools.convert.passes.match import CONV_LIKE
from mace_tools.convert.reference import evaluate
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Graph, Node, Tensor, dtype_name
from mace_tools.graph.quantization import as_signed, dequantized, folded_quant, moved_quant, nearest

SMALL_BYTES = 1 << 16
GROWTH = 4
MAX_BYTES = 1 << 30
_GROWING = ("Fill", "Expand", "Tile", "Range", "OneHot", "Pad", "Resize")


def fold_constants(graph: Graph) -> None:
    for node in list(graph.nodes):
        constant = all(graph.const(i) is not None for i in node.inputs if i)
        if constant and _worth_it(graph, node) and not set(node.outputs) & set(graph.outputs):
            fold_node(graph, node)


def fold_if_small(graph: Graph, node: Node) -> bool:
    """fold_node, unless the result is much larger than the operands."""
    return _worth_it(graph, node) and fold_node(graph, node)


def fold_node(graph: Graph, node: Node) -> bool:
    """Turns the outputs of a node with constant operands into constants. Returns whether it did.

    fp16 is computed as float32 and rounded once."""
    if node.op in ("Dequantize", "Quantize"):
        return _fold_quantized(graph, node)
    read = [graph.tensors[i] for i in node.inputs if i]
    size = _bytes(graph, node)
    if not read or size is not None and size > MAX_BYTES:
        return False
    if any(t.quant is not None for t in read) and not _moves_one(node, read[0]):
        return False
    operands = [_widened(graph.const(i)) if i else None for i in node.inputs]
    with np.errstate(all="ignore"):
        results = evaluate(node, operands)
        if results is None:
            return False
        types = [np.dtype(np.float16) if graph.tensors[o].dtype == "f16" else r.dtype
                 for o, r in zip(node.outputs, results)]
        results = [r.astype(t, copy=False) for r, t in zip(results, types)]
    graph.remove(node)
    weight = max(read, key=lambda t: t.data.nbytes if t.dtype == "f32" else -1)
    for name, value in zip(node.outputs, results):
        tensor = graph.tensors[name]
        tensor.data = np.ascontiguousarray(value).reshape(value.shape)
        tensor.shape, tensor.dtype = tuple(value.shape), dtype_name(value.dtype)
        if read[0].quant is not None:
            tensor.quant = moved_quant(node, read[0].quant, read[0].data.shape, value.shape)
        elif tensor.dtype in ("f32", "f16"):
            tensor.source_quant = folded_quant(node, read, value.shape)
        if tensor.dtype == "f32":
            tensor.stored = "f16" if weight.dtype == "f16" else weight.stored
    return True


def _moves_one(node: Node, x: Tensor) -> bool:
    """Whether a node moves all elements of a quantized constant x, and so its scales."""
    return node.op in ("Transpose", *op_schema.views()) and x.quant is not None and (
        node.op == "Transpose" or x.quant.axis is None)


def _fold_quantized(graph: Graph, node: Node) -> bool:
    """Turns dequantized or quantized constants into a constant."""
    x, y = graph.tensors[node.inputs[0]], graph.tensors[node.outputs[0]]
    given = node.op == "Dequantize"
    if x.data is None or (x.quant is not None) is not given or not given and y.quant is None:
        return False
    graph.remove(node)
    if given:
        y.data, y.dtype = dequantized(x.data, x.quant), "f32"
        y.source_quant = as_signed(x.quant, x.dtype) if x.dtype in ("i8", "u8") else None
    else:
        y.data = nearest(x.data, y.quant, y.dtype, node.attr("rounding"))
    y.shape = tuple(y.data.shape)
    return True


def _widened(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _bytes(graph: Graph, node: Node) -> int | None:
    """The estimated size of the first output; None if its shape is unknown."""
    shape = graph.tensors[node.outputs[0]].static_shape
    return None if shape is None else int(np.prod(shape, dtype=object)) * 4


def _worth_it(graph: Graph, node: Node) -> bool:
    size = _bytes(graph, node)
    if node.op not in _GROWING or size is None:
        return True
    read = sum(graph.tensors[i].data.nbytes for i in node.inputs if i)
    if size <= SMALL_BYTES or size <= GROWTH * read:
        return True
    return size <= MAX_BYTES and _is_weight(graph, node.outputs[0])


def _is_weight(graph: Graph, name: str) -> bool:
    """Whether a tensor becomes, perhaps rearranged, a weight that a layer prepacks."""
    for node in graph.consumers(name):
        if node.op in (*CONV_LIKE, "BatchNorm", "MatMul") and name in node.inputs[1:]:
            return True
        if node.op in ("Reshape", "Transpose", "ExpandDims") and _is_weight(graph, node.outputs[0]):
            return True
    return False
