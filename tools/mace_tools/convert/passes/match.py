"""Patterns that several passes share: constant operands, factors, squares, per-channel vectors,
convolution-like nodes.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np

from mace_tools.graph import op_schema
from mace_tools.graph.ir import Graph, Node, Tensor
from mace_tools.graph.quantization import dequantized

NO_ACTIVATION = op_schema.all_ops()["Activation"].default("activation")
# The attributes of an op that applies an activation to its result.
ACTIVATION_ATTRS = tuple(op_schema.all_ops()["Activation"].attrs)
# Those that a quantized layer applies itself: limits of its result.
CLAMPS = (NO_ACTIVATION, "RELU", "RELUX")
# Ops with weights in operand 1 and an optional bias in operand 2.
CONV_LIKE = ("Conv2d", "DepthwiseConv2d", "Deconv2d", "FullyConnected")


def plain(node: Node) -> bool:
    """Whether a node applies no activation to its result."""
    return node.attrs.get("activation") in (None, NO_ACTIVATION)


def is_op(node: Node | None, op: str, **attrs: object) -> bool:
    return (node is not None and node.op == op
            and all(node.attr(k) == v for k, v in attrs.items()))


def with_constant(graph: Graph, node: Node) -> tuple[str, np.ndarray, int] | None:
    """The computed operand, the constant, and the constant's index, of a node with one of each. Of
    a quantized constant: the dequantized values."""
    if len(node.inputs) != 2 or "" in node.inputs:
        return None
    left, right = (_dequantized_constant(graph.tensors[name]) for name in node.inputs)
    if right is not None and left is None:
        return node.inputs[0], right, 1
    if left is not None and right is None:
        return node.inputs[1], left, 0
    return None


def _dequantized_constant(tensor: Tensor) -> np.ndarray | None:
    if tensor.data is None or tensor.quant is None:
        return tensor.data
    return dequantized(tensor.data, tensor.quant)


def number(graph: Graph, name: str) -> Any:
    """The element of a constant that has one; None for any other tensor."""
    value = graph.const(name)
    return None if value is None or value.size != 1 else value.item()


def with_number(graph: Graph, node: Node) -> tuple[str, Any, int] | None:
    """As with_constant, if the constant is one number everywhere."""
    found = with_constant(graph, node)
    return None if found is None or found[1].size != 1 else (found[0], found[1].item(), found[2])


def scalar(graph: Graph, node: Node, value: float, tolerance: float = 1e-5) -> str | None:
    """The other operand of a node whose constant operand is this one number everywhere."""
    found = with_number(graph, node)
    return found[0] if found is not None and abs(found[1] - value) <= tolerance else None


def scaled(graph: Graph, node: Node | None) -> tuple[float, str] | None:
    """A number and the tensor that it multiplies, of a node that does so, or divides by its
    reciprocal."""
    found = with_number(graph, node) if is_op(node, "Eltwise") and plain(node) else None
    if found is None:
        return None
    x, factor, place = found
    if node.attrs["type"] == "PROD":
        return float(factor), x
    divides = node.attrs["type"] == "DIV" and place == 1 and factor
    return (1 / factor, x) if divides else None


def squared(graph: Graph, name: str) -> str:
    """x of x * x in one of its spellings; "" for another tensor."""
    node = graph.producer(name)
    if is_op(node, "Unary", type="SQUARE"):
        return node.inputs[0]
    if is_op(node, "Eltwise", type="PROD") and plain(node):
        return node.inputs[0] if node.inputs[0] == node.inputs[1] else ""
    is_power = is_op(node, "Eltwise", type="POW") and plain(node)
    return node.inputs[0] if is_power and number(graph, node.inputs[1]) == 2 else ""


def through(graph: Graph, name: str) -> str:
    """The tensor of which this one is the same."""
    node = graph.producer(name)
    while is_op(node, "Identity"):
        name = node.inputs[0]
        node = graph.producer(name)
    return name


def only_element(graph: Graph, name: str) -> str:
    """x of x[None]; "" for another tensor."""
    node = graph.producer(name)
    if is_op(node, "ExpandDims") and list(node.attr("axis")) == [0]:
        return node.inputs[0]
    before = graph.tensors[node.inputs[0]].static_shape if is_op(node, "Reshape") else None
    fits = before is not None and graph.tensors[name].static_shape == (1, *before)
    return node.inputs[0] if fits else ""


def channel_vector(graph: Graph, name: str, array: np.ndarray) -> np.ndarray | None:
    """A constant that varies only along the last axis of tensor `name`, as a vector."""
    shape = graph.shape(name)
    if not shape or shape[-1] is None or array.ndim > len(shape):
        return None
    channels = shape[-1]
    if array.size == 1:
        return np.full(channels, array.reshape(-1)[0], array.dtype)
    if array.ndim and array.shape[-1] == array.size == channels:
        return array.reshape(-1)
    return None


def only_producer(graph: Graph, name: str) -> Node | None:
    """The node that computes a tensor with a single reader, unless it is an output of the graph."""
    return graph.producer(name) if graph.only_consumer(name) is not None else None
