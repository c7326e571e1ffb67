"""The operands of a node that is to compute on quantized values.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.passes.match import CONV_LIKE, is_op
from mace_tools.graph.ir import Graph, Node, Quant, Tensor
from mace_tools.graph.quantization import quantized_data
from mace_tools.support.errors import ModelError

# The axis of a filter along which its scales may lie.
_AXIS = {"Conv2d": 0, "DepthwiseConv2d": 1, "FullyConnected": 0}
_MAX = 1 << 31  # sums are int32
_MAX_SHARES = 1 << 12  # elements of a Softmax
# Relative error of a scale that is a product of two in single precision.
_ROUNDED = 1e-3


def of_node(graph: Graph, node: Node, y: Tensor) -> list[str] | None:
    """Quantized operands with which the node makes those of y; None if there are none.

    Errors: ModelError for a bias whose scale is not that of the products."""
    if y.dtype == "i16":  # floats round less
        return None
    if node.op in CONV_LIKE:
        return _of_layer(graph, node, y)
    found = [_quantized(graph, name) for name in node.inputs]
    if any(t is None for t in found) or not _fits(node, found, y):
        return None
    return [as_added(graph, t) for t in found]


def _quantized(graph: Graph, name: str) -> Tensor | None:
    """The quantized values, per tensor, that an operand stands for; those of constants are not yet
    part of the graph."""
    if not name:
        return None
    tensor = graph.tensors[name]
    if tensor.data is None:
        found = dequantized_from(graph, name)
        return found if found is not None and found.dtype != "i16" else None
    if tensor.source_quant is not None and tensor.source_quant.axis is None:
        quantized, quant = quantized_data(tensor, "i8"), tensor.source_quant
    elif tensor.dtype == "f32" and tensor.data.size == 1 and math.isfinite(tensor.data.item()):
        # One number is a quantized value of 1, 0 or -1 times itself.
        value = tensor.data.item()
        quantized = np.full(tensor.data.shape, np.sign(value), np.int8)
        quant = Quant(np.float32([abs(value) or 1]), np.zeros(1, np.int64))
    else:
        return None
    return None if quantized is None else Tensor(f"{name}/quantized", "i8", tensor.shape, quantized,
                                                 quant=quant)


def dequantized_from(graph: Graph, name: str) -> Tensor | None:
    """The quantized values, per tensor, from which a tensor is dequantized."""
    maker = graph.producer(name)
    found = graph.tensors[maker.inputs[0]] if is_op(maker, "Dequantize") else None
    return found if found is not None and found.quant is not None and (
        found.quant.axis is None) else None


def as_added(graph: Graph, tensor: Tensor) -> str:
    """The name of a tensor, which becomes part of the graph if it is none yet."""
    if tensor.data is None or tensor.name in graph.tensors:
        return tensor.name
    name = graph.add_const(tensor.name, tensor.data)
    graph.tensors[name].quant = tensor.quant
    return name


def _fits(node: Node, found: list[Tensor], y: Tensor) -> bool:
    """Whether the fixed-point arithmetic of the node holds its numbers."""
    scales = [float(t.quant.scale[0]) for t in found]
    out = float(y.quant.scale[0])
    if node.op == "Eltwise" and node.attr("type") == "PROD":
        return len(scales) == 2 and scales[0] * scales[1] / out < 1 << 14
    if node.op == "Eltwise":
        return max(scales) / out < 1 << 21
    if node.op == "Softmax":
        extents = found[0].static_shape
        return extents is not None and extents[node.attr("axis")] < _MAX_SHARES
    if node.op == "Activation" and node.attr("activation") == "HARDSWISH":
        return scales[0] / 128 < out / 2
    return scales[0] / out < 1 << 20


def _of_layer(graph: Graph, node: Node, y: Tensor) -> list[str] | None:
    """Of a convolution or a product with a constant matrix."""
    x, w = _quantized(graph, node.inputs[0]), graph.tensors[node.inputs[1]]
    axis = _AXIS.get(node.op)
    if x is None or x.is_const or w.source_quant is None or axis is None:
        return None
    quant = w.source_quant
    if quant.axis is not None and quant.scale.size > 1 and (
            quant.axis != axis or quant.zero_point.any()):
        return None
    if quant.scale.size == 1:
        quant = Quant(quant.scale, quant.zero_point)
    weights = quantized_data(w, "i8")
    if weights is None:
        return None
    unit = float(x.quant.scale[0]) * quant.scale.astype(np.float64)
    inputs = [x.name, ""]
    sums = _largest_sum(node, weights, quant)
    if node.has_input(2):
        bias = _bias(graph, node, unit)
        if bias is None:
            return None
        sums = sums + np.abs(bias.astype(np.float64)).max(initial=0)
        inputs.append("")
    # Sums are scaled by a power of two first if the scale of y is small.
    factor = (unit / float(y.quant.scale[0])).max()
    if sums * max(1.0, 2 * factor) >= _MAX:
        return None
    inputs[1] = as_added(graph, Tensor(f"{w.name}/quantized", "i8", w.shape, weights, quant=quant))
    if node.has_input(2):
        inputs[2] = graph.add_const(f"{node.inputs[2]}/quantized", bias)
    return inputs


def _largest_sum(node: Node, weights: np.ndarray, quant: Quant) -> float:
    """The largest magnitude of a sum of products with any int8."""
    zero = int(quant.zero_point[0]) if quant.axis is None else 0
    outer = 2 if node.op == "DepthwiseConv2d" else 1
    sums = np.abs(weights.astype(np.int64) - zero).sum(axis=tuple(range(outer, weights.ndim)))
    return 255.0 * float(sums.max(initial=0))


def _bias(graph: Graph, node: Node, unit: np.ndarray) -> np.ndarray | None:
    """The bias in units of the products, int32; None if it is computed or too large.

    Errors: ModelError if it stands for quantized values of another unit."""
    bias = graph.tensors[node.inputs[2]]
    if bias.data is None:
        return None
    if bias.source_quant is not None and not bias.source_quant.zero_point.any():
        scale = bias.source_quant.scale.astype(np.float64)
        wrong = np.abs(scale - unit) > _ROUNDED * unit if scale.size in (1, unit.size) \
            or unit.size == 1 else np.ones(1, bool)
        if wrong.any():
            raise ModelError(
                f"{node}: its bias '{bias.name}' has the scale {scale.max():.6g}, and its operands "
                f"'{node.inputs[0]}' and '{node.inputs[1]}' have the product of scales "
                f"{unit.max():.6g}: they must be equal; quantize the model again, or leave the "
                "bias in float32")
    quantized = np.rint(bias.data.astype(np.float64) / unit)
    return None if np.abs(quantized).max(initial=0) >= _MAX else quantized.astype(np.int32)
