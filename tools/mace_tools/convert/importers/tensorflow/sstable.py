"""Reads a LevelDB table, the format of variables.index.

SPDX-License-Identifier: Apache-2.0

The format: doc/table_format.md of LevelDB. A table holds keys and values in order; each of its
blocks ends with its compression and a checksum.
"""

from collections.abc import Iterator

from mace_tools.convert.importers.tensorflow.crc32c import crc32c, masked

MAGIC = bytes.fromhex("57fb808b247547db")
_FOOTER, _TRAILER = 48, 5
_PLAIN, _SNAPPY = 0, 1


class BadTable(ValueError):
    """The bytes are no table; the text says what is wrong with them."""


def entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values. Errors: BadTable."""
    if len(data) < _FOOTER or data[-8:] != MAGIC:
        raise BadTable("it does not end as a table does: it is cut off")
    footer = memoryview(data)[-_FOOTER:]
    _, at = _handle(footer, 0)
    index, _ = _handle(footer, at)
    for _, handle in _block(data, *index):
        place, _ = _handle(memoryview(handle), 0)
        yield from _block(data, *place)


def _handle(data: memoryview, at: int) -> tuple[tuple[int, int], int]:
    """Offset and size of a block, and where the bytes after the handle begin."""
    offset, at = _varint(data, at)
    size, at = _varint(data, at)
    return (offset, size), at


def _block(data: bytes, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    end = offset + size
    if size < 4 or end + _TRAILER > len(data):
        raise BadTable(f"a block lies at {offset} to {end}, beyond its {len(data)} bytes")
    if data[end] == _SNAPPY:
        raise BadTable("it is compressed by Snappy, which cannot be read; save the model again "
                       "with a TensorFlow of today")
    if data[end] != _PLAIN:
        raise BadTable(f"a block has the unknown compression {data[end]}")
    if masked(crc32c(data[offset : end + 1])) != int.from_bytes(data[end + 1 : end + 5], "little"):
        raise BadTable(f"the checksum of the block at {offset} is wrong")
    restarts = int.from_bytes(data[end - 4 : end], "little")
    view = memoryview(data)[offset : end - 4 - 4 * restarts] if 4 * restarts + 4 <= size else None
    if view is None:
        raise BadTable(f"the block at {offset} has {restarts} restarts in {size} bytes")
    key, at = b"", 0
    while at < len(view):
        shared, at = _varint(view, at)
        own, at = _varint(view, at)
        length, at = _varint(view, at)
        if shared > len(key) or at + own + length > len(view):
            raise BadTable(f"an entry of the block at {offset} is longer than the block")
        key = key[:shared] + bytes(view[at : at + own])
        at += own
        yield key, bytes(view[at : at + length])
        at += length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    raise BadTable("a number in it does not end")
