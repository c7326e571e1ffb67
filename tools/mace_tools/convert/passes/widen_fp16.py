"""Turns fp16 activations into float32 ones; weights stay stored as fp16.

SPDX-License-Identifier: Apache-2.0

The model decides what types mean, and the device decides where to compute in them: the engine
narrows float32 activations around layers with fp16 weights where the device has fp16 arithmetic
(mace/plan/passes/narrow_to_fp16.h), and every device computes in float32. The model's inputs and
outputs stay fp16, with a Cast behind or before them, and a Cast to fp16 within the model still
rounds. Results between nodes are not rounded, so they are at least as exact as in fp16 and do not
overflow where fp16 would. KV caches stay fp16, too: devices read their rows one by one.
"""

import numpy as np

from mace_tools.graph.ir import Graph, Node, Tensor

# What fp16 holds exactly: a Cast of these to fp16 rounds nothing.
_EXACT = ("bool", "i8", "u8")
# The operands that may be KV caches.
_CACHES = {"UpdateKvCache": (0,), "Attention": (1, 2), "Identity": (0,)}


def widen_fp16(graph: Graph) -> None:
    of_bits = [node for node in graph.nodes
               if node.op == "Bitcast" and graph.tensors[node.inputs[0]].dtype == "f16"]
    for tensor in graph.tensors.values():
        if tensor.dtype == "f16" and tensor.data is not None:
            tensor.data, tensor.dtype, tensor.stored = widened(tensor.data), "f32", "f16"
    made, caches = list(graph.nodes), _kv_caches(graph)
    for name in graph.inputs:
        if graph.tensors[name].dtype == "f16" and name not in caches:
            _widen_readers(graph, name)
    for node in made:
        if node.op == "Cast" and node.attrs["to"] == "f16":
            _widen_cast(graph, node)
            continue
        if node.op == "Bitcast" and node.attrs["to"] == "f16":
            _widen_readers(graph, node.outputs[0])
            continue
        if node.attrs.get("dtype") == "f16" and not node.is_custom:
            node.attrs["dtype"] = "f32"
            if "value" in node.attrs:
                node.attrs["value"] = float(np.float16(node.attrs["value"]))
        for k, out in enumerate(node.outputs):
            if graph.tensors[out].dtype == "f16" and out not in caches:
                _widen_output(graph, node, k)
    for node in of_bits:
        _round_operand(graph, node)


def _kv_caches(graph: Graph) -> set[str]:
    """Caches of fp16, before and after an update, that are read as caches only."""
    found: set[str] = set()
    for node in graph.nodes:
        if node.op == "UpdateKvCache" and graph.tensors[node.inputs[0]].dtype == "f16":
            states = {node.inputs[0], *_copies(graph, node.outputs[0])}
            if all(_is_read_as_cache(graph, name) for name in states):
                found |= states
    return found


def _copies(graph: Graph, name: str) -> list[str]:
    """The tensor, and what Identity makes of it."""
    return [name, *(copy for node in graph.consumers(name) if node.op == "Identity"
                    for copy in _copies(graph, node.outputs[0]))]


def _is_read_as_cache(graph: Graph, name: str) -> bool:
    return all(k in _CACHES.get(node.op, ()) for node in graph.consumers(name)
               for k, operand in enumerate(node.inputs) if operand == name)


def widened(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array.astype(np.float32)).reshape(array.shape)


def _widen_cast(graph: Graph, node: Node) -> None:
    """Keeps the rounding of a Cast to fp16; its readers then read float32."""
    out = node.outputs[0]
    if out not in graph.outputs and graph.tensors[node.inputs[0]].dtype in _EXACT:
        node.attrs["to"] = graph.tensors[out].dtype = "f32"
    else:
        _widen_readers(graph, out)


def _widen_readers(graph: Graph, name: str) -> None:
    """Makes all nodes that read an fp16 tensor read it as float32."""
    readers = graph.consumers(name)
    if readers:
        wide = _wide_copy(graph, name)
        graph.replace_uses(name, wide)
        graph.add("Cast", [name], [wide], to="f32")


def _widen_output(graph: Graph, node: Node, index: int) -> None:
    """Makes an output float32. If it is an output of the model, other nodes read it before
    rounding."""
    name = node.outputs[index]
    if name not in graph.outputs:
        graph.tensors[name].dtype = "f32"
        return
    wide = _wide_copy(graph, name)
    graph.set_output(node, index, wide)
    graph.replace_uses(name, wide)
    graph.add("Cast", [wide], [name], to="f16")


def _round_operand(graph: Graph, node: Node) -> None:
    """Gives a node that reads the bits of fp16 numbers these numbers as fp16."""
    x = node.inputs[0]
    half = graph.fresh(f"{x}/f16")
    graph.add_tensor(Tensor(half, "f16", graph.tensors[x].shape))
    graph.add("Cast", [x], [half], to="f16")
    graph.set_inputs(node, [half])


def _wide_copy(graph: Graph, name: str) -> str:
    wide = graph.fresh(f"{name}/f32")
    graph.add_tensor(Tensor(wide, "f32", graph.tensors[name].shape))
    return wide
