"""Computes in float32 what the engine has no quantized kernel for: dequantizes the operands of such
nodes, and quantizes their results.

SPDX-License-Identifier: Apache-2.0
"""

from collections import Counter

from mace_tools.convert.passes.match import CLAMPS, CONV_LIKE, plain
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Graph, Node, Quant, Tensor
from mace_tools.graph.op_support import RUN_BY_ENGINE, takes_quantized
from mace_tools.graph.quantization import dequantized, same_quant
from mace_tools.support.errors import ModelError

# Ops that compute on quantized values with some values of an attribute only. tools/ops.json tells
# which ops compute on quantized values of which types (OpSchema.on_quantized, cpu_quantized).
_VALUES = {
    "Eltwise": ("type", ("SUM", "SUB", "PROD", "DIV", "SQR_DIFF", "MIN", "MAX")),
    "LpNorm": ("p", (2,)),
    "Reduce": ("reduce_type", ("MEAN", "SUM", "MAX", "MIN")),
    "Softmax": ("use_log", (0,)),
}
# The same where quantized values have 16 bits.
_VALUES_16 = _VALUES | {
    "Activation": ("activation", ("NOOP", "RELU", "RELUX", "LEAKYRELU", "SIGMOID", "TANH")),
    "Eltwise": ("type", ("SUM", "SUB", "PROD")),
}
# Ops that pick some of the quantized values, so that the result has the scale of all operands.
_PICKS = {"Eltwise": ("type", ("MIN", "MAX")), "Reduce": ("reduce_type", ("MIN", "MAX"))}
_LINEAR = ("ASYMMETRIC", "HALF_PIXEL", "ALIGN_CORNERS")


def dequantize_around(graph: Graph) -> None:
    around: Counter[str] = Counter()
    for node in list(graph.nodes):
        if node.is_custom or not graph.is_quantized(node) or computes_quantized(graph, node):
            continue
        if graph.rounds_floats:
            _check_no_integers(graph, node)
        if any(graph.tensors[n].quant is not None and not graph.tensors[n].is_const
               for n in (*node.inputs, *node.outputs) if n):
            around[node.op] += 1
        _dequantize_inputs(graph, node)
        _quantize_outputs(graph, node)
    if around:
        ops = ", ".join(f"{n} {op}" for op, n in sorted(around.items()))
        graph.notes.append(f"computed in float32, between quantized tensors: {ops}")


def _check_no_integers(graph: Graph, node: Node) -> None:
    """Errors: ModelError for a node that reads quantized values, and means these rather than the
    numbers for which they stand."""
    read = [n for n in node.inputs if n and graph.tensors[n].quant is not None]
    if read and node.op != "Resize" and not op_schema.all_ops()[node.op].reads_types_only:
        raise ModelError(f"{node}: it computes with the quantized values of '{read[0]}' as "
                         f"integers, which does not convert; put a DequantizeLinear in front of "
                         f"it, or end the model before it (output_tensors in the YAML)")


def computes_quantized(graph: Graph, node: Node) -> bool:
    """Whether the engine computes the node on quantized tensors."""
    if node.op in ("Quantize", "Dequantize"):
        return graph.tensors[node.inputs[0]].quant is not None or node.op == "Quantize"
    if node.op in RUN_BY_ENGINE:  # as each node of their graphs is
        return True
    quants = [graph.tensors[n].quant for n in node.inputs if n]
    use = op_schema.all_ops()[node.op].on_quantized if node.op in op_schema.all_ops() else "refuses"
    first = graph.tensors[node.inputs[0]]
    if first.quant is not None and not takes_quantized(op_schema.all_ops()[node.op], first.dtype):
        return False
    if use == "moves":
        return _moves(graph, node)
    if use != "computes" or not quants or quants[0] is None:
        return False
    if quants[0].axis is not None or any(
            graph.tensors[o].quant is None for o in node.outputs
            if node.op not in ("ArgMax", "Compare")):
        return False
    if node.op == "QuantizedLstm":
        return True  # it is nothing else
    is_16 = graph.tensors[node.inputs[0]].dtype == "i16"
    restricted = (_VALUES_16 if is_16 else _VALUES).get(node.op)
    if restricted is not None and node.attr(restricted[0]) not in restricted[1]:
        return False
    if node.op != "Activation" and "activation" in op_schema.all_ops()[node.op].attrs \
            and not plain(node) and node.attr("activation") not in CLAMPS:
        return False
    if node.op in CONV_LIKE:
        weight = graph.tensors[node.inputs[1]]
        bias = graph.tensors[node.inputs[2]].dtype if node.has_input(2) else "i32"
        return all(graph.tensors[n].is_const for n in node.inputs[1:3] if n) \
            and bias in ("i32", "i64") \
            and weight.quant is not None and (not is_16 or _fits_16(weight, quants[0]))
    if is_16 and any(graph.tensors[n].dtype != "i16" for n in (*node.inputs, *node.outputs)):
        return False
    if is_16 and any(q is not None and q.zero_point.any() for q in quants):
        return False
    if is_16 and (node.op == "Softmax" or node.op == "Activation"
                  and node.attr("activation") in ("SIGMOID", "TANH")):
        return _is_fixed(graph.tensors[node.outputs[0]], 1 << 15, 0)
    if node.op == "Softmax":
        return _is_fixed(graph.tensors[node.outputs[0]], 256, -128)
    if node.op == "LpNorm":
        return _is_fixed(graph.tensors[node.outputs[0]], 128, 0)
    if node.op == "Clip" and len(node.inputs) > 1:
        return False
    operands = quants[:1] if node.op == "Reduce" else quants
    if node.op in _PICKS and node.attr(_PICKS[node.op][0]) in _PICKS[node.op][1]:
        operands.append(graph.tensors[node.outputs[0]].quant)
        return all(same_quant(q, operands[0]) for q in operands)
    return all(q is not None and q.axis is None for q in operands)


def _fits_16(weight: Tensor, x: Quant) -> bool:
    """Whether a filter multiplies int16: int8, and zero points of 0 on both sides."""
    return weight.dtype == "i8" and not weight.quant.zero_point.any() and x.zero_point[0] == 0


def _moves(graph: Graph, node: Node) -> bool:
    """Whether all operands have the scale of the result. Pooling also takes means."""
    quants = [graph.tensors[n].quant for n in node.inputs if n]
    first = next((q for q in quants if q is not None), None)
    others = [q for q in quants if q is not None]
    if first is None or first.axis is not None:
        return False
    if node.op == "Select" and len(others) < 2:
        return False
    if node.op == "Resize" and node.attr("mode") != "NEAREST" and not (
            node.attr("mode") == "LINEAR" and node.attr("coordinate") in _LINEAR
            and (node.attr("size") or node.has_input(1))):
        return False
    if node.op == "Pooling":
        names = {v: k for k, v in op_schema.numbers("Pooling", "pooling_type").items()}
        kind = names[node.attr("pooling_type")]
        if kind == "L2" or kind == "AVERAGE" and node.attr("count_include_pad"):
            return False
        if not plain(node) and node.attr("activation") not in CLAMPS:
            return False
    return (all(same_quant(q, first) for q in others)
            and all(same_quant(graph.tensors[o].quant, first) for o in node.outputs))


def _is_fixed(y: Tensor, units: int, zero: int) -> bool:
    """Whether quantized values have the scale 1 / units, and this zero point of i8, as their op
    always has."""
    zero += 128 if y.dtype == "u8" else 0
    return (y.quant is not None and y.quant.axis is None and y.quant.zero_point[0] == zero
            and abs(y.quant.scale[0] * units - 1) <= 1e-3)


def _dequantize_inputs(graph: Graph, node: Node) -> None:
    inputs = list(node.inputs)
    if node.op in CONV_LIKE and len(inputs) > 2 and inputs[2]:
        inputs[2] = float_bias(graph, node)
    for i, name in enumerate(node.inputs):
        tensor = graph.tensors[name] if name else None
        if tensor is None or tensor.quant is None:
            continue
        if tensor.is_const:
            inputs[i] = graph.add_const(f"{name}/float", dequantized(tensor.data, tensor.quant))
            if tensor.dtype == "i8":
                graph.tensors[inputs[i]].source_quant = tensor.quant
        else:
            inputs[i] = _dequantized(graph, name)
    graph.set_inputs(node, inputs)


def _dequantized(graph: Graph, name: str) -> str:
    """The result of the Dequantize of a tensor, which is added if there is none."""
    for reader in graph.consumers(name):
        if reader.op == "Dequantize":
            return reader.outputs[0]
    return graph.add("Dequantize", [name], [graph.fresh(f"{name}/float")]).outputs[0]


def float_bias(graph: Graph, node: Node) -> str:
    """The bias of a layer in float32; its quantized values have the scale of the products."""
    bias = graph.tensors[node.inputs[2]]
    x, w = (graph.tensors[n].quant for n in node.inputs[:2])
    if bias.dtype not in ("i32", "i64") or bias.data is None:
        return node.inputs[2]
    if x is None or w is None:
        raise ModelError(f"{node}: its bias is {bias.dtype}, and its operands have no scales")
    return graph.add_const(f"{bias.name}/float", bias.data * x.scale[0] * w.scale)


def _quantize_outputs(graph: Graph, node: Node) -> None:
    for i, name in enumerate(list(node.outputs)):
        tensor = graph.tensors[name]
        if tensor.quant is None:
            continue
        inner = graph.fresh(f"{name}/unquantized")
        graph.set_output(node, i, inner)
        graph.tensors[inner].quant, graph.tensors[inner].dtype = None, "f32"
        graph.add("Quantize", [inner], [name], to=tensor.dtype)
