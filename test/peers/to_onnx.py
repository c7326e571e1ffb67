"""Writes a network as ONNX (NCHW).

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnx
from net import Layer, Net
from onnx import TensorProto, helper, numpy_helper

_ACTIVATIONS = {"relu": "Relu", "sigmoid": "Sigmoid", "hard_swish": "HardSwish"}


def _nchw(shape: tuple[int, ...]) -> list[int]:
    return [shape[0], shape[3], shape[1], shape[2]] if len(shape) == 4 else list(shape)


class _Writer:
    def __init__(self, net: Net) -> None:
        self.net = net
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def node(self, op: str, inputs: list[str], outputs: list[str], **attrs: object) -> None:
        self.nodes.append(helper.make_node(op, inputs, outputs, outputs[0] + "_" + op, **attrs))

    def window(self, layer: Layer) -> dict:
        a = layer.attrs
        top, left, bottom, right = a["pads"]
        return {"kernel_shape": list(a["kernel"]), "strides": [a["stride"]] * 2,
                "pads": [top, left, bottom, right]}

    def write(self, layer: Layer) -> None:
        x, y, a, op = layer.inputs, layer.outputs[0], layer.attrs, layer.op
        # A depthwise filter IHW is O1HW in ONNX.
        weights = [self.constant(f"{y}_{k}", v[:, None] if op == "depthwise" and k == "w" else v)
                   for k, v in layer.weights.items()]
        if op == "conv":
            self.node("Conv", [*x, *weights], [y], **self.window(layer))
        elif op == "depthwise":
            self.node("Conv", [*x, *weights], [y], group=len(layer.weights["b"]),
                      **self.window(layer))
        elif op == "fc":
            self.node("Gemm", [*x, *weights], [y], transB=1)
        elif op == "pool":
            kind = {"max": "MaxPool", "avg": "AveragePool"}[a["kind"]]
            self.node(kind, x, [y], **self.window(layer))
        elif op == "mean":
            self.node("ReduceMean", x, [y], axes=[2, 3], keepdims=int(a["keep"]))
        elif op in ("add", "mul"):
            self.node(op.capitalize(), x, [y])
        elif op == "concat":
            self.node("Concat", x, [y], axis=1)
        elif op == "softmax":
            self.node("Softmax", x, [y], axis=-1)
        elif op == "split":
            self.node("Split", x, layer.outputs, axis=1)
        elif op == "reshape":
            shape = self.constant(y + "_shape", np.array(self.net.shapes[y], np.int64))
            self.node("Reshape", [*x, shape], [y])
        elif op == "pad_channels":  # not Pad, which pnnx does not translate for channels
            n, h, w, _ = self.net.shapes[y]
            zeros = self.constant(y + "_zeros", np.zeros((n, a["extra"], h, w), np.float32))
            self.node("Concat", [*x, zeros], [y], axis=1)
        elif op == "shuffle":
            self.shuffle(x, y, a["groups"])
        elif a["kind"] == "relu6":
            bounds = [self.constant(f"{y}_{v}", np.float32(v)) for v in (0, 6)]
            self.node("Clip", [*x, *bounds], [y])
        elif a["kind"] == "hard_sigmoid":
            self.node("HardSigmoid", x, [y], alpha=1 / 6, beta=0.5)
        else:
            self.node(_ACTIVATIONS[a["kind"]], x, [y])

    def shuffle(self, x: list[str], y: str, groups: int) -> None:
        n, c, h, w = _nchw(self.net.shapes[y])
        grouped = self.constant(y + "_grouped", np.array([n, groups, c // groups, h, w], np.int64))
        flat = self.constant(y + "_flat", np.array([n, c, h, w], np.int64))
        self.node("Reshape", [*x, grouped], [y + "_a"])
        self.node("Transpose", [y + "_a"], [y + "_b"], perm=[0, 2, 1, 3, 4])
        self.node("Reshape", [y + "_b", flat], [y])


def write_onnx(net: Net, path: str) -> None:
    writer = _Writer(net)
    for layer in net.layers:
        writer.write(layer)

    def info(name: str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, _nchw(net.shapes[name]))

    graph = helper.make_graph(writer.nodes, net.name, [info("input")],
                              [info(name) for name in net.outputs], writer.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, path)
