"""Writes a network as TFLite (NHWC), with the schema's object API that ai-edge-litert ships.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as tfl
from net import Layer, Net

_FUSED = {None: tfl.ActivationFunctionType.NONE, "relu": tfl.ActivationFunctionType.RELU,
          "relu6": tfl.ActivationFunctionType.RELU6}
_TYPES = {np.dtype(np.float32): tfl.TensorType.FLOAT32, np.dtype(np.int32): tfl.TensorType.INT32}


class _Writer:
    def __init__(self, net: Net) -> None:
        self.net = net
        self.model = tfl.ModelT()
        self.model.version = 3
        self.model.buffers = [tfl.BufferT()]
        self.model.operatorCodes = []
        self.graph = tfl.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.ids: dict[str, int] = {}
        self.codes: dict[int, int] = {}
        self.readers: dict[str, list[Layer]] = {}
        for layer in net.layers:
            for name in layer.inputs:
                self.readers.setdefault(name, []).append(layer)
        self.fused: set[int] = set()  # ids of activation layers that are fused into their producers

    def tensor(self, name: str, shape: tuple[int, ...], value: np.ndarray | None = None) -> int:
        if name in self.ids:
            return self.ids[name]
        t = tfl.TensorT()
        t.name, t.shape = name.encode(), list(shape)
        t.type = _TYPES[value.dtype] if value is not None else tfl.TensorType.FLOAT32
        t.buffer = 0
        if value is not None:
            buffer = tfl.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(value).tobytes(), np.uint8)
            self.model.buffers.append(buffer)
            t.buffer = len(self.model.buffers) - 1
        self.graph.tensors.append(t)
        self.ids[name] = len(self.graph.tensors) - 1
        return self.ids[name]

    def constant(self, name: str, value: np.ndarray) -> int:
        return self.tensor(name, value.shape, value)

    def value(self, name: str) -> int:
        return self.tensor(name, self.net.shapes[name])

    def op(self, name: str, inputs: list[int], outputs: list[int], options: object = None) -> None:
        builtin = getattr(tfl.BuiltinOperator, name)
        if builtin not in self.codes:
            code = tfl.OperatorCodeT()
            code.builtinCode = builtin
            code.deprecatedBuiltinCode = min(builtin, 127)
            code.version = 1
            self.model.operatorCodes.append(code)
            self.codes[builtin] = len(self.model.operatorCodes) - 1
        o = tfl.OperatorT()
        o.opcodeIndex, o.inputs, o.outputs = self.codes[builtin], inputs, outputs
        if options is not None:
            kind = type(options).__name__[:-1]
            o.builtinOptionsType = getattr(tfl.BuiltinOptions, kind)
            o.builtinOptions = options
        self.graph.operators.append(o)

    def activation(self, layer: Layer) -> tuple[int, str]:
        """The activation that can be fused into this layer, and the output it then has."""
        y = layer.outputs[0]
        readers = self.readers.get(y, [])
        if len(readers) == 1 and readers[0].op == "act" and readers[0].attrs["kind"] in _FUSED:
            self.fused.add(id(readers[0]))
            return _FUSED[readers[0].attrs["kind"]], readers[0].outputs[0]
        return _FUSED[None], y

    def windowed(self, layer: Layer, options: object) -> object:
        a = layer.attrs
        options.padding = getattr(tfl.Padding, a["padding"])
        options.strideH = options.strideW = a["stride"]
        return options

    def write(self, layer: Layer) -> None:
        if id(layer) in self.fused:
            return
        x, op, a = [self.value(name) for name in layer.inputs], layer.op, layer.attrs
        y = layer.outputs[0]
        if op in ("conv", "depthwise", "fc"):
            self.weighted(layer, x)
        elif op == "pool":
            options = self.windowed(layer, tfl.Pool2DOptionsT())
            options.filterHeight, options.filterWidth = a["kernel"]
            name = {"max": "MAX_POOL_2D", "avg": "AVERAGE_POOL_2D"}[a["kind"]]
            self.op(name, x, [self.value(y)], options)
        elif op == "mean":
            options = tfl.ReducerOptionsT()
            options.keepDims = a["keep"]
            axes = self.constant("axes_1_2", np.array([1, 2], np.int32))
            self.op("MEAN", [*x, axes], [self.value(y)], options)
        elif op in ("add", "mul"):
            options = tfl.AddOptionsT() if op == "add" else tfl.MulOptionsT()
            options.fusedActivationFunction, y = self.activation(layer)
            self.op(op.upper(), x, [self.value(y)], options)
        elif op == "concat":
            options = tfl.ConcatenationOptionsT()
            options.axis = 3
            self.op("CONCATENATION", x, [self.value(y)], options)
        elif op == "softmax":
            options = tfl.SoftmaxOptionsT()
            options.beta = 1.0
            self.op("SOFTMAX", x, [self.value(y)], options)
        elif op == "split":
            options = tfl.SplitOptionsT()
            options.numSplits = 2
            axis = self.constant("axis_3", np.array(3, np.int32))
            self.op("SPLIT", [axis, *x], [self.value(name) for name in layer.outputs], options)
        elif op == "reshape":
            self.reshape(x[0], y, self.net.shapes[y])
        elif op == "pad_channels":
            pads = np.array([[0, 0], [0, 0], [0, 0], [0, a["extra"]]], np.int32)
            self.op("PAD", [*x, self.constant(y + "_pads", pads)], [self.value(y)],
                    tfl.PadOptionsT())
        elif op == "shuffle":
            self.shuffle(x[0], y, a["groups"])
        else:
            self.act(x, y, a["kind"])

    def weighted(self, layer: Layer, x: list[int]) -> None:
        fused, y = self.activation(layer)
        w, name = layer.weights["w"], layer.outputs[0]
        if layer.op == "conv":
            code, options = "CONV_2D", self.windowed(layer, tfl.Conv2DOptionsT())
            options.dilationHFactor = options.dilationWFactor = 1
            w = w.transpose(0, 2, 3, 1)
        elif layer.op == "depthwise":
            code = "DEPTHWISE_CONV_2D"
            options = self.windowed(layer, tfl.DepthwiseConv2DOptionsT())
            options.depthMultiplier = options.dilationHFactor = options.dilationWFactor = 1
            w = w.transpose(1, 2, 0)[None]
        else:
            code, options = "FULLY_CONNECTED", tfl.FullyConnectedOptionsT()
        options.fusedActivationFunction = fused
        inputs = [*x, self.constant(name + "_w", w),
                  self.constant(name + "_b", layer.weights["b"])]
        self.op(code, inputs, [self.value(y)], options)

    def act(self, x: list[int], y: str, kind: str) -> None:
        if kind == "hard_sigmoid":  # relu6(x + 3) / 6, as TFLite models spell it
            three = self.constant("three", np.array(3, np.float32))
            sixth = self.constant("sixth", np.array(1 / 6, np.float32))
            options = tfl.AddOptionsT()
            options.fusedActivationFunction = _FUSED["relu6"]
            shifted = self.tensor(y + "_shifted", self.net.shapes[y])
            self.op("ADD", [*x, three], [shifted], options)
            self.op("MUL", [shifted, sixth], [self.value(y)], tfl.MulOptionsT())
            return
        code = {"relu": "RELU", "relu6": "RELU6", "sigmoid": "LOGISTIC",
                "hard_swish": "HARD_SWISH"}[kind]
        self.op(code, x, [self.value(y)])

    def reshape(self, x: int, y: str, shape: tuple[int, ...]) -> int:
        to = self.constant(y + "_shape", np.array(shape, np.int32))
        out = self.tensor(y, shape)
        options = tfl.ReshapeOptionsT()
        options.newShape = list(shape)
        self.op("RESHAPE", [x, to], [out], options)
        return out

    def shuffle(self, x: int, y: str, groups: int) -> None:
        n, h, w, c = self.net.shapes[y]
        grouped = self.reshape(x, y + "_a", (n, h, w, groups, c // groups))
        swapped = self.tensor(y + "_b", (n, h, w, c // groups, groups))
        order = self.constant("swap_last", np.array([0, 1, 2, 4, 3], np.int32))
        self.op("TRANSPOSE", [grouped, order], [swapped], tfl.TransposeOptionsT())
        self.reshape(swapped, y, (n, h, w, c))


def write_tflite(net: Net, path: str) -> None:
    writer = _Writer(net)
    writer.graph.inputs = [writer.value("input")]
    for layer in net.layers:
        writer.write(layer)
    writer.graph.outputs = [writer.value(name) for name in net.outputs]
    writer.model.subgraphs = [writer.graph]
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(writer.model.Pack(builder), b"TFL3")
    Path(path).write_bytes(builder.Output())
