"""Writes small TFLite models for tests.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import tflite

_TYPES = {"float32": 0, "float16": 1, "int32": 2, "uint8": 3, "int64": 4, "bool": 6, "int16": 7,
          "complex64": 8, "int8": 9, "float64": 10, "resource": 13, "int4": 17, "int2": 19,
          "uint4": 20}
# By type: the bits of an element, if bytes hold several.
_BITS = {"int4": 4, "uint4": 4, "int2": 2}

# Where files have the numbers of operators: early ones in the first, some new ones in the second.
CODE_FIELDS = ("DeprecatedBuiltinCode", "BuiltinCode")
VERSIONS = {"BROADCAST_TO": 2}  # of operators that LiteRT does not run in their first


class Maker:
    """A TFLite model made tensor by tensor; tensors are known by name.

    `more` has further subgraphs as (Maker, inputs, outputs), `signatures` (name, inputs, outputs,
    number of the subgraph), inputs and outputs being {name in the signature: tensor}, `metadata`
    bytes by name, and `sparse` a function that writes the sparsity of a tensor, by name."""

    def __init__(self) -> None:
        self.tensors: list[tuple] = []
        self.ops: list[tuple] = []
        self.index: dict[str, int] = {}
        self.variables: set[str] = set()  # names of tensors that keep their contents between runs
        self.sparse: dict[str, Any] = {}
        self.shape_signatures: dict[str, Sequence[int]] = {}  # -1: the dimension is open
        self.more: list[tuple[Maker, Sequence[str], Sequence[str]]] = []
        self.signatures: list[tuple[str, Mapping[str, str], Mapping[str, str], int]] = []
        self.metadata: dict[str, bytes] = {}
        self.version = 3
        self.code_fields: Sequence[str] = CODE_FIELDS

    def tensor(self, name: str, shape: Sequence[int] = (), dtype: str = "float32",
               data: Any = None, scale: float | Sequence[float] | None = None,
               zero: int | Sequence[int] | None = None, axis: int = 0) -> str:
        """A quantized tensor has a scale and a zero point, or one of each for every index of
        `axis`."""
        self.index[name] = len(self.tensors)
        self.tensors.append((name, shape, dtype, data, None if scale is None else
                             (np.ravel(scale), np.ravel([] if zero is None else zero), axis)))
        return name

    def const(self, name: str, data: Any) -> str:
        data = np.asarray(data)
        return self.tensor(name, data.shape, data.dtype.name, data)

    def op(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], options: str = "",
           **fields: Any) -> None:
        for out in outputs:
            if out not in self.index:
                self.tensor(out)
        self.ops.append((kind, inputs, outputs, options, fields))

    def save(self, folder: Path, inputs: Sequence[str], outputs: Sequence[str]) -> Path:
        path = folder / "model.tflite"
        path.write_bytes(self.bytes(inputs, outputs))
        return path

    def bytes(self, inputs: Sequence[str], outputs: Sequence[str]) -> bytes:
        b = flatbuffers.Builder()
        graphs = [(self, inputs, outputs), *self.more]
        kinds = sorted({op[0] for m, _, _ in graphs for op in m.ops})
        codes = [_code(b, k, self.code_fields) for k in kinds]
        contents = [None, *(_packed(t[2], t[3]) for m, _, _ in graphs for t in m.tensors),
                    *(np.frombuffer(v, np.uint8) for v in self.metadata.values())]
        buffers = [_buffer(b, data) for data in contents]
        first, made = 1, []
        for m, its_inputs, its_outputs in graphs:
            made.append(m._graph(b, kinds, its_inputs, its_outputs, first))
            first += len(m.tensors)
        named = [_metadata(b, name, first + k) for k, name in enumerate(self.metadata)]
        signed = [_signature(b, graphs, *s) for s in self.signatures]
        lists = {"OperatorCodes": codes, "Subgraphs": made, "Buffers": buffers,
                 "SignatureDefs": signed, "Metadata": named}
        vectors = {field: offsets(b, items) for field, items in lists.items() if items}
        tflite.ModelStart(b)
        tflite.ModelAddVersion(b, self.version)
        for field, vector in vectors.items():
            getattr(tflite, f"ModelAdd{field}")(b, vector)
        b.Finish(tflite.ModelEnd(b), b"TFL3")
        return bytes(b.Output())

    def _graph(self, b: Any, kinds: list[str], inputs: Sequence[str], outputs: Sequence[str],
               first: int) -> int:
        tensors = [self._tensor(b, first + k, t) for k, t in enumerate(self.tensors)]
        ops = [self._operator(b, kinds, op) for op in self.ops]
        lists = [offsets(b, tensors), self._ids(b, inputs), self._ids(b, outputs),
                 offsets(b, ops)]
        tflite.SubGraphStart(b)
        for name, value in zip(("Tensors", "Inputs", "Outputs", "Operators"), lists):
            getattr(tflite, f"SubGraphAdd{name}")(b, value)
        return tflite.SubGraphEnd(b)

    def _ids(self, b: Any, names: Sequence[str]) -> int:
        return b.CreateNumpyVector(np.array([self.index.get(n, -1) for n in names], np.int32))

    def _tensor(self, b: Any, buffer: int, tensor: tuple) -> int:
        name, shape, dtype, _, quantization = tensor
        its_name, dims = b.CreateString(name), b.CreateNumpyVector(np.array(shape, np.int32))
        sparsity = self.sparse[name](b) if name in self.sparse else None
        signature = b.CreateNumpyVector(np.array(self.shape_signatures[name], np.int32)
                                        ) if name in self.shape_signatures else None
        quant = None if quantization is None else _quantization(b, *quantization)
        tflite.TensorStart(b)
        tflite.TensorAddShape(b, dims)
        tflite.TensorAddType(b, _TYPES[dtype])
        tflite.TensorAddBuffer(b, buffer)
        tflite.TensorAddName(b, its_name)
        tflite.TensorAddIsVariable(b, name in self.variables)
        if quant is not None:
            tflite.TensorAddQuantization(b, quant)
        if signature is not None:
            tflite.TensorAddShapeSignature(b, signature)
        if sparsity is not None:
            tflite.TensorAddSparsity(b, sparsity)
        return tflite.TensorEnd(b)

    def _operator(self, b: Any, kinds: list[str], op: tuple) -> int:
        kind, inputs, outputs, options, fields = op
        ins, outs, table, custom = self._ids(b, inputs), self._ids(b, outputs), None, None
        if "CustomOptions" in fields:
            custom = b.CreateByteVector(fields["CustomOptions"])
        between = self._ids(b, fields["Intermediates"]) if "Intermediates" in fields else None
        if options:
            fields = {k: _field(b, v) for k, v in fields.items() if k != "Intermediates"}
            getattr(tflite, f"{options}Start")(b)
            for key, value in fields.items():
                getattr(tflite, f"{options}Add{key}")(b, value)
            table = getattr(tflite, f"{options}End")(b)
        tflite.OperatorStart(b)
        tflite.OperatorAddOpcodeIndex(b, kinds.index(kind))
        tflite.OperatorAddInputs(b, ins)
        tflite.OperatorAddOutputs(b, outs)
        second = "2" if hasattr(tflite.BuiltinOptions2, options or "-") else ""
        if table is not None:
            number = getattr(getattr(tflite, f"BuiltinOptions{second}"), options)
            getattr(tflite, f"OperatorAddBuiltinOptions{second}Type")(b, number)
            getattr(tflite, f"OperatorAddBuiltinOptions{second}")(b, table)
        if custom is not None:
            tflite.OperatorAddCustomOptions(b, custom)
        if between is not None:
            tflite.OperatorAddIntermediates(b, between)
        return tflite.OperatorEnd(b)


def _packed(dtype: str, data: Any) -> Any:
    """The contents of a tensor, of which bytes hold several elements, the first in the low bits."""
    if data is None or dtype not in _BITS:
        return data
    bits = np.unpackbits(np.ravel(data).astype(np.uint8)[:, None], 1, bitorder="little")
    return np.packbits(bits[:, :_BITS[dtype]], bitorder="little")


def _quantization(b: Any, scale: np.ndarray, zero: np.ndarray, axis: int) -> int:
    scales = b.CreateNumpyVector(scale.astype(np.float32))
    zeros = b.CreateNumpyVector(zero.astype(np.int64)) if zero.size else None
    tflite.QuantizationParametersStart(b)
    tflite.QuantizationParametersAddScale(b, scales)
    if zeros is not None:
        tflite.QuantizationParametersAddZeroPoint(b, zeros)
    tflite.QuantizationParametersAddQuantizedDimension(b, axis)
    return tflite.QuantizationParametersEnd(b)


def _field(b: Any, value: Any) -> Any:
    if isinstance(value, str):
        return b.CreateString(value)
    if isinstance(value, np.ndarray):
        return b.CreateNumpyVector(value)
    return b.CreateNumpyVector(np.array(value, np.int32)) if isinstance(value, list) else value


def _code(b: Any, kind: str, code_fields: Sequence[str]) -> int:
    number = getattr(tflite.BuiltinOperator, kind, tflite.BuiltinOperator.CUSTOM)
    name = b.CreateString(kind)
    tflite.OperatorCodeStart(b)
    for code_field, limit in zip(CODE_FIELDS, (127, number)):
        if code_field in code_fields:
            getattr(tflite, f"OperatorCodeAdd{code_field}")(b, min(number, limit))
    tflite.OperatorCodeAddVersion(b, VERSIONS.get(kind, 1))
    if number == tflite.BuiltinOperator.CUSTOM:
        tflite.OperatorCodeAddCustomCode(b, name)
    return tflite.OperatorCodeEnd(b)


def _buffer(b: Any, data: Any) -> int:
    raw = None if data is None else b.CreateNumpyVector(np.frombuffer(data.tobytes(), np.uint8))
    tflite.BufferStart(b)
    if raw is not None:
        tflite.BufferAddData(b, raw)
    return tflite.BufferEnd(b)


def _metadata(b: Any, name: str, buffer: int) -> int:
    its_name = b.CreateString(name)
    tflite.MetadataStart(b)
    tflite.MetadataAddName(b, its_name)
    tflite.MetadataAddBuffer(b, buffer)
    return tflite.MetadataEnd(b)


def _signature(b: Any, graphs: list[tuple], key: str, inputs: Mapping[str, str],
               outputs: Mapping[str, str], graph: int) -> int:
    index = graphs[graph][0].index
    ends = []
    for names in (inputs, outputs):
        maps = []
        for name, tensor in names.items():
            its_name = b.CreateString(name)
            tflite.TensorMapStart(b)
            tflite.TensorMapAddName(b, its_name)
            tflite.TensorMapAddTensorIndex(b, index.get(tensor, len(index)))
            maps.append(tflite.TensorMapEnd(b))
        ends.append(offsets(b, maps))
    its_key = b.CreateString(key)
    tflite.SignatureDefStart(b)
    tflite.SignatureDefAddInputs(b, ends[0])
    tflite.SignatureDefAddOutputs(b, ends[1])
    tflite.SignatureDefAddSignatureKey(b, its_key)
    tflite.SignatureDefAddSubgraphIndex(b, graph)
    return tflite.SignatureDefEnd(b)


def offsets(b: Any, items: Sequence[int]) -> int:
    b.StartVector(4, len(items), 4)
    for item in reversed(items):
        b.PrependUOffsetTRelative(item)
    return b.EndVector()
