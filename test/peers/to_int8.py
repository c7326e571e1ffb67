"""Networks in int8: TFLite (full integer) and ONNX (QDQ), each with floats at its ends.

SPDX-License-Identifier: Apache-2.0

Ranges are those of random images; weights have a scale for each output channel. ONNX Runtime's
own tool writes the ONNX file, with activations of uint8, which its kernels for x86 prefer.
"""

from collections.abc import Iterator
from pathlib import Path

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as tfl
from ai_edge_litert.interpreter import Interpreter, OpResolverType

SAMPLES = 4
_WEIGHTED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
# Operators whose inputs and outputs must have the same scale (TFLite's quantization specification).
_SAME = ("MAX_POOL_2D", "AVERAGE_POOL_2D", "RESHAPE", "CONCATENATION", "SPLIT", "TRANSPOSE", "PAD")
# Operators whose outputs have a fixed scale there: quantized values from -128 stand for [0, 1).
_UNIT = ("SOFTMAX", "LOGISTIC")
_NAMES = {k: name for name, k in vars(tfl.BuiltinOperator).items() if isinstance(k, int)}


def pictures(shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    for seed in range(SAMPLES):
        yield np.random.default_rng(100 + seed).uniform(-1, 1, shape).astype(np.float32)


def write_int8_onnx(source: Path, path: Path, shape: tuple[int, ...]) -> None:
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_static,
    )

    class Reader(CalibrationDataReader):
        def __init__(self) -> None:
            self.samples = pictures(shape)

        def get_next(self) -> dict[str, np.ndarray] | None:
            picture = next(self.samples, None)
            return None if picture is None else {"input": picture.transpose(0, 3, 1, 2)}

    quantize_static(str(source), str(path), Reader(), quant_format=QuantFormat.QDQ,
                    per_channel=True, activation_type=QuantType.QUInt8,
                    weight_type=QuantType.QInt8)


def write_int8_tflite(source: Path, path: Path, shape: tuple[int, ...]) -> None:
    model = tfl.ModelT.InitFromPackedBuf(source.read_bytes(), 0)
    _Quantized(model, _ranges(source, shape)).convert()
    _write(model, path)


def write_before_softmax(source: Path, path: Path) -> dict[str, float]:
    """The same network without the Softmax at its end, which gives nearly all classes the same
    code: the outputs are floats that stand for the quantized values before. Returns the step of
    each."""
    model = tfl.ModelT.InitFromPackedBuf(source.read_bytes(), 0)
    graph = model.subgraphs[0]
    makers = {k: op for op in graph.operators for k in op.outputs}
    kinds = {id(op): _NAMES[model.operatorCodes[op.opcodeIndex].builtinCode]
             for op in graph.operators}
    steps = {}
    for k in graph.outputs:
        last = makers[k]
        before = makers[last.inputs[0]]
        if kinds[id(before)] == "SOFTMAX":
            graph.operators.remove(before)
            last.inputs = before.inputs
        quantized = graph.tensors[last.inputs[0]].quantization
        steps[graph.tensors[k].name.decode()] = float(quantized.scale[0])
    _write(model, path)
    return steps


def _write(model: tfl.ModelT, path: Path) -> None:
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(model.Pack(builder), b"TFL3")
    path.write_bytes(builder.Output())


def _ranges(path: Path, shape: tuple[int, ...]) -> dict[int, tuple[float, float]]:
    """The least and the largest element of each tensor of floats."""
    run = Interpreter(str(path), experimental_preserve_all_tensors=True,
                      experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    run.allocate_tensors()
    found: dict[int, tuple[float, float]] = {}
    for picture in pictures(shape):
        run.set_tensor(run.get_input_details()[0]["index"], picture)
        run.invoke()
        for detail in run.get_tensor_details():
            if detail["dtype"] != np.float32 or not detail["name"]:
                continue
            x = run.get_tensor(detail["index"])
            low, high = found.get(detail["index"], (0.0, 0.0))
            found[detail["index"]] = (min(low, float(x.min())), max(high, float(x.max())))
    return found


class _Quantized:
    """A model whose float tensors are quantized."""

    def __init__(self, model: tfl.ModelT, ranges: dict[int, tuple[float, float]]) -> None:
        self.model, self.graph, self.ranges = model, model.subgraphs[0], ranges
        self.group = list(range(len(self.graph.tensors)))  # of tensors with the same scale

    def name(self, op: tfl.OperatorT) -> str:
        return _NAMES[self.model.operatorCodes[op.opcodeIndex].builtinCode]

    def root(self, k: int) -> int:
        while self.group[k] != k:
            k = self.group[k]
        return k

    def is_float(self, k: int) -> bool:
        return self.graph.tensors[k].type == tfl.TensorType.FLOAT32

    def convert(self) -> None:
        operators = list(self.graph.operators)
        inputs, outputs = list(self.graph.inputs), list(self.graph.outputs)
        for op in operators:
            if self.name(op) in _SAME:
                tensors = [k for k in (*op.inputs, *op.outputs) if self.is_float(k)]
                for k in tensors[1:]:
                    self.group[self.root(k)] = self.root(tensors[0])
        fixed = {self.root(k) for op in operators if self.name(op) in _UNIT for k in op.outputs}
        for op in operators:
            if self.name(op) in _WEIGHTED:
                self.value_scale(op.inputs[0], fixed)
                self.weights(op)
        for k in range(len(self.graph.tensors)):
            if self.is_float(k):
                self.value_scale(k, fixed)
        self.graph.inputs = [self.border("QUANTIZE", k, True) for k in inputs]
        self.graph.outputs = [self.border("DEQUANTIZE", k, False) for k in outputs]

    def scale_of(self, k: int, fixed: set[int]) -> tuple[float, int]:
        root = self.root(k)
        if root in fixed:
            return 1 / 256, -128
        members = [r for t, r in self.ranges.items() if self.root(t) == root]
        low, high = min(r[0] for r in members), max(r[1] for r in members)
        scale = float(np.float32(max(high - low, 1e-6) / 255))
        return scale, int(np.clip(round(-128 - low / scale), -128, 127))

    def value_scale(self, k: int, fixed: set[int]) -> None:
        """Gives an activation, or a constant that is none of weights, its quantized values."""
        tensor = self.graph.tensors[k]
        if not self.is_float(k):
            return
        scale, zero = self.scale_of(k, fixed)
        self.set_quantized(k, [scale], [zero], 0)
        if tensor.buffer:
            values = self.floats(k)
            self.set_bytes(k, np.clip(np.round(values / scale) + zero, -128, 127).astype(np.int8))
        tensor.type = tfl.TensorType.INT8

    def weights(self, op: tfl.OperatorT) -> None:
        x, w, bias = op.inputs[:3]
        values = self.floats(w)
        axis = 3 if self.name(op) == "DEPTHWISE_CONV_2D" else 0
        others = tuple(a for a in range(values.ndim) if a != axis)
        most = np.abs(values).max(axis=others)
        if self.name(op) == "FULLY_CONNECTED":
            most = np.full_like(most, most.max())
        scales = np.maximum(most, 1e-9).astype(np.float32) / np.float32(127)
        along = scales.reshape([-1 if a == axis else 1 for a in range(values.ndim)])
        self.set_bytes(w, np.clip(np.round(values / along), -127, 127).astype(np.int8))
        if self.name(op) == "FULLY_CONNECTED":
            scales = scales[:1]
        self.set_quantized(w, scales.tolist(), [0] * len(scales), axis)
        self.graph.tensors[w].type = tfl.TensorType.INT8
        steps = scales.astype(np.float64) * self.graph.tensors[x].quantization.scale[0]
        self.set_bytes(bias, np.round(self.floats(bias) / steps).astype(np.int32))
        self.set_quantized(bias, steps.astype(np.float32).tolist(), [0] * len(steps), 0)
        self.graph.tensors[bias].type = tfl.TensorType.INT32

    def floats(self, k: int) -> np.ndarray:
        tensor = self.graph.tensors[k]
        data = np.asarray(self.model.buffers[tensor.buffer].data, np.uint8)
        return data.view(np.float32).reshape(tensor.shape)

    def set_bytes(self, k: int, values: np.ndarray) -> None:
        buffer = self.model.buffers[self.graph.tensors[k].buffer]
        buffer.data = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)

    def set_quantized(self, k: int, scales: list[float], zeros: list[int], axis: int) -> None:
        quantized = tfl.QuantizationParametersT()
        quantized.scale, quantized.zeroPoint, quantized.quantizedDimension = scales, zeros, axis
        self.graph.tensors[k].quantization = quantized

    def border(self, op: str, k: int, is_input: bool) -> int:
        """A tensor of floats in the place of an input or an output, and what converts it."""
        quantized = self.graph.tensors[k]
        tensor = tfl.TensorT()
        tensor.name, tensor.shape, tensor.buffer = quantized.name, quantized.shape, 0
        tensor.type = tfl.TensorType.FLOAT32
        quantized.name = quantized.name + b"_quantized"
        self.graph.tensors.append(tensor)
        made = len(self.graph.tensors) - 1
        code = tfl.OperatorCodeT()
        code.builtinCode = code.deprecatedBuiltinCode = getattr(tfl.BuiltinOperator, op)
        code.version = 1
        self.model.operatorCodes.append(code)
        node = tfl.OperatorT()
        node.opcodeIndex = len(self.model.operatorCodes) - 1
        node.inputs, node.outputs = ([made], [k]) if is_input else ([k], [made])
        self.graph.operators.insert(0 if is_input else len(self.graph.operators), node)
        return made
