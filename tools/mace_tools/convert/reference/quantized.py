"""Nodes with quantized tensors: computed in float64, of which the nearest quantized values are
taken.

SPDX-License-Identifier: Apache-2.0

The engine's kernels compute in integers, and differ from this by a step where a result lies near
the middle between two quantized values.
"""

from collections.abc import Callable, Sequence
from typing import Optional

import numpy as np

from mace_tools.graph import op_schema
from mace_tools.graph.ir import Graph, Node
from mace_tools.graph.quantization import along, nearest

Values = Sequence[Optional[np.ndarray]]
Plain = Callable[[Node, Values], Optional[list[np.ndarray]]]


def evaluate(
    graph: Graph, node: Node, operands: Values, plain: Plain
) -> list[np.ndarray] | None:
    """The outputs of a node; `plain` evaluates nodes without quantized tensors."""
    y = graph.tensors[node.outputs[0]]
    if node.op == "Dequantize":
        return [_float(graph, node, 0, operands)]
    if node.op == "Quantize":
        return [nearest(_float(graph, node, 0, operands), y.quant, y.dtype, node.attr("rounding"))]
    if op_schema.all_ops()[node.op].on_quantized == "moves" and not _averages_or_fills(node):
        return plain(node, operands)
    floats = [_float(graph, node, k, operands) for k in range(len(operands))]
    results = plain(node, floats)
    if results is None:
        return None
    outs = [graph.tensors[o] for o in node.outputs]
    return [r if t.quant is None else nearest(r, t.quant, t.dtype, "AWAY")
            for r, t in zip(results, outs)]


def _averages_or_fills(node: Node) -> bool:
    average = op_schema.numbers("Pooling", "pooling_type")["AVERAGE"]
    return (node.op in ("Pad", "SpaceToBatchNd")
            or node.op == "Pooling" and node.attr("pooling_type") == average)


def _float(graph: Graph, node: Node, k: int, operands: Values) -> np.ndarray | None:
    """What operand k stands for. The quantized values of a bias have the scale of the products."""
    data = operands[k]
    if data is None or not node.has_input(k):
        return None
    quant = graph.tensors[node.inputs[k]].quant
    if quant is not None:
        zero = along(quant.zero_point, quant.axis, data.ndim)
        scale = along(quant.scale.astype(np.float32), quant.axis, data.ndim)
        return (data.astype(np.int32) - zero.astype(np.int32)).astype(np.float32) * scale
    if k == 2 and data.dtype == np.int32:
        x, w = (graph.tensors[i].quant for i in node.inputs[:2])
        return (data * x.scale.astype(np.float64) * w.scale).astype(np.float32)
    return data
