"""The options of a custom operator: a FlexBuffer, as TFLite's custom operators have by convention.

SPDX-License-Identifier: Apache-2.0

The bytes are the attribute `custom_options`. If they are a FlexBuffer map, those of its entries
that an attribute can hold are attributes, too; maps inside it are in the bytes only.
"""

import struct
from typing import Any

from flatbuffers import flexbuffers

RAW = "custom_options"
MAX_ENTRIES = 1 << 16


def attributes(data: bytes) -> dict[str, Any]:
    """The attributes of a node with these options."""
    found = _entries(data) if data else {}
    return {**found, RAW: data} if data else {}


def _entries(data: bytes) -> dict[str, Any]:
    """Those of the map; none if the bytes are something else, which may look like a FlexBuffer."""
    found = {}
    try:
        root = flexbuffers.GetRoot(bytearray(data))
        if not root.IsMap:
            return {}
        table = root.AsMap
        if len(table) > min(MAX_ENTRIES, len(data)):
            return {}
        for key, entry in zip(table.Keys, table.Values):
            name, value = key.AsKey, _value(entry, len(data))
            if value is not None and name != RAW:
                found[name] = value
    except (struct.error, IndexError, KeyError, ValueError, TypeError, OverflowError,
            AttributeError, MemoryError):  # what the package raises for other bytes
        return {}
    return found


def _value(entry: Any, most: int) -> Any:
    """None for what an attribute cannot hold."""
    if entry.IsBool:
        return int(entry.AsBool)
    if entry.IsInt:
        return entry.AsInt
    if entry.IsFloat:
        return entry.AsFloat
    if entry.IsString:
        return bytes(entry.AsStringBytes)
    if entry.IsBlob:
        return bytes(entry.AsBlob)
    if entry.IsAnyVector and not entry.IsMap:
        return _list(entry, most)
    return None


def _list(entry: Any, most: int) -> Any:
    if entry.IsTypedVector:
        vector = entry.AsTypedVector
    elif entry.IsFixedTypedVector:
        vector = entry.AsFixedTypedVector
    else:
        vector = entry.AsVector
    if len(vector) > most:
        raise ValueError("a vector that is longer than the buffer")
    numbers = []
    for item in vector:
        if not (item.IsBool or item.IsNumeric):
            return _texts(vector)
        numbers.append(_value(item, most))
    return numbers


def _texts(vector: Any) -> Any:
    items = list(vector)
    if not all(item.IsString or item.IsKey for item in items):
        return None
    return [bytes(item.AsStringBytes if item.IsString else item.AsKeyBytes) for item in items]
