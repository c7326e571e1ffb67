"""Reorders the weight of a FullyConnected so that its operand need not be transposed.

SPDX-License-Identifier: Apache-2.0
"""

import math

from mace_tools.convert.passes.match import only_producer
from mace_tools.convert.passes.sink_transposes import transposed
from mace_tools.graph.ir import Graph, Node
from mace_tools.graph.permute import inverse


def fc_after_transpose(graph: Graph) -> None:
    for node in list(graph.nodes):
        if graph.is_quantized(node):
            continue
        if node.op == "FullyConnected":
            _reorder(graph, node)


def _reorder(graph: Graph, node: Node) -> None:
    """FC(flatten(T(x)), w) = FC(flatten(x), w')."""
    view = only_producer(graph, node.inputs[0])
    weight = graph.const(node.inputs[1])
    if view is None or view.op not in ("Reshape", "Flatten") or len(view.inputs) > 1:
        return
    found = transposed(graph, view.inputs[0])
    flat, shape = graph.shape(view.outputs[0]), graph.shape(view.inputs[0])
    if found is None or weight is None or found[1][0] != 0 or not flat or not shape:
        return
    features = shape[1:]
    if None in features or len(flat) != 2 or flat[1] != weight.shape[1] or flat[0] != shape[0]:
        return
    if math.prod(features) != flat[1]:  # flat[0] and shape[0] may be different unknown extents
        return
    order = [0, *inverse(found[1])[1:]]
    moved = weight.reshape(weight.shape[0], *features).transpose(order).reshape(weight.shape)
    name = graph.add_const(node.inputs[1], moved, like=node.inputs[1])
    # Along axis 0, if any.
    graph.tensors[name].source_quant = graph.tensors[node.inputs[1]].source_quant
    graph.set_inputs(view, [found[0]])
    is_copied = view.op == "Reshape" and not view.attr("allow_zero")
    if is_copied and 0 in view.attr("dim")[1:]:  # an extent as in another order
        view.attrs["dim"] = [0, -1]
    graph.origins.pop(view.outputs[0], None)
    graph.set_inputs(node, [node.inputs[0], name, *node.inputs[2:]])
