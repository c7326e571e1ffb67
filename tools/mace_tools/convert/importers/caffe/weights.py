"""Reads the weights of a network (.caffemodel), in place and without a schema.

SPDX-License-Identifier: Apache-2.0

The file is a NetParameter of Caffe, of which only the names of layers and their blobs matter: all
else, also the layers of training, may be of any fork. It may be larger than protobuf reads.
"""

import math
import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mace_tools.convert.importers.caffe.prototxt import OLD
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import open_file
from mace_tools.support.os_errors import explain
from mace_tools.support.protobuf_wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    FieldAt,
    NotWire,
    fields,
)

# NetParameter: layers of today, those of before Caffe 1.0.
LAYER, V1_LAYER = 100, 2
# By the number of the layer's field: the numbers of a layer's name and blobs.
_PLACES = {LAYER: (1, 7), V1_LAYER: (4, 6)}
_V0_LAYER = 1  # of a layer of before 1.0: the form of 2013
# BlobProto
_NUM, _WIDTH, _DATA, _SHAPE, _DOUBLES = 1, 4, 5, 7, 8
_RAW_TYPE, _RAW = 10, 12  # of NVIDIA's fork: bytes, and the type of the numbers in them
_RAW_TYPES = {0: "<f8", 1: "<f4", 2: "<f2", 3: "<i4", 4: "<u4"}
_DIFFS = (6, 9, 11, 13)  # gradients, which training stored
_SHAPE_DIM = 1
_MAX_AXES = 32  # as in Caffe


@dataclass(frozen=True)
class Blob:
    """Parameters of a layer. `legacy`: the file states four extents, whatever the rank. `stored`:
    "f16" where the file has them in fp16."""

    array: np.ndarray
    legacy: bool
    stored: str = ""

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether it has this shape: in the old form, the shape with ones before it."""
        if self.legacy and len(shape) <= 4:
            return self.array.shape == (1,) * (4 - len(shape)) + shape
        return self.array.shape == shape


def read_weights(path: Path) -> dict[str, list[Blob]]:
    """The blobs of each layer that has some. Errors: ModelError."""
    try:
        if not path.stat().st_size:
            raise ModelError(f"{path} is empty")
        with open_file(path) as file:
            # The arrays are views of the map, which lives as long as they do.
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as e:
        raise ModelError(f"cannot read {path}: {explain(e, path)}") from e
    try:
        found, layers = _layers(view, path)
    except NotWire as e:
        raise ModelError(f"{path} is truncated, damaged or no Caffe weights file: {e} "
                         f"({len(view)} bytes)") from e
    if not layers:
        raise ModelError(f"{path} is no Caffe weights file (.caffemodel): it has no layers")
    return found


def _layers(view: memoryview, path: Path) -> tuple[dict[str, list[Blob]], int]:
    found: dict[str, list[Blob]] = {}
    count = 0
    for at in fields(view):
        if at.number not in _PLACES or at.kind != BYTES:
            continue
        count += 1
        name_number, blob_number = _PLACES[at.number]
        parts = list(fields(view, at.begin, at.end))
        if at.number == V1_LAYER and any(p.number == _V0_LAYER for p in parts):
            raise ModelError(f"{path} {OLD}")
        name = b"".join(bytes(view[p.begin : p.end]) for p in parts
                        if p.number == name_number and p.kind == BYTES).decode("utf-8", "replace")
        blobs = [_blob(view, p, f"{path}: blob {k} of layer '{name}'") for k, p in enumerate(
            p for p in parts if p.number == blob_number and p.kind == BYTES)]
        if blobs:
            found.setdefault(name, blobs)  # as in Caffe, a name stands for its first layer
    return found, count


def _blob(view: memoryview, at: FieldAt, where: str) -> Blob:
    legacy = [0, 0, 0, 0]
    shape: tuple[int, ...] | None = None
    data: list[np.ndarray] = []
    raw, raw_type = None, 0
    for p in fields(view, at.begin, at.end):
        if p.number in (_DATA, _DOUBLES):
            data.append(_numbers(view, p, where))
        elif p.number == _SHAPE and p.kind == BYTES:
            shape = tuple(_dims(view, p))
        elif _NUM <= p.number <= _WIDTH and p.kind == VARINT:
            legacy[p.number - _NUM] = _varint(view, p)
        elif p.number == _RAW and p.kind == BYTES:
            raw = p
        elif p.number == _RAW_TYPE and p.kind == VARINT:
            raw_type = _varint(view, p)
        elif p.number not in _DIFFS:
            raise ModelError(f"{where} has a field {p.number} that Caffe's blobs do not have: the "
                             "file is damaged, or of a fork with weights in another form")
    if raw is not None:
        data.append(_raw(view, raw, raw_type, where))
    old = shape is None
    extents = tuple(legacy) if shape is None else shape
    if len(extents) > _MAX_AXES or any(not 0 <= e < 1 << 31 for e in extents):
        raise ModelError(f"{where} has the shape {list(extents)[:_MAX_AXES]}: the file is damaged")
    values = np.concatenate(data) if len(data) > 1 else data[0] if data else np.zeros(0, "<f4")
    if values.size != math.prod(extents):
        raise ModelError(f"{where} has {values.size} elements, its shape {list(extents)} has "
                         f"{math.prod(extents)}: the file is damaged")
    return Blob(values.astype(np.float32, copy=False).reshape(extents), old,
                "f16" if values.dtype == np.float16 else "")


def _numbers(view: memoryview, at: FieldAt, where: str) -> np.ndarray:
    """Packed, or a single one of a list that is not."""
    kind = np.dtype("<f4" if at.number == _DATA else "<f8")
    size = at.end - at.begin
    if at.kind not in (BYTES, FIXED32 if at.number == _DATA else FIXED64) or size % kind.itemsize:
        raise ModelError(f"{where} has no numbers where they should be: the file is damaged")
    return np.frombuffer(view[at.begin : at.end], kind)


def _raw(view: memoryview, at: FieldAt, number: int, where: str) -> np.ndarray:
    """Numbers as bytes; they are fp16 in files of models that NVIDIA's fork trained so."""
    kind = np.dtype(_RAW_TYPES.get(number, "V1"))
    if kind.kind == "V":
        raise ModelError(f"{where} has numbers of the type {number}, and raw_data_type is 0 to "
                         f"{max(_RAW_TYPES)}: the file is damaged, or of another fork")
    if (at.end - at.begin) % kind.itemsize:
        raise ModelError(f"{where} has {at.end - at.begin} bytes of numbers of {kind.itemsize}: "
                         "the file is damaged")
    return np.frombuffer(view[at.begin : at.end], kind)


def _dims(view: memoryview, at: FieldAt) -> Iterator[int]:
    for p in fields(view, at.begin, at.end):
        if p.number != _SHAPE_DIM:
            continue
        if p.kind == VARINT:
            yield _varint(view, p)
        elif p.kind == BYTES:
            begin = p.begin
            while begin < p.end:
                end = begin
                while end < p.end and view[end] & 0x80:
                    end += 1
                if end == p.end:
                    raise NotWire("a shape that is cut off")
                yield _varint(view, FieldAt(_SHAPE_DIM, VARINT, begin, end + 1))
                begin = end + 1


def _varint(view: memoryview, at: FieldAt) -> int:
    """A whole number, negative ones as in protobuf."""
    value = sum((view[k] & 0x7F) << 7 * (k - at.begin) for k in range(at.begin, at.end))
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value
