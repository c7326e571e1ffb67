"""Patterns that several passes share: constant operands, per-channel vectors, convolution-like
nodes.

SPDX-License-Identifier: Apache-2.0
"""

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


def scalar(graph: Graph, node: Node, value: float, tolerance: float = 1e-5) -> str | None:
    """The other operand of a node whose constant operand is this one number everywhere."""
    found = with_constant(graph, node)
    if found is None or found[1].size != 1:
        return None
    return found[0] if abs(float(found[1].reshape(-1)[0]) - value) <= tolerance else None


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
