"""ONNX's tensors as NumPy arrays: stored in the model, in other files of its folder, or sparse.

SPDX-License-Identifier: Apache-2.0
"""

import math
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np

from mace_tools.convert.importers import narrow_types
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import memory_limit, open_file

# TensorProto.DataType to NumPy; bfloat16 (16) is widened when it is read.
ELEMENT = {
    1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64,
    9: np.bool_, 10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64, 16: np.float32,
}  # fmt: skip
BFLOAT16 = 16
MAX_ELEMENTS = 1 << 31
# Element types that the engine does not have, and those that replace them.
NARROWED = [np.dtype(t) for t in (np.float64, np.uint16, np.uint32, np.uint64)]
RETYPED = {k: np.dtype(v).name for k, v in ELEMENT.items() if np.dtype(v) in NARROWED}
RETYPED[BFLOAT16] = "bfloat16"
# Types of few bits, whose constants become int8, uint8 or float32.
NARROW = {17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz",
          21: "uint4", 22: "int4", 23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2",
          27: "float6e2m3", 28: "float6e3m2"}  # fmt: skip
_OTHER_TYPES = {8: "strings", 14: "complex64", 15: "complex128"}


@dataclass(frozen=True)
class Opaque:
    """A constant of a type that the engine does not have. It is no error unless a node reads it."""

    kind: str


def type_name(number: int) -> str:
    """As ONNX calls it."""
    if number in ELEMENT:
        return RETYPED.get(number) or np.dtype(ELEMENT[number]).name
    return NARROW.get(number) or _OTHER_TYPES.get(number, f"element type {number}")


NUMBERS = {type_name(number): number for number in (*ELEMENT, *NARROW)}


def held_as(number: int) -> Any:
    """The type of NumPy that holds an element type; None if there is none."""
    if number not in NARROW:
        return ELEMENT.get(number)
    form = narrow_types.TYPES[NARROW[number]]
    return form.held if isinstance(form, narrow_types.Integer) else np.float32


def tensor(t: Any, folder: Path) -> np.ndarray | Opaque:
    """The contents of a TensorProto. Errors: ModelError."""
    kind = ELEMENT.get(t.data_type)
    if kind is None and t.data_type == 0:
        raise ModelError(f"tensor '{t.name}' has no element type: the file is damaged")
    if kind is None and t.data_type not in NARROW:
        return Opaque(type_name(t.data_type))
    shape, raw = tuple(t.dims), t.raw_data
    if min(shape, default=0) < 0:
        raise ModelError(f"tensor '{t.name}' has the shape {list(shape)}: the file is damaged")
    if t.data_location == 1:
        raw = _external(t, folder, _stored_bytes(t.data_type, shape))
    if kind is None:
        return _narrow(t, raw, shape)
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


def _narrow(t: Any, raw: bytes, shape: tuple[int, ...]) -> np.ndarray:
    """A tensor of few bits. Without raw data, a float has an int32 of its own, and integers and
    floats of 4 bits share bytes, each of which has one."""
    kind, count = NARROW[t.data_type], math.prod(shape)
    want = narrow_types.packed_bytes(kind, count)
    if not raw and t.int32_data:
        bits = np.array(t.int32_data, np.int64).astype(np.uint8)
        if narrow_types.TYPES[kind].bits > 4:
            raw, want = bits.tobytes(), count
            if len(raw) == want:
                return narrow_types.numbers(kind, bits).reshape(shape)
        raw = bits.tobytes()
    if len(raw) != want:
        raise ModelError(f"tensor '{t.name}' {kind}{list(shape)} needs {want} bytes, the file has "
                         f"{len(raw)}")
    return narrow_types.unpacked(kind, raw, count).reshape(shape)


def _typed_field(t: Any, kind: Any) -> np.ndarray:
    if t.data_type == 10:
        return np.array(t.int32_data, np.uint16).view(np.float16)
    if t.data_type == BFLOAT16:
        return np.array(t.int32_data, np.uint16)
    for field in (t.float_data, t.int32_data, t.int64_data, t.double_data, t.uint64_data):
        if field:
            return np.array(field, kind)
    return np.zeros(0, kind)


def sparse_tensor(sparse: Any, folder: Path, name: str) -> np.ndarray | Opaque:
    """The dense contents of a SparseTensorProto. Errors: ModelError."""
    values, indices = tensor(sparse.values, folder), tensor(sparse.indices, folder)
    shape = tuple(sparse.dims)
    if isinstance(values, Opaque):
        return values
    count = math.prod(shape)
    if min(shape, default=0) < 0 or not 0 <= count <= MAX_ELEMENTS or (
            count * values.itemsize > memory_limit() // 4):
        raise ModelError(f"sparse tensor '{name}': its shape {list(shape)} is damaged or too large")
    if isinstance(indices, Opaque) or indices.dtype != np.int64 or indices.shape not in (
            (values.size,), (values.size, len(shape))):
        raise ModelError(f"sparse tensor '{name}': {values.size} values need as many int64 indices")
    limits = np.array([count] if indices.ndim == 1 else shape)
    if indices.size and (indices.min() < 0 or (indices >= limits).any()):
        raise ModelError(f"sparse tensor '{name}': an index lies outside of its shape "
                         f"{list(shape)}")
    dense = np.zeros(count, values.dtype)
    flat = indices if indices.ndim == 1 else np.ravel_multi_index(tuple(indices.T), shape)
    dense[flat] = values.reshape(-1)
    return dense.reshape(shape)


def _stored_bytes(number: int, shape: tuple[int, ...]) -> int:
    if number in NARROW:
        return narrow_types.packed_bytes(NARROW[number], math.prod(shape))
    kind = np.uint16 if number == BFLOAT16 else ELEMENT[number]
    return math.prod(shape) * np.dtype(kind).itemsize


def _external(t: Any, folder: Path, wanted: int) -> bytes:
    """The bytes of a tensor that is stored in another file. Errors: ModelError."""
    keys = {e.key: e.value for e in t.external_data}
    location = keys.get("location", "")
    if not location or "\0" in location:
        raise ModelError(f"tensor '{t.name}': the file does not say where its data are; it is "
                         "damaged")
    absolute = PurePosixPath(location).is_absolute() or PureWindowsPath(location).is_absolute()
    path = (folder / location).resolve()
    if absolute or not path.is_relative_to(folder.resolve()):
        raise ModelError(f"tensor '{t.name}': its data file {location} lies outside the model's "
                         "folder, and is not read; store the data beside the model: "
                         "onnx.save(model, path, save_as_external_data=True)")
    begin, length = (_number(t, keys, key) for key in ("offset", "length"))
    try:
        with open_file(path) as f:
            if os.fstat(f.fileno()).st_nlink > 1:  # an archive may link to a file elsewhere
                raise ModelError(f"tensor '{t.name}': its data file {path} has another name (a "
                                 "hard link), which may lie outside the model's folder; copy it")
            size = f.seek(0, 2)
            end = size if length is None else (begin or 0) + length
            if not (begin or 0) <= end <= size:
                raise ModelError(f"tensor '{t.name}': its data lie at {begin or 0} to {end} of "
                                 f"{path}, which has {size} bytes: it is cut off, or another file")
            if end - (begin or 0) != wanted:
                raise ModelError(f"tensor '{t.name}' {list(t.dims)} needs {wanted} bytes, the file "
                                 f"says {end - (begin or 0)}")
            f.seek(begin or 0)
            return f.read(end - (begin or 0))
    except OSError as e:
        raise ModelError(f"tensor '{t.name}': cannot read its data from {path}: {e}; put the file "
                         "beside the model") from e


def _number(t: Any, keys: dict[str, str], key: str) -> int | None:
    text = keys.get(key)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal()):
        raise ModelError(f"tensor '{t.name}': the {key} of its external data is '{text}', which is "
                         "no number of bytes; the file is damaged")
    return int(text)
