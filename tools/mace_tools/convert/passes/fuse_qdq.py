"""Computes on quantized tensors what the source computes in float32 between quantized tensors.

SPDX-License-Identifier: Apache-2.0

    int8 -> Dequantize -> node -> Quantize -> int8          as ONNX and TensorFlow write it
    int8 -> node -> int8                                    where the engine computes it so

Dequantize moves down and Quantize up past nodes that only move elements, which changes no result.
The arithmetic of a node on quantized tensors is that of TFLite: its results differ by at most a
step from rounded float32 results. Uint8 values become int8 first, by a zero point that is less by
128, because weights are int8.
"""

import numpy as np

from mace_tools.convert.passes import quantized_operands
from mace_tools.convert.passes.dequantize_around import computes_quantized
from mace_tools.convert.passes.move_quantize import move_quantize
from mace_tools.graph.ir import Graph, Node, Tensor
from mace_tools.graph.quantization import as_signed, same_quant


def fuse_qdq(graph: Graph) -> None:
    if not graph.rounds_floats:
        return
    _use_signed(graph)
    move_quantize(graph)
    _drop_clamps(graph)
    for node in list(graph.nodes):
        _fuse(graph, node)
    _requantize(graph)
    left = [n for n in graph.nodes if not graph.is_quantized(n) and _reads_quantized(graph, n)]
    if left:
        ops = sorted({n.op for n in left})
        graph.notes.append(f"computed in float32 between quantized tensors: {len(left)} nodes "
                           f"({', '.join(ops)})")


def _reads_quantized(graph: Graph, node: Node) -> bool:
    makers = [graph.producer(i) for i in node.inputs if i]
    return any(m is not None and m.op == "Dequantize" for m in makers)


def _use_signed(graph: Graph) -> None:
    """Makes int8 values of uint8 ones. Inputs and outputs of the graph keep their type."""
    if any(n.is_custom and graph.is_quantized(n) for n in graph.nodes):
        return
    for tensor in list(graph.tensors.values()):
        if tensor.dtype != "u8" or tensor.quant is None or tensor.quant.axis is not None:
            continue
        signed = as_signed(tensor.quant, "u8")
        if tensor.is_const:
            tensor.data = (tensor.data.astype(np.int16) - 128).astype(np.int8)
        elif tensor.name in graph.inputs:
            inner = _tensor_like(graph, tensor, "i8", f"{tensor.name}/signed")
            graph.replace_uses(tensor.name, inner.name)
            _quantize(graph, tensor.name, inner.name, "i8")
            inner.quant = signed
            continue
        elif tensor.name in graph.outputs:
            maker = graph.producer(tensor.name)
            inner = _tensor_like(graph, tensor, "i8", f"{tensor.name}/signed")
            inner.quant = signed
            graph.set_output(maker, maker.outputs.index(tensor.name), inner.name)
            graph.replace_uses(tensor.name, inner.name)
            _quantize(graph, inner.name, tensor.name, "u8")
            if maker.op == "Quantize":
                maker.attrs["to"] = "i8"
            continue
        tensor.dtype, tensor.quant = "i8", signed
        maker = graph.producer(tensor.name)
        if maker is not None and maker.op == "Quantize":
            maker.attrs["to"] = "i8"


def _tensor_like(graph: Graph, like: Tensor, dtype: str, base: str) -> Tensor:
    return graph.add_tensor(Tensor(graph.fresh(base), dtype, like.shape, quant=like.quant))


def _quantize(graph: Graph, x: str, y: str, to: str) -> None:
    graph.add("Quantize", [x], [y], to=to, rounding="EVEN")


def _drop_clamps(graph: Graph) -> None:
    """Removes clamps in front of Quantize that cut nothing but what saturates there."""
    for node in list(graph.nodes):
        limits = _limits(node)
        after = graph.only_consumer(node.outputs[0]) if limits is not None else None
        if after is None or after.op != "Quantize" or len(node.inputs) != 1:
            continue
        y = graph.tensors[after.outputs[0]]
        most = np.iinfo(y.dtype.replace("i", "int").replace("u", "uint"))
        scale, zero = float(y.quant.scale[0]), int(y.quant.zero_point[0])
        # Quantized values are rounded: what lies within half a step of the end has the value of the
        # end.
        if limits[0] <= scale * (most.min - zero) * (1 - 1e-6) + scale * 1e-3 and \
                limits[1] >= scale * (most.max - zero) * (1 - 1e-6) - scale * 1e-3:
            graph.bypass(node, node.inputs[0])


def _limits(node: Node) -> tuple[float, float] | None:
    """The least and the largest result of a clamp; None for other nodes."""
    if node.op == "Clip" and len(node.inputs) == 1:
        return float(node.attr("min")), float(node.attr("max"))
    if node.op == "Activation" and node.attr("activation") == "RELU":
        return 0.0, np.inf
    if node.op == "Activation" and node.attr("activation") == "RELUX":
        return 0.0, float(node.attr("max_limit"))
    return None


def _fuse(graph: Graph, node: Node) -> bool:
    """Lets a node read and make quantized values if it is between Dequantize and Quantize, and the
    engine computes it so."""
    if node.is_custom or len(node.outputs) != 1 or node.op in ("Quantize", "Dequantize") \
            or graph.is_quantized(node):
        return False
    quantize = graph.only_consumer(node.outputs[0])
    if quantize is None or quantize.op != "Quantize":
        return False
    y = quantize.outputs[0]
    inputs = quantized_operands.of_node(graph, node, graph.tensors[y])
    if inputs is None:
        return False
    floats, out = list(node.inputs), node.outputs[0]
    kept = (quantize.name, quantize.inputs, quantize.outputs, dict(quantize.attrs))
    graph.remove(quantize)
    graph.set_inputs(node, inputs)
    graph.set_output(node, 0, y)
    if computes_quantized(graph, node):
        return True
    graph.set_inputs(node, floats)
    graph.set_output(node, 0, out)
    name, ins, outs, attrs = kept
    graph.add("Quantize", ins, outs, name, **attrs)
    return False


def _requantize(graph: Graph) -> None:
    """Quantize(Dequantize(x)) reads the quantized values of x, or goes if they are its own."""
    for node in list(graph.nodes):
        maker = graph.producer(node.inputs[0]) if node.op == "Quantize" else None
        if maker is None or maker.op != "Dequantize":
            continue
        x, y = graph.tensors[maker.inputs[0]], graph.tensors[node.outputs[0]]
        graph.set_inputs(node, [x.name])
        if x.dtype == y.dtype and same_quant(x.quant, y.quant):
            graph.bypass(node, x.name)
