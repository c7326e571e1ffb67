"""Reads an ONNX file into a SourceModel, checking what it relies on.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from mace_tools import protos
from mace_tools.errors import ModelError
from mace_tools.importers.source import SourceModel, SourceNode, ValueInfo
from mace_tools.ir import Shape, dtype_name

PROTO = Path(__file__).with_name("onnx.proto")

# TensorProto.DataType to NumPy; bfloat16 (16) is widened when it is read.
ELEMENT = {
    1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64,
    9: np.bool_, 10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64, 16: np.float32,
}  # fmt: skip
BFLOAT16 = 16


def read(path: Path) -> SourceModel:
    """Errors: ModelError naming the file and what is wrong with it."""
    try:
        data = path.read_bytes()
    except OSError as e:
        raise ModelError(f"cannot read {path}: {e.strerror}") from e
    try:
        proto = protos.load(PROTO).ModelProto.FromString(data)
    except DecodeError as e:
        raise ModelError(f"{path} is not an ONNX model or is truncated ({len(data)} bytes)") from e
    if not proto.HasField("graph") or not proto.graph.output:
        raise ModelError(f"{path} is not an ONNX model: it holds no graph with outputs")
    return _model(proto, path)


def _model(proto: Any, path: Path) -> SourceModel:
    opset = max((o.version for o in proto.opset_import if o.domain in ("", "ai.onnx")), default=0)
    if opset == 0:
        raise ModelError(f"{path} names no operator set version: it is truncated, or older than "
                         "ONNX 1.0")
    graph = proto.graph
    _check_names(graph, path)
    constants = {t.name: tensor(t, path.parent) for t in graph.initializer}
    nodes = []
    for k, n in enumerate(graph.node):
        attrs = {a.name: _attribute(a, path.parent) for a in n.attribute}
        op = n.op_type if n.domain in ("", "ai.onnx") else f"{n.domain}.{n.op_type}"
        outputs = list(n.output)
        if op == "Constant" and outputs:
            constants[outputs[0]] = _constant(attrs, n.name)
            continue
        name = n.name or (outputs[0] if outputs else f"{op}_{k}")
        nodes.append(SourceNode(name, op, list(n.input), outputs, attrs))
    _check_producers(nodes, path)
    inputs = {v.name: _info(v) for v in graph.input if v.name not in constants}
    info = {v.name: _info(v) for v in [*graph.value_info, *graph.output]}
    return SourceModel("ONNX", graph.name or path.stem, nodes, constants, inputs,
                       [v.name for v in graph.output], info, "NCHW", opset)


def _check_names(graph: Any, path: Path) -> None:
    tensors = [*graph.input, *graph.output, *graph.value_info, *graph.initializer]
    names = [graph.name, *(t.name for t in tensors)]
    for n in graph.node:
        names += [n.name, n.op_type, n.domain, *n.input, *n.output, *(a.name for a in n.attribute)]
    for name in names:
        if not isinstance(name, str):  # what protobuf makes of text that is no UTF-8
            raise ModelError(f"{path} is damaged: the name {name!r} is no text")
    if any(not t.name for t in [*graph.input, *graph.output]):
        raise ModelError(f"{path} is damaged: an input or output has no name")


def _check_producers(nodes: list[SourceNode], path: Path) -> None:
    seen: dict[str, str] = {}
    for node in nodes:
        for out in filter(None, node.outputs):
            if out in seen:
                raise ModelError(f"{path}: tensor '{out}' is produced by both '{seen[out]}' and "
                                 f"'{node.name}'")
            seen[out] = node.name


def _info(v: Any) -> ValueInfo:
    t = v.type.tensor_type
    shape: Shape | None = None
    if t.HasField("shape"):
        shape = tuple(d.dim_value if d.HasField("dim_value") and d.dim_value > 0 else None
                      for d in t.shape.dim)
    return ValueInfo(dtype_name(ELEMENT.get(t.elem_type, np.float32)), shape)


def _attribute(a: Any, folder: Path) -> Any:
    kind = a.type or _guess(a)
    if kind == 4:
        return tensor(a.t, folder)
    if kind == 3:
        return a.s.decode(errors="replace")
    if kind == 8:
        return [s.decode(errors="replace") for s in a.strings]
    return {1: a.f, 2: a.i, 5: a.g, 6: list(a.floats), 7: list(a.ints)}.get(kind)


def _guess(a: Any) -> int:
    """The kind of an attribute in files older than the field `type`."""
    for kind, name in ((1, "f"), (2, "i"), (3, "s"), (4, "t"), (5, "g")):
        if a.HasField(name):
            return kind
    return 6 if a.floats else 8 if a.strings else 7


def _constant(attrs: dict[str, Any], name: str) -> np.ndarray:
    if "value" in attrs:
        return attrs["value"]
    for key, kind in (("value_float", np.float32), ("value_floats", np.float32),
                      ("value_int", np.int64), ("value_ints", np.int64)):
        if key in attrs:
            return np.asarray(attrs[key], kind)
    raise ModelError(f"Constant '{name}' holds no numbers ({', '.join(attrs) or 'no value'})")


def tensor(t: Any, folder: Path) -> np.ndarray:
    """The contents of a TensorProto. Errors: ModelError."""
    kind = ELEMENT.get(t.data_type)
    if kind is None:
        raise ModelError(f"tensor '{t.name}' has element type {t.data_type}, which the engine "
                         "does not have")
    shape, raw = tuple(t.dims), t.raw_data
    if t.data_location == 1:
        raw = _external(t, folder)
    if raw:
        stored = np.dtype(np.uint16 if t.data_type == BFLOAT16 else kind).newbyteorder("<")
        if len(raw) != math.prod(shape) * stored.itemsize:
            raise ModelError(f"tensor '{t.name}' {list(shape)} needs "
                             f"{math.prod(shape) * stored.itemsize} bytes, the file has {len(raw)}")
        values = np.frombuffer(raw, stored)
    else:
        values = _typed_field(t, kind)
    if t.data_type == BFLOAT16:
        values = (values.astype(np.uint32) << 16).view(np.float32)
    if values.size != math.prod(shape):
        raise ModelError(f"tensor '{t.name}' {list(shape)} has {values.size} elements in the file")
    return values.astype(kind, copy=False).reshape(shape)


def _typed_field(t: Any, kind: Any) -> np.ndarray:
    if t.data_type == 10:
        return np.array(t.int32_data, np.uint16).view(np.float16)
    if t.data_type == BFLOAT16:
        return np.array(t.int32_data, np.uint16)
    for field in (t.float_data, t.int32_data, t.int64_data, t.double_data, t.uint64_data):
        if field:
            return np.array(field, kind)
    return np.zeros(0, kind)


def _external(t: Any, folder: Path) -> bytes:
    keys = {e.key: e.value for e in t.external_data}
    path = (folder / keys.get("location", "")).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ModelError(f"tensor '{t.name}': its data file {keys.get('location')} lies outside "
                         "the model's folder")
    try:
        with path.open("rb") as f:
            f.seek(int(keys.get("offset", 0)))
            return f.read(int(keys["length"]) if "length" in keys else -1)
    except (OSError, ValueError) as e:
        raise ModelError(f"tensor '{t.name}': cannot read its data from {path}: {e}; put the file "
                         "beside the model") from e
