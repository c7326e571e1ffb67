"""Fuses an activation into the node before it.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.passes.match import ACTIVATION_ATTRS, only_producer, plain, with_constant
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Attr, Graph, Node

_HOSTS = tuple(op for op in op_schema.ops_with("activation") if op != "Activation")
# Ops that do not change elements: an activation after them may come before them instead.
_MOVING = (*op_schema.views(), "Transpose", "ChannelShuffle")


def canonical_activations(graph: Graph) -> None:
    """Rewrites max(x, 0) and clipping to [0, c] as Activation RELU and RELUX."""
    for node in graph.nodes:
        attrs = _as_activation(graph, node)
        if attrs is not None:
            source = with_constant(graph, node)[0] if node.op == "Eltwise" else node.inputs[0]
            graph.set_inputs(node, [source])
            node.op, node.attrs = "Activation", attrs


def fuse_activation(graph: Graph) -> None:
    for node in list(graph.nodes):
        if node.op != "Activation":
            continue
        host = only_producer(graph, node.inputs[0])
        moving = []
        while host is not None and host.op in _MOVING:
            moving.append(host)
            host = only_producer(graph, host.inputs[0])
        if host is None or host.op not in _HOSTS or not plain(host):
            continue
        if graph.tensors[node.inputs[0]].dtype not in ("f32", "f16"):
            continue
        host.attrs.update({k: v for k, v in node.attrs.items() if k in ACTIVATION_ATTRS})
        graph.bypass(node, node.inputs[0], fused=True)
        for before in moving:  # the activation now comes before them
            graph.origins.pop(before.inputs[0], None)


def _as_activation(graph: Graph, node: Node) -> dict[str, Attr] | None:
    if graph.tensors[node.outputs[0]].dtype not in ("f32", "f16"):
        return None
    if node.op == "Clip" and len(node.inputs) == 1 and node.attr("min") == 0:
        high = float(node.attr("max"))
        if high > 3e38:
            return {"activation": "RELU"}
        return {"activation": "RELUX", "max_limit": high} if high > 0 else None
    if node.op == "Eltwise" and node.attrs["type"] == "MAX" and plain(node):
        found = with_constant(graph, node)
        same = found is not None and graph.shape(found[0]) == graph.shape(node.outputs[0])
        if same and found[1].size == 1 and not found[1].any():
            return {"activation": "RELU"}
    return None
