"""A TFLite flatbuffer as plain Python values, through the `tflite` package's accessors.

SPDX-License-Identifier: Apache-2.0

The accessors trust the file. Here every count is checked against the file's size before it
is used, and exceptions of the accessors become a ModelError.
"""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import tflite
from flatbuffers.number_types import Int32Flags

from mace_tools.support.errors import ModelError
from mace_tools.support.limits import read_bytes

IDENTIFIER = b"TFL3"
# Accessors that are not fields.
_GENERATED = re.compile("^Init$|^GetRootAs|BufferHasIdentifier$|IsNone$|AsNumpy$|Length$")


def _enum(name: str) -> dict[int, str]:
    """The names of one of the schema's enumerations, by number."""
    values = vars(getattr(tflite, name))
    return {v: k for k, v in values.items() if isinstance(v, int) and not k.startswith("_")}


OPERATORS = _enum("BuiltinOperator")
ACTIVATIONS = _enum("ActivationFunctionType")
PADDINGS = _enum("Padding")
MIRROR_MODES = _enum("MirrorPadMode")
# With those that the package `tflite` does not know yet.
TENSOR_TYPES = _enum("TensorType") | {19: "INT2", 20: "UINT4"}
REDUCTIONS = _enum("ReduceWindowFunction")
# The two unions of the schema that hold options; an operator uses one of them.
_OPTIONS = {"": _enum("BuiltinOptions"), "2": _enum("BuiltinOptions2")}
_WIDE_CODE = 4 + 2 * 3  # of the field builtin_code in a table's list of offsets
DAMAGED = "the file is damaged or cut off: fetch it again"


@contextmanager
def reading(file: File) -> Iterator[None]:
    """Turns what a damaged file makes the accessors raise into a ModelError."""
    try:
        yield
    except (struct.error, IndexError, ValueError, TypeError, KeyError, OverflowError,
            UnicodeDecodeError, AttributeError, MemoryError) as e:
        raise ModelError(f"{file.path}: broken TFLite model, at {file.place}: "
                         f"{type(e).__name__}: {e}; {DAMAGED}") from e


class File:
    """The bytes of a model, and lists whose lengths fit the size of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = "the beginning"  # what is being read, for messages
        try:
            self.data = read_bytes(path)
        except OSError as e:
            raise ModelError(f"{path}: cannot be read: {e.strerror or e}") from e
        if not self.data:
            raise ModelError(f"{path}: the file is empty; give a .tflite model")
        if self.data[4:8] != IDENTIFIER:
            raise ModelError(f"{path}: not a TFLite model (its identifier is {self.data[4:8]!r}, "
                             f"not {IDENTIFIER!r}); give a .tflite file, or set `platform` to "
                             "the format that this file has")

    def root(self) -> Any:
        return tflite.Model.GetRootAs(self.data, 0)

    def list(self, table: Any, field: str, size: int = 4) -> list:
        """All entries of a vector whose entries take at least `size` bytes."""
        count = getattr(table, field + "Length")()
        if count < 0 or count * size > len(self.data):
            raise ValueError(f"{count} entries in {field}, in a file of {len(self.data)} bytes")
        get: Callable[[int], Any] = getattr(table, field)
        return [get(i) for i in range(count)]

    def numbers(self, table: Any, field: str) -> np.ndarray:
        """A vector of numbers; empty if absent."""
        count = getattr(table, field + "Length")()
        if count < 0 or count > len(self.data):
            raise ValueError(f"{count} entries in {field}, in a file of {len(self.data)} bytes")
        if count == 0:
            return np.zeros(0, np.int64)
        return np.array(getattr(table, field + "AsNumpy")())

    def contents(self, buffer: Any, what: str) -> bytes:
        """The bytes of a buffer; files beyond 2 GB have them after the table."""
        return self._bytes(self.numbers(buffer, "Data"), buffer.Offset(), buffer.Size(),
                           f"the contents of {what}")

    def custom_options(self, operator: Any) -> bytes:
        return self._bytes(self.numbers(operator, "CustomOptions"),
                           operator.LargeCustomOptionsOffset(), operator.LargeCustomOptionsSize(),
                           "the options of a custom operator")

    def _bytes(self, inside: np.ndarray, offset: int, size: int, what: str) -> bytes:
        if inside.size or offset <= 1:
            return inside.astype(np.uint8).tobytes()
        if offset + size > len(self.data):
            raise ValueError(f"{what} end at byte {offset + size} of {len(self.data)}")
        return self.data[offset : offset + size]


def text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def operator_name(code: Any) -> str:
    """The builtin operator's name, or that of a custom one in quotes."""
    # Early files have the number in a one-byte field, later ones (also) in a wider one. The
    # accessor of the wider one gives the other below 127, so the field itself is read.
    at = code._tab.Offset(_WIDE_CODE)
    wide = code._tab.Get(Int32Flags, at + code._tab.Pos) if at else 0
    number = max(wide, code.DeprecatedBuiltinCode())
    name = OPERATORS.get(number, f"operator {number}")
    return f"'{text(code.CustomCode())}'" if name == "CUSTOM" else name


def is_custom(name: str) -> bool:
    return name.startswith("'")


def options(file: File, operator: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """The fields of an operator's options, under the names that the schema's accessors have, and
    the names of those that hold the schema's default.

    A field that this schema does not have gets a name that no importer function reads."""
    found: dict[str, Any] = {**_besides(operator), **unknown("Operator", operator)}
    at_default: frozenset[str] = frozenset()
    for union, kinds in _OPTIONS.items():
        number = getattr(operator, f"BuiltinOptions{union}Type")()
        table = getattr(operator, f"BuiltinOptions{union}")()
        kind = kinds.get(number)
        if kind is None:
            found[f"options{union}"] = f"of the unknown kind {number}"
        elif table is not None and kind != "NONE":
            fields, defaults = _table(file, kind, table)
            found |= fields
            at_default |= defaults
    return found, at_default


def _table(file: File, kind: str, table: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """The fields of a table of options, and those of them that hold the schema's default."""
    fields = _fields(file, kind, table.Bytes, table.Pos)
    defaults = _fields(file, kind, *_empty_table(kind))
    return unknown(kind, table) | fields, frozenset(
        k for k, v in fields.items() if v == defaults[k])


def unknown(kind: str, table: Any) -> dict[str, str]:
    """The fields that a table of the file has and this schema does not know."""
    known = _Slots()
    getattr(tflite, f"{kind}Start")(known)
    plain = getattr(table, "_tab", table)
    return {f"number {slot} of {kind}": "set" for slot in range(known.count, _slots(plain))
            if plain.Offset(4 + 2 * slot)}


def _besides(operator: Any) -> dict[str, Any]:
    """What a builtin operator has besides its options, if it has more than most."""
    found: dict[str, Any] = {}
    for name in ("CustomOptions", "Intermediates"):
        count = getattr(operator, name + "Length")()
        if count > 0:
            found[name] = f"{count} entries"
    return found


class _Slots:
    """Stands in for a flatbuffers builder, to count the fields that the schema gives a table."""

    count = 0

    def StartObject(self, count: int) -> None:  # noqa: N802, the builder's name
        self.count = count


def _slots(table: Any) -> int:
    """The number of fields in the file's table."""
    def number(at: int, size: int) -> int:
        return int.from_bytes(table.Bytes[at : at + size], "little", signed=size == 4)

    return (number(table.Pos - number(table.Pos, 4), 2) - 4) // 2


@functools.cache
def _empty_table(kind: str) -> tuple[bytes, int]:
    """The bytes and the position of a table that leaves every field at its default."""
    b = flatbuffers.Builder()
    getattr(tflite, f"{kind}Start")(b)
    b.Finish(getattr(tflite, f"{kind}End")(b))
    data = bytes(b.Output())
    return data, int.from_bytes(data[:4], "little")


def _fields(file: File, kind: str, data: bytes, position: int) -> dict[str, Any]:
    reader = getattr(tflite, kind)()
    reader.Init(data, position)
    names = {m for m in dir(reader) if m[0].isupper() and not _GENERATED.search(m)}
    vectors = {m for m in names if hasattr(reader, m + "Length")}
    values: dict[str, Any] = {m: file.numbers(reader, m).tolist() for m in vectors}
    for name in names - vectors:
        value = getattr(reader, name)()
        values[name] = text(value) if isinstance(value, bytes) else value
    return values
