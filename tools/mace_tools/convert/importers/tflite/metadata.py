"""Metadata of a TFLite model: how images become its inputs, and the labels of its outputs.

SPDX-License-Identifier: Apache-2.0

The buffer TFLITE_METADATA is a flatbuffer of its own (metadata_schema.fbs of TensorFlow Lite
Support), and the files that it names are in a zip archive behind the model. A field is known by its
number in the schema. Metadata never decides what a model computes: what is damaged is left out,
with a note.
"""

import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flatbuffers import number_types as kinds
from flatbuffers.table import Table

from mace_tools.convert.importers.tflite.flat import File, reading, text
from mace_tools.support.errors import ModelError

NAME, IDENTIFIER = "TFLITE_METADATA", b"M001"
MAX_LABEL_BYTES = 1 << 24
_GRAYSCALE = 2  # ColorSpaceType
_IMAGE, _NORMALIZATION = 2, 1  # in the unions ContentProperties and ProcessUnitOptions
_AXIS_LABELS, _VALUE_LABELS = 2, 3  # AssociatedFileType


@dataclass(frozen=True)
class End:
    """What is known about an input or an output. `mean` and `std` are empty if not given: a value
    of an input is (pixel - mean) / std."""

    name: str = ""
    gray: bool = False
    image: bool = False
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    labels: str = ""  # the name of a file


@dataclass(frozen=True)
class Metadata:
    """In the order of the graph's inputs and outputs."""

    inputs: tuple[End, ...] = ()
    outputs: tuple[End, ...] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read(path: Path) -> Metadata:
    """The metadata of a model that can be read; empty if it has none."""
    file = File(path)
    try:
        with reading(file):
            file.place = "the metadata"
            data = _buffer(file)
            ends = _ends(data) if data is not None else ((), ())
    except ModelError as e:
        return Metadata(notes=(f"its metadata is left out: {e}",))
    wanted = {e.labels for e in ends[1] if e.labels}
    files, notes = _files(path, wanted) if wanted else ({}, [])
    return Metadata(*ends, files, tuple(notes))


def _buffer(file: File) -> bytes | None:
    root = file.root()
    buffers = file.list(root, "Buffers")
    for entry in file.list(root, "Metadata"):
        if text(entry.Name()) == NAME:
            return file.contents(buffers[entry.Buffer()], NAME)
    return None


def _ends(data: bytes) -> tuple[tuple[End, ...], tuple[End, ...]]:
    if data[4:8] != IDENTIFIER:
        raise ValueError(f"its identifier is {data[4:8]!r}, not {IDENTIFIER!r}")
    root = Table(data, struct.unpack_from("<I", data)[0])
    graphs = _tables(root, 3)
    if not graphs:
        return (), ()
    return (tuple(_end(t) for t in _tables(graphs[0], 2)),
            tuple(_end(t) for t in _tables(graphs[0], 3)))


def _end(table: Table) -> End:
    """TensorMetadata: 0 name, 3 content, 4 process units, 6 associated files."""
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    for unit in _tables(table, 4):  # ProcessUnit: 0 and 1 its options
        if _number(unit, 0) == _NORMALIZATION:
            options = _table(unit, 1)
            if options is not None:  # NormalizationOptions: 0 mean, 1 std
                mean, std = _floats(options, 0), _floats(options, 1)
    gray = image = False
    content = _table(table, 3)  # Content: 0 and 1 its properties
    if content is not None and _number(content, 0) == _IMAGE:
        image = True
        properties = _table(content, 1)  # ImageProperties: 0 color space
        gray = properties is not None and _number(properties, 0) == _GRAYSCALE
    labels = ""
    for entry in _tables(table, 6):  # AssociatedFile: 0 name, 2 type, 3 locale
        if _number(entry, 2) in (_AXIS_LABELS, _VALUE_LABELS) and not labels:
            labels = _text(entry, 0)
    return End(_text(table, 0), gray, image, mean, std, labels)


def _files(path: Path, wanted: set[str]) -> tuple[dict[str, bytes], list[str]]:
    found, notes = {}, []
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(wanted):
                if name not in archive.namelist():
                    notes.append(f"its metadata names '{name}', which is not in the file")
                elif archive.getinfo(name).file_size > MAX_LABEL_BYTES:
                    notes.append(f"'{name}' in it is larger than {MAX_LABEL_BYTES} bytes")
                else:
                    found[name] = archive.read(name)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError,
            zlib.error) as e:
        notes.append(f"the files that its metadata names ({', '.join(sorted(wanted))}) cannot be "
                     f"read: {e}")
    return found, notes


def _at(table: Table, number: int) -> int:
    """Where a field is, or 0."""
    offset = table.Offset(4 + 2 * number)
    return table.Pos + offset if offset else 0


def _number(table: Table, number: int) -> int:
    at = _at(table, number)
    return table.Get(kinds.Int8Flags, at) if at else 0


def _text(table: Table, number: int) -> str:
    at = _at(table, number)
    return text(table.String(at)) if at else ""


def _table(table: Table, number: int) -> Table | None:
    at = _at(table, number)
    return Table(table.Bytes, table.Indirect(at)) if at else None


def _vector(table: Table, number: int) -> tuple[int, int]:
    """The start and the length of a vector of fields of four bytes."""
    at = _at(table, number)
    if not at:
        return 0, 0
    count = table.VectorLen(at - table.Pos)
    if count * 4 > len(table.Bytes):
        raise ValueError(f"{count} entries in a buffer of {len(table.Bytes)} bytes")
    return table.Vector(at - table.Pos), count


def _tables(table: Table, number: int) -> list[Table]:
    start, count = _vector(table, number)
    return [Table(table.Bytes, table.Indirect(start + 4 * k)) for k in range(count)]


def _floats(table: Table, number: int) -> tuple[float, ...]:
    start, count = _vector(table, number)
    found: Any = [table.Get(kinds.Float32Flags, start + 4 * k) for k in range(count)]
    return tuple(float(v) for v in found)
