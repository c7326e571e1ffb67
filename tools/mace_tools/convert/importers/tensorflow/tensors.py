"""TensorFlow's attribute and tensor messages as plain Python and NumPy values.

SPDX-License-Identifier: Apache-2.0
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mace_tools.graph.ir import Shape, dtype_name
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import memory_limit

# DataType of tensorflow/core/framework/types.proto: its name, NumPy's type where there is one, and
# the list of TensorProto that holds its values.
_TYPES: dict[int, tuple[str, Any, str]] = {
    1: ("float", np.float32, "float_val"),
    2: ("float64", np.float64, "double_val"),
    3: ("int32", np.int32, "int_val"),
    4: ("uint8", np.uint8, "int_val"),
    5: ("int16", np.int16, "int_val"),
    6: ("int8", np.int8, "int_val"),
    7: ("string", None, "string_val"),
    8: ("complex64", None, ""),
    9: ("int64", np.int64, "int64_val"),
    10: ("bool", np.bool_, "bool_val"),
    11: ("qint8", None, ""),
    12: ("quint8", None, ""),
    13: ("qint32", None, ""),
    14: ("bfloat16", np.uint16, "half_val"),
    17: ("uint16", np.uint16, "int_val"),
    18: ("complex128", None, ""),
    19: ("half", np.float16, "half_val"),
    20: ("resource", None, ""),
    21: ("variant", None, ""),
    22: ("uint32", np.uint32, "uint32_val"),
    23: ("uint64", np.uint64, "uint64_val"),
}
# Quantized types, which stand for other numbers than themselves.
_QUANTIZED: dict[int, Any] = {11: np.int8, 12: np.uint8, 13: np.int32}
BFLOAT16 = 14
REF = 100  # DT_FLOAT_REF = DT_FLOAT + 100, and so on
MAX_ELEMENTS = 1 << 31


@dataclass(frozen=True)
class ElementType:
    """An attribute of kind `type`."""

    number: int

    @property
    def name(self) -> str:
        return _TYPES.get(self._plain, (f"type {self.number}",))[0]

    def as_attribute(self) -> str:
        """What a custom op gets: the engine's name, or TensorFlow's where there is none."""
        return self.engine or self.name

    @property
    def engine(self) -> str | None:
        """The engine's name of it; None for types that hold no numbers."""
        if self._plain == BFLOAT16:
            return "f32"
        dtype = _TYPES.get(self._plain, ("", None))[1]
        return None if dtype is None else dtype_name(dtype)

    @property
    def is_quantized(self) -> bool:
        return self._plain in _QUANTIZED

    @property
    def stored(self) -> np.dtype | None:
        """NumPy's type of its elements in files; None for types that hold no numbers."""
        dtype = _TYPES.get(self._plain, ("", None))[1]
        return None if dtype is None else np.dtype(dtype)

    @property
    def retyped(self) -> bool:
        """Whether the engine replaces it by another type."""
        dtype = _TYPES.get(self._plain, ("", None))[1]
        return self._plain == BFLOAT16 or dtype in (np.float64, np.uint16, np.uint32, np.uint64)

    @property
    def _plain(self) -> int:
        return self.number - REF if self.number > REF else self.number


class OpaqueTensor:
    """A constant without numbers, such as a string. It is no error unless a node reads it."""

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name


def shape_of(proto: Any) -> Shape | None:
    if proto.unknown_rank:
        return None
    return tuple(d.size if d.size >= 0 else None for d in proto.dim)


def attr_value(proto: Any) -> Any:
    """An AttrValue; lists become Python lists, strings str."""
    kind = proto.WhichOneof("value")
    if kind is None:
        return None
    value = getattr(proto, kind)
    if kind == "list":
        for field in ("s", "i", "f", "b", "type", "shape", "func"):
            if len(getattr(value, field)):
                return [_scalar(field, v) for v in getattr(value, field)]
        return []
    return _scalar(kind, value)


def _scalar(kind: str, value: Any) -> Any:
    if kind == "s":
        return value.decode("utf-8", "replace")
    if kind == "type":
        return ElementType(value)
    if kind == "shape":
        return shape_of(value)
    return value.name if kind == "func" else value


def from_bytes(contents: bytes | memoryview, dtype: int) -> np.ndarray:
    """Little-endian elements of a type that holds numbers; bfloat16 as float32."""
    stored = ElementType(dtype).stored
    assert stored is not None
    flat = np.frombuffer(contents, stored.newbyteorder("<")).astype(stored)
    return widened(flat) if dtype == BFLOAT16 else flat


def widened(bits: np.ndarray) -> np.ndarray:
    """Elements of bfloat16 as float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def tensor_value(proto: Any, where: str) -> np.ndarray | OpaqueTensor:
    """The contents of a TensorProto. Errors: ModelError naming `where`."""
    name, dtype, field = _TYPES.get(proto.dtype, (f"type {proto.dtype}", None, ""))
    if proto.dtype in _QUANTIZED:
        dtype, field = _QUANTIZED[proto.dtype], "int_val"
    if dtype is None:
        return OpaqueTensor(name)
    shape = shape_of(proto.tensor_shape)
    if shape is None or None in shape:
        raise ModelError(f"{where}: a constant of unknown shape {shape}")
    count = math.prod(shape)  # type: ignore[arg-type]
    if count > MAX_ELEMENTS or count * np.dtype(dtype).itemsize > memory_limit() // 4:
        raise ModelError(f"{where}: {count} elements in a constant of shape {list(shape)}; "
                         "the file is damaged")
    flat = _contents(proto, name, np.dtype(dtype), field, count, where)
    if proto.dtype == BFLOAT16:
        flat = widened(flat)
    return flat.reshape(shape)  # type: ignore[arg-type]


def _contents(
    proto: Any, name: str, dtype: np.dtype, field: str, count: int, where: str
) -> np.ndarray:
    if proto.tensor_content:
        have, want = len(proto.tensor_content), count * dtype.itemsize
        if have != want:
            raise ModelError(f"{where}: {have} bytes of {name} contents, its shape wants {want}; "
                             "the file is damaged")
        return np.frombuffer(proto.tensor_content, dtype.newbyteorder("<")).astype(dtype)
    values = getattr(proto, field)
    if len(values) > count:
        raise ModelError(f"{where}: {len(values)} values of {name}, its shape wants {count}; "
                         "the file is damaged")
    if field == "half_val":
        given = np.array(values, np.uint16)
        given = given.view(np.float16) if dtype == np.float16 else given
    else:
        given = np.array(values, dtype)
    flat = np.zeros(count, dtype)
    flat[: len(given)] = given
    if len(given):
        flat[len(given):] = given[-1]
    return flat
