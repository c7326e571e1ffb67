"""Lets a quantized graph compute in float32, with its weights stored as the quantized values that
they are: for devices that compute with floats only.

SPDX-License-Identifier: Apache-2.0

Inputs and outputs keep their quantized values, with a Dequantize behind and a Quantize before. What
saturates at 0 when quantized is clamped there; nothing else is rounded, so that results are nearer
to the float model than quantized ones.
"""

import numpy as np

from mace_tools.convert.passes.dequantize_around import float_bias
from mace_tools.convert.passes.match import CONV_LIKE
from mace_tools.convert.passes.store_quantized_weights import store_quantized_weights
from mace_tools.convert.shape_inference import infer_graph
from mace_tools.graph.ir import NUMPY, Graph, Node, Tensor
from mace_tools.graph.quantization import as_signed, dequantized


def compute_in_float32(graph: Graph) -> bool:
    """Returns whether there was anything quantized. The graph is sorted, pruned and inferred."""
    quantized = [n for n in graph.nodes if graph.is_quantized(n) and not n.is_custom]
    if not quantized:
        return False
    biases = {n: float_bias(graph, n) for n in quantized if n.op in CONV_LIKE and n.has_input(2)}
    ends = {n: graph.tensors[n] for n in (*graph.inputs, *graph.outputs)
            if graph.tensors[n].quant is not None}
    for node in quantized:
        _clamp(graph, node)
    for name, tensor in ends.items():
        if name in graph.inputs:
            _behind_input(graph, tensor)
    for node, bias in biases.items():
        graph.set_inputs(node, [*node.inputs[:2], bias])
    for name, tensor in list(graph.tensors.items()):
        if tensor.quant is not None and name not in ends:
            _to_floats(tensor)
    for name, tensor in ends.items():
        if name in graph.outputs and name not in graph.inputs:
            _before_output(graph, tensor)
    _drop_rounding(graph, ends)
    graph.prune()
    graph.topo_sort()
    infer_graph(graph)
    store_quantized_weights(graph)
    graph.validate()
    return True


def _clamp(graph: Graph, node: Node) -> None:
    """Makes a ReLU of quantized values that saturate at 0."""
    if "activation" not in node.attrs and node.op not in CONV_LIKE and node.op != "Eltwise":
        return
    y = graph.tensors[node.outputs[0]]
    if y.quant is None or y.quant.axis is not None or node.op == "Activation":
        return
    limits = np.iinfo(NUMPY[y.dtype])
    scale, zero = float(y.quant.scale[0]), int(y.quant.zero_point[0])
    if zero == limits.min and node.attr("activation") in ("NOOP", "RELU", "RELUX"):
        limit = scale * (limits.max - zero)
        if node.attr("activation") == "RELUX":
            limit = min(limit, float(node.attr("max_limit")))
        node.attrs |= {"activation": "RELUX", "max_limit": limit}


def _to_floats(tensor: Tensor) -> None:
    quant, tensor.quant = tensor.quant, None
    if tensor.is_const:
        tensor.source_quant = (as_signed(quant, tensor.dtype) if tensor.dtype in ("i8", "u8")
                               else None)
        tensor.data = dequantized(tensor.data, quant)
    tensor.dtype = "f32"


def _behind_input(graph: Graph, tensor: Tensor) -> None:
    made = graph.fresh(f"{tensor.name}/float")
    graph.replace_uses(tensor.name, made)
    graph.add("Dequantize", [tensor.name], [made], made)
    graph.tensors[made].shape = tensor.shape


def _before_output(graph: Graph, tensor: Tensor) -> None:
    """Only the last node quantizes; those that read the tensor read its floats."""
    maker = graph.producer(tensor.name)
    inner = graph.fresh(f"{tensor.name}/float")
    graph.add_tensor(Tensor(inner, "f32", tensor.shape))
    graph.set_output(maker, maker.outputs.index(tensor.name), inner)
    graph.replace_uses(tensor.name, inner)
    graph.add("Quantize", [inner], [tensor.name], f"{tensor.name}/quantized", to=tensor.dtype)


def _drop_rounding(graph: Graph, ends: dict[str, Tensor]) -> None:
    """Removes pairs that quantize and dequantize within the graph."""
    for node in list(graph.nodes):
        if node.op in ("Quantize", "Dequantize") and node.inputs[0] not in ends \
                and node.outputs[0] not in ends:
            graph.bypass(node, node.inputs[0])
