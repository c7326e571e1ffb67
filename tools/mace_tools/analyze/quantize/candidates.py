"""Which nodes of a graph of floats the engine can compute on quantized values, and which are worth
it.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from mace_tools.analyze.quantize import weights
from mace_tools.analyze.quantize.ranges import per_tensor
from mace_tools.convert.passes.dequantize_around import computes_quantized
from mace_tools.convert.passes.match import CONV_LIKE
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Graph, Node, Quant, Tensor

# Ops that multiply much; quantized values pay where one of these is.
HEAVY = (*CONV_LIKE, "MatMul")
# Scale and zero point of results whose range the op gives, as TFLite's specification has them.
FIXED = {"Softmax": (1 / 256, -128), "SIGMOID": (1 / 256, -128), "TANH": (1 / 128, 0)}


def fixed_quant(node: Node) -> Quant | None:
    """The quantization parameters of the result, if the op alone decides that."""
    kind = str(node.attr("activation")) if node.op == "Activation" else node.op
    return per_tensor(*FIXED[kind]) if kind in FIXED else None


def keeps_scale(node: Node) -> bool:
    """Whether the quantized values of the result stand for what those of the operands do."""
    if node.op == "Reduce":
        return node.attr("reduce_type") in ("MAX", "MIN")
    if node.op == "Eltwise":
        return node.attr("type") in ("MAX", "MIN")
    return node.op == "Resize" or op_schema.all_ops()[node.op].on_quantized == "moves"


def candidates(graph: Graph, left_out: Iterable[str] = ()) -> list[Node]:
    """The nodes to compute on quantized values, but for those of these names."""
    left = set(left_out)
    able = [n for n in graph.nodes if n.name not in left and is_able(graph, n)]
    return _worth(graph, able)


def is_able(graph: Graph, node: Node) -> bool:
    """Whether the engine would compute the node on quantized tensors."""
    if node.is_custom or node.op in ("Quantize", "Dequantize") or not node.has_input(0):
        return False
    ends = [graph.tensors[n] for n in (node.inputs[0], *node.outputs)]
    if any(t.dtype != "f32" for t in ends) or graph.tensors[node.inputs[0]].is_const:
        return False
    return computes_quantized(*_trial(graph, node))


def _trial(graph: Graph, node: Node) -> tuple[Graph, Node]:
    """The node alone, with quantized operands."""
    trial, alike = Graph("trial"), per_tensor(1.0, 0)
    for k, name in enumerate(node.inputs):
        if name and name not in trial.tensors:
            trial.add_tensor(_operand(graph.tensors[name], node, k, alike))
    copy = trial.add(node.op, node.inputs, node.outputs, node.name)
    copy.attrs = dict(node.attrs)
    for out in copy.outputs:
        quant = fixed_quant(node) or alike
        trial.tensors[out] = replace(graph.tensors[out], dtype="i8", quant=quant)
    return trial, copy


def _operand(tensor: Tensor, node: Node, k: int, alike: Quant) -> Tensor:
    if tensor.dtype != "f32":
        return replace(tensor)
    if node.op in CONV_LIKE and k > 0 and tensor.data is not None:
        if k == 2:
            return replace(tensor, dtype="i32", data=np.zeros(tensor.data.shape, np.int32))
        axis = weights.axis_of(node, tensor.data.shape)
        count = 1 if axis is None else tensor.data.shape[axis]
        quant = Quant(np.ones(count, np.float32), np.zeros(count, np.int64), axis)
        return replace(tensor, dtype="i8", data=np.zeros(tensor.data.shape, np.int8), quant=quant)
    data = None if tensor.data is None else np.zeros(tensor.data.shape, np.int8)
    return replace(tensor, dtype="i8", data=data, quant=alike)


def _worth(graph: Graph, able: list[Node]) -> list[Node]:
    """Those that are connected with a layer that multiplies much: around the others, converting
    to quantized values and back would cost more than it saves."""
    chosen, worth = set(able), set()
    stack = [n for n in able if n.op in HEAVY]
    while stack:
        node = stack.pop()
        if node in worth:
            continue
        worth.add(node)
        near = [graph.producer(i) for i in node.inputs if i]
        near += [reader for out in node.outputs for reader in graph.consumers(out)]
        stack.extend(n for n in near if n is not None and n in chosen)
    return [n for n in able if n in worth]
