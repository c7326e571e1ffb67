"""Copies of graphs that may be changed, and activations in nodes of their own where the engine
applies them to quantized values by a table.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import replace

from mace_tools.convert.passes.match import ACTIVATION_ATTRS, CLAMPS, plain
from mace_tools.graph.ir import Graph, Node


def clone(graph: Graph) -> Graph:
    """A copy that shares the contents of constants."""
    new = Graph(graph.name)
    new.tensors = {name: replace(tensor) for name, tensor in graph.tensors.items()}
    for node in graph.nodes:
        copy = new.add(node.op, node.inputs, node.outputs, node.name)
        copy.attrs, copy.types = dict(node.attrs), node.types
    new.inputs, new.outputs = list(graph.inputs), list(graph.outputs)
    new.origins, new.values = dict(graph.origins), dict(graph.values)
    new.notes, new.shape_dependent = list(graph.notes), list(graph.shape_dependent)
    new.states = {name: replace(state) for name, state in graph.states.items()}
    new.open_dims, new.subgraphs = dict(graph.open_dims), dict(graph.subgraphs)
    new.rounds_floats = graph.rounds_floats
    return new


def split_activations(graph: Graph) -> None:
    """Takes activations other than CLAMPS out of the nodes that apply them."""
    for node in list(graph.nodes):
        if node.op == "Activation" or node.is_custom or plain(node):
            continue
        if node.attrs["activation"] not in CLAMPS and len(node.outputs) == 1:
            _split(graph, node)
    graph.topo_sort()


def _split(graph: Graph, node: Node) -> None:
    out = node.outputs[0]
    attrs = {a: node.attrs.pop(a) for a in ACTIVATION_ATTRS if a in node.attrs}
    inner = graph.fresh(f"{out}/linear")
    graph.set_output(node, 0, inner)
    graph.tensors[inner].shape = graph.tensors[out].shape
    graph.add("Activation", [inner], [out], graph.fresh(f"{node.name}/activation"), **attrs)
