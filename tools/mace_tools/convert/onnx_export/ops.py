"""What each op of the engine is in ONNX.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mace_tools.convert.onnx_export.writer import Refused, Writer
from mace_tools.convert.ops.common.resizing import Axis, nearest
from mace_tools.convert.ops.common.windows import windows_of
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Node, Shape

Write = Callable[[Writer, Node], None]
_POOLING = {v: k for k, v in op_schema.numbers("Pooling", "pooling_type").items()}
_CEIL = op_schema.numbers("Pooling", "round_mode")["CEIL"]
_ELTWISE = {"SUM": "Add", "SUB": "Sub", "PROD": "Mul", "DIV": "Div", "MIN": "Min", "MAX": "Max"}
_ACTIVATIONS = {"RELU": "Relu", "SIGMOID": "Sigmoid", "TANH": "Tanh", "HARDSWISH": "HardSwish",
                "SOFTPLUS": "Softplus", "SOFTSIGN": "Softsign"}
_REDUCE = {"MEAN": "ReduceMean", "SUM": "ReduceSum", "MAX": "ReduceMax", "MIN": "ReduceMin"}


def activated(w: Writer, node: Node, x: str) -> str:
    """The activation that a node applies, if any."""
    kind = str(node.attr("activation"))
    if kind == "NOOP":
        return x
    base = f"{node.outputs[0]}/{kind.lower()}"
    if kind in _ACTIVATIONS:
        return w.op(_ACTIVATIONS[kind], [x], base)
    if kind == "RELUX":
        limits = [w.const(f"{base}/{end}", np.float32(v))
                  for end, v in (("least", 0), ("most", node.attr("max_limit")))]
        return w.op("Clip", [x, *limits], base)
    if kind in ("LEAKYRELU", "ELU"):
        return w.op({"LEAKYRELU": "LeakyRelu", "ELU": "Elu"}[kind], [x], base,
                    alpha=float(node.attr("activation_coefficient")))
    raise Refused(f"the activation {kind} has no counterpart here")


def pads(w: Writer, node: Node, kernel: list[int]) -> list[int]:
    """Top, left, bottom, right."""
    _, before, after = zip(*windows_of(node, w.shape(node.inputs[0]), kernel))
    return [*before, *after]


def _window(w: Writer, node: Node, kernel: list[int]) -> dict[str, Any]:
    return {"kernel_shape": kernel, "strides": list(node.attr("strides")),
            "dilations": list(node.attr("dilations")), "pads": pads(w, node, kernel)}


def _weights(w: Writer, node: Node, order: Callable[[np.ndarray], np.ndarray], axis: int) -> str:
    tensor = w.graph.tensors[node.inputs[1]]
    if tensor.data is None:
        raise Refused("its weights are computed")
    if tensor.quant is None:
        return w.const(tensor.name, order(tensor.data))
    return w.quantized(tensor.name, order(tensor.data), tensor.quant, axis)


def _bias(w: Writer, node: Node) -> list[str]:
    return [w.bias(node.inputs[2], *node.inputs[:2])] if node.has_input(2) else []


def conv(w: Writer, node: Node) -> None:
    shape = w.shape(node.inputs[1])
    found = w.op("Conv", [w.first(node.inputs[0]), _weights(w, node, np.array, 0),
                          *_bias(w, node)], f"{node.outputs[0]}/conv",
                 group=int(node.attr("group")), **_window(w, node, list(shape[2:])))
    w.put(node.outputs[0], activated(w, node, found), first=True)


def depthwise(w: Writer, node: Node) -> None:
    shape = w.shape(node.inputs[1])

    def outputs_first(data: np.ndarray) -> np.ndarray:
        """Output c * M + m is filter [m, c]."""
        return data.transpose(1, 0, 2, 3).reshape(-1, 1, *shape[2:])

    if shape[0] > 1 and w.graph.tensors[node.inputs[1]].quant is not None \
            and w.graph.tensors[node.inputs[1]].quant.axis is not None:
        raise Refused("its filter has several outputs for a channel, and a scale for each channel")
    found = w.op("Conv", [w.first(node.inputs[0]), _weights(w, node, outputs_first, 0),
                          *_bias(w, node)], f"{node.outputs[0]}/conv", group=int(shape[1]),
                 **_window(w, node, list(shape[2:])))
    w.put(node.outputs[0], activated(w, node, found), first=True)


def fully_connected(w: Writer, node: Node) -> None:
    x, y = node.inputs[0], node.outputs[0]
    depth = w.shape(node.inputs[1])[1]
    rows = w.op("Reshape", [w.plain(x), w.const(f"{y}/rows", np.int64([-1, depth]))], f"{x}/rows")
    found = w.op("Gemm", [rows, _weights(w, node, np.array, 0), *_bias(w, node)], f"{y}/gemm",
                 transB=1)
    found = activated(w, node, found)
    shape = w.shape(y)
    if len(shape) != 2:
        found = w.op("Reshape", [found, w.const(f"{y}/shape", np.int64(shape))], f"{y}/shaped")
    w.put(y, found)


def mat_mul(w: Writer, node: Node) -> None:
    names = []
    for name, flag in zip(node.inputs, ("transpose_a", "transpose_b")):
        rank, found = len(w.shape(name)), w.plain(name)
        if node.attr(flag) and rank > 1:
            found = w.op("Transpose", [found], f"{name}/transposed",
                         perm=[*range(rank - 2), rank - 1, rank - 2])
        names.append(found)
    w.put(node.outputs[0], w.op("MatMul", names, f"{node.outputs[0]}/product"))


def pooling(w: Writer, node: Node) -> None:
    kind = _POOLING[node.attr("pooling_type")]
    x = w.first(node.inputs[0])
    if kind == "L2":
        raise Refused("ONNX has no root of means of squares")
    name, base = {"MAX": "Max", "AVERAGE": "Average"}[kind], f"{node.outputs[0]}/pool"
    if node.attr("global"):
        found = w.op(f"Global{name}Pool", [x], base)
    else:
        attrs = _window(w, node, list(node.attr("kernels")))
        if kind == "AVERAGE":
            if attrs.pop("dilations") != [1, 1]:
                raise Refused("a mean with dilations")
            attrs["count_include_pad"] = int(node.attr("count_include_pad"))
        found = w.op(f"{name}Pool", [x], base, ceil_mode=int(node.attr("round_mode") == _CEIL),
                     **attrs)
    w.put(node.outputs[0], activated(w, node, found), first=True)


def eltwise(w: Writer, node: Node) -> None:
    kind = _ELTWISE.get(str(node.attr("type")))
    if kind is None:
        raise Refused(f"the type {node.attr('type')} has no counterpart here")
    first = all(w.is_first(name) for name in node.inputs)
    read = w.first if first else w.plain
    found = w.op(kind, [read(name) for name in node.inputs], f"{node.outputs[0]}/{kind.lower()}")
    w.put(node.outputs[0], activated(w, node, found), first=first)


def activation(w: Writer, node: Node) -> None:
    first = w.is_first(node.inputs[0])
    x = (w.first if first else w.plain)(node.inputs[0])
    w.put(node.outputs[0], activated(w, node, x), first=first)


def softmax(w: Writer, node: Node) -> None:
    kind = "LogSoftmax" if node.attr("use_log") else "Softmax"
    w.put(node.outputs[0], w.op(kind, [w.plain(node.inputs[0])],
                                f"{node.outputs[0]}/{kind.lower()}", axis=int(node.attr("axis"))))


def reduce(w: Writer, node: Node) -> None:
    kind = _REDUCE.get(str(node.attr("reduce_type")))
    if kind is None:
        raise Refused(f"the type {node.attr('reduce_type')} has no counterpart here")
    x, y = node.inputs[0], node.outputs[0]
    axes = list(node.attr("axis")) or list(range(len(w.shape(x))))
    keep = int(node.attr("keepdims"))
    if kind == "ReduceSum":  # whose axes are an operand in the version that is written
        found = w.op(kind, [w.plain(x), w.const(f"{y}/axes", np.int64(axes))], f"{y}/sum",
                     keepdims=keep)
    else:
        found = w.op(kind, [w.plain(x)], f"{y}/{kind.lower()}", axes=axes, keepdims=keep)
    w.put(y, found)


def view(w: Writer, node: Node) -> None:
    """Ops that only give the elements another shape."""
    y = node.outputs[0]
    shape = w.const(f"{y}/shape", np.int64(w.shape(y)))
    w.put(y, w.op("Reshape", [w.plain(node.inputs[0]), shape], f"{y}/reshaped"))


def concat(w: Writer, node: Node) -> None:
    axis = int(node.attr("axis")) % len(w.shape(node.outputs[0]))
    first = all(w.is_first(name) for name in node.inputs)
    if first:
        axis = [0, 2, 3, 1][axis]
    found = w.op("Concat", [(w.first if first else w.plain)(n) for n in node.inputs],
                 f"{node.outputs[0]}/concat", axis=axis)
    w.put(node.outputs[0], found, first=first)


def pad(w: Writer, node: Node) -> None:
    modes = {"CONSTANT": "constant", "REFLECT": "reflect", "EDGE": "edge"}
    mode = modes.get(str(node.attr("pad_type")))
    if mode is None or node.has_input(1):
        raise Refused("its mode or its operand has no counterpart here")
    pairs = np.int64(node.attr("paddings")).reshape(-1, 2)
    y = node.outputs[0]
    value = np.float32(node.attr("constant_value"))
    found = w.op("Pad", [w.plain(node.inputs[0]), w.const(f"{y}/pads", pairs.T.ravel()),
                         w.const(f"{y}/value", value)], f"{y}/padded", mode=mode)
    w.put(y, found)


def transpose(w: Writer, node: Node) -> None:
    x, y = node.inputs[0], node.outputs[0]
    dims = list(node.attr("dims")) or list(range(len(w.shape(x))))[::-1]
    w.put(y, w.op("Transpose", [w.plain(x)], f"{y}/transposed", perm=dims))


def resize(w: Writer, node: Node) -> None:
    ways = {"ASYMMETRIC": "asymmetric", "HALF_PIXEL": "half_pixel",
            "ALIGN_CORNERS": "align_corners", "PYTORCH_HALF_PIXEL": "pytorch_half_pixel"}
    modes = {"LINEAR": "linear", "NEAREST": "nearest"}
    mode, way = modes.get(str(node.attr("mode"))), ways.get(str(node.attr("coordinate")))
    if mode is None or way is None:
        raise Refused(f"{node.attr('mode')} with {node.attr('coordinate')} has no counterpart here")
    y = node.outputs[0]
    shape = w.shape(y)
    if mode == "nearest" and not _takes_the_same(node, w.shape(node.inputs[0]), shape):
        raise Refused("of these sizes ONNX takes other elements than TensorFlow")
    sizes = w.const(f"{y}/sizes", np.int64([shape[k] for k in (0, 3, 1, 2)]))
    found = w.op("Resize", [w.first(node.inputs[0]), "", "", sizes], f"{y}/resized", mode=mode,
                 coordinate_transformation_mode=way,
                 nearest_mode=str(node.attr("nearest_mode")).lower())
    w.put(y, found, first=True)


def _takes_the_same(node: Node, x: Shape, y: Shape) -> bool:
    """Whether ONNX takes the elements that the node takes, whose positions may be by step."""
    def elements(k: int, by_step: bool) -> list[int]:
        axis = Axis(x[k], y[k], y[k] / x[k], by_step=by_step)
        return nearest(node.attr("coordinate"), node.attr("nearest_mode"), axis).tolist()
    return not node.attr("by_step") or all(
        elements(k, True) == elements(k, False) for k in (1, 2))


def identity(w: Writer, node: Node) -> None:
    """Also Quantize and Dequantize: `put` rounds what is quantized."""
    first = w.is_first(node.inputs[0])
    w.put(node.outputs[0], (w.first if first else w.plain)(node.inputs[0]), first=first)


OPS: dict[str, Write] = {
    "Activation": activation, "Concat": concat, "Conv2d": conv, "Dequantize": identity,
    "DepthwiseConv2d": depthwise, "Eltwise": eltwise, "FullyConnected": fully_connected,
    "Identity": identity, "MatMul": mat_mul, "Pad": pad, "Pooling": pooling,
    "Quantize": identity, "Reduce": reduce, "Resize": resize, "Softmax": softmax,
    "Transpose": transpose, **dict.fromkeys(op_schema.views(), view),
}  # fmt: skip
