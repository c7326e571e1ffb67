"""Reads a TFLite model: subgraph 0 as it stands in the file.

SPDX-License-Identifier: Apache-2.0

TFLite numbers its tensors; here each has its name, which is made unique if the file repeats it.
Operators have no names: each is called after its first output.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.errors import ModelError
from mace_tools.importers.source import SourceModel, SourceNode, ValueInfo
from mace_tools.importers.tflite import custom_options
from mace_tools.importers.tflite.flat import (
    TENSOR_TYPES,
    File,
    is_custom,
    operator_name,
    options,
    reading,
    text,
)
from mace_tools.ir import Quant, dtype_name

_NUMPY: dict[str, Any] = {
    "FLOAT32": np.float32, "FLOAT16": np.float16, "FLOAT64": np.float64, "INT32": np.int32,
    "INT64": np.int64, "INT16": np.int16, "INT8": np.int8, "UINT8": np.uint8, "BOOL": np.bool_,
    "UINT16": np.uint16, "UINT32": np.uint32, "UINT64": np.uint64,
}
# Element types that the engine does not have, and those that replace them.
_RETYPED = ("FLOAT64", "UINT16", "UINT32", "UINT64")
QUANTIZABLE = ("INT8", "UINT8", "INT16", "INT32", "INT4")
CODES = ("INT8", "UINT8")  # of which the engine computes quantized tensors


def read(path: Path) -> SourceModel:
    """Errors: ModelError naming the file, what is wrong with it, and the cure."""
    file = File(path)
    with reading(path):
        return _model(file)


def _model(file: File) -> SourceModel:
    root = file.root()
    graphs = file.list(root, "Subgraphs")
    if not graphs:
        raise ModelError(f"{file.path}: the model holds no graph; give a .tflite model")
    graph = graphs[0]
    buffers = file.list(root, "Buffers")
    tensors = file.list(graph, "Tensors")
    names = _names(tensors)
    codes = [operator_name(c) for c in file.list(root, "OperatorCodes")]
    versions = {name: int(c.Version())
                for name, c in zip(codes, file.list(root, "OperatorCodes"))}

    def name(index: int) -> str:
        if index == -1:  # an optional operand that is absent
            return ""
        if not 0 <= index < len(names):
            raise ValueError(f"tensor {index} of {len(names)}")
        return names[index]

    model = SourceModel("tflite", file.path.stem, [], {}, {}, [], data_format="NHWC",
                        versions=versions)
    for tensor, its_name in zip(tensors, names):
        model.info[its_name] = ValueInfo(_dtype(tensor), None, _quant(file, tensor))
        data = _contents(file, tensor, buffers, its_name)
        if data is not None:
            model.constants[its_name] = data
    for i in file.numbers(graph, "Inputs"):
        info = model.info[name(i)]
        model.inputs[name(i)] = ValueInfo(info.dtype, _shape(file, tensors[i]), info.quant)
    model.outputs = [name(i) for i in file.numbers(graph, "Outputs")]
    for operator in file.list(graph, "Operators"):
        outputs = [name(i) for i in file.numbers(operator, "Outputs")]
        op = codes[operator.OpcodeIndex()]
        if is_custom(op):
            fields, at_default = custom_options.attributes(
                file.numbers(operator, "CustomOptions").astype(np.uint8).tobytes()), frozenset()
            _use_shapes(file, model, outputs, dict(zip(names, tensors)))
        else:
            fields, at_default = options(file, operator)
        model.nodes.append(SourceNode(
            outputs[0] if outputs else "", op,
            [name(i) for i in file.numbers(operator, "Inputs")], outputs, fields, at_default))
    _settle_sources(file, model, dict(zip(names, tensors)))
    return model


def _use_shapes(
    file: File, model: SourceModel, outputs: list[str], tensors: dict[str, Any]
) -> None:
    """Keeps what the file says about the outputs of a custom operator, which nothing can infer."""
    for out in filter(None, outputs):
        # An unknown shape is stored as that of a scalar.
        shape = _shape(file, tensors[out]) or None
        signature = file.numbers(tensors[out], "ShapeSignature")
        if shape is not None and len(signature) == len(shape):
            shape = tuple(None if s < 0 else d for d, s in zip(shape, signature))
        model.stated[out] = ValueInfo(model.info[out].dtype, shape)


def _settle_sources(file: File, model: SourceModel, tensors: dict[str, Any]) -> None:
    """Registers the tensors that cannot be used, and the empty constants."""
    made = model.producers()
    for name, tensor in tensors.items():
        reason = _unusable(tensor, model.info[name])
        if reason is not None:
            model.unusable[name] = reason
            model.constants.pop(name, None)
        elif TENSOR_TYPES[tensor.Type()] in _RETYPED:
            model.retyped[name] = TENSOR_TYPES[tensor.Type()].lower()
        known = name in made or name in model.inputs or name in model.constants
        if not known and reason is None and 0 in _shape(file, tensor):
            kind = _NUMPY[TENSOR_TYPES[tensor.Type()]]
            model.constants[name] = np.zeros(_shape(file, tensor), kind)


def _unusable(tensor: Any, info: ValueInfo) -> tuple[str, str] | None:
    """Why no operator that touches it can be converted, and the cure."""
    kind = TENSOR_TYPES.get(tensor.Type(), f"type {tensor.Type()}")
    if info.quant is not None and kind not in CODES:
        return (f"quantized tensors of {kind}, which are not supported yet",
                "use the float model that it was made from, or one of 8 bits")
    if tensor.IsVariable():
        return ("a variable tensor: a state that lasts from one run to the next",
                "convert the model with the state as an input and an output")
    if tensor.Sparsity() is not None:
        return "a sparse tensor", "convert the model without sparsity"
    if kind not in _NUMPY:
        return (f"a tensor of {kind}", "end or begin the model where its tensors hold numbers "
                                       "(input_tensors and output_tensors in the YAML)")
    return None


def _names(tensors: list) -> list[str]:
    """Names of all tensors, unique and not empty."""
    names: list[str] = []
    taken: set[str] = set()
    for index, tensor in enumerate(tensors):
        name = text(tensor.Name()) or f"tensor_{index}"
        while name in taken:
            name = f"{name}_{index}"
        taken.add(name)
        names.append(name)
    return names


def _dtype(tensor: Any) -> str:
    """The engine's name of the element type; f32 if the engine does not have it."""
    dtype = _NUMPY.get(TENSOR_TYPES.get(tensor.Type(), ""))
    return "f32" if dtype is None else dtype_name(dtype)


def _shape(file: File, tensor: Any) -> tuple[int, ...]:
    shape = tuple(int(d) for d in file.numbers(tensor, "Shape"))
    if any(d < 0 for d in shape):
        raise ValueError(f"shape {shape} of tensor '{text(tensor.Name())}'")
    return shape


def _quant(file: File, tensor: Any) -> Quant | None:
    """The scales of a quantized tensor; None for one that only has a range, or neither."""
    q = tensor.Quantization()
    if q is None or TENSOR_TYPES.get(tensor.Type()) not in QUANTIZABLE:
        return None
    scale = file.numbers(q, "Scale").astype(np.float32)
    if not scale.any() or TENSOR_TYPES.get(tensor.Type()) == "INT32":
        return None  # a bias has the scale of the products to which it is added
    zero = file.numbers(q, "ZeroPoint").astype(np.int64)
    zero = zero if zero.size else np.zeros_like(scale, np.int64)
    if zero.size == 1:
        zero = np.repeat(zero, scale.size)
    _check_quant(tensor, scale, zero)
    return Quant(scale, zero, q.QuantizedDimension() if scale.size > 1 else None)


def _check_quant(tensor: Any, scale: np.ndarray, zero: np.ndarray) -> None:
    if not (np.isfinite(scale) & (scale > 0)).all():
        bad = scale[~(np.isfinite(scale) & (scale > 0))][0]
        raise ValueError(f"tensor '{text(tensor.Name())}' has the scale {bad}; scales are finite "
                         "and above 0")
    if zero.size != scale.size:
        raise ValueError(f"tensor '{text(tensor.Name())}' has {scale.size} scales and {zero.size} "
                         "zero points")


def _contents(file: File, tensor: Any, buffers: list, name: str) -> np.ndarray | None:
    """A constant's values; None for a computed tensor or one that holds no numbers."""
    buffer = buffers[tensor.Buffer()]
    raw = file.numbers(buffer, "Data").tobytes()
    if not raw and buffer.Offset() > 1:  # files beyond 2 GB have their data after the table
        end = buffer.Offset() + buffer.Size()
        if end > len(file.data):
            raise ValueError(f"the contents of '{name}' end at byte {end} of {len(file.data)}")
        raw = file.data[buffer.Offset() : end]
    kind = TENSOR_TYPES.get(tensor.Type(), "")
    if not raw or kind not in _NUMPY or tensor.Sparsity() is not None:
        return None
    shape, dtype = _shape(file, tensor), np.dtype(_NUMPY[kind]).newbyteorder("<")
    want = math.prod(shape) * dtype.itemsize
    if len(raw) != want:
        raise ValueError(f"{len(raw)} bytes of contents for '{name}' {kind}{list(shape)}, "
                         f"which takes {want}")
    return np.frombuffer(raw, dtype).reshape(shape).astype(_NUMPY[kind])
