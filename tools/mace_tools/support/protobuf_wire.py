"""Reads fields of a protobuf message without a schema, and without reading all of the message.

SPDX-License-Identifier: Apache-2.0

The encoding: https://protobuf.dev/programming-guides/encoding. The protobuf library reads a message
only as a whole and copies it; this module reads a file of any size, or its beginning, in place.
"""

from collections.abc import Iterator
from dataclasses import dataclass

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_MAX_FIELD = (1 << 29) - 1


@dataclass(frozen=True)
class FieldAt:
    """A field of a message: its number, its wire type, and the position of its contents."""

    number: int
    kind: int
    begin: int
    end: int


class NotWire(ValueError):
    """These bytes are not a protobuf message."""


def fields(data: memoryview | bytes, begin: int = 0, end: int | None = None) -> Iterator[FieldAt]:
    """The fields of the message in data[begin:end]; the last may be cut off by the end of data.

    Errors: NotWire where the bytes are not a field."""
    end = len(data) if end is None else end
    at = begin
    while at < end:
        tag, at = _varint(data, at, end)
        number, kind = tag >> 3, tag & 7
        if not 0 < number <= _MAX_FIELD:
            raise NotWire(f"field {number}")
        if kind == VARINT:
            start, (_, at) = at, _varint(data, at, end)
        elif kind == BYTES:
            size, start = _varint(data, at, end)
            at = start + size
        elif kind in (FIXED32, FIXED64):
            start, at = at, at + (8 if kind == FIXED64 else 4)
        else:
            raise NotWire(f"wire type {kind}")
        yield FieldAt(number, kind, start, min(at, end))
        if at > end:
            raise NotWire("cut off")


def _varint(data: memoryview | bytes, at: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            raise NotWire("cut off")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise NotWire("a number of more than ten bytes")
