"""Reads safetensors files: their headers, and their tensors in the mapped file.

SPDX-License-Identifier: Apache-2.0

A file is the length of its header (8 bytes), the header (JSON), and the data of all tensors without
gaps. Source: the format's definition at github.com/huggingface/safetensors.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.decoders.stored import Stored, mapped
from mace_tools.support.errors import ModelError

MAX_HEADER = 100_000_000
# Of each element type: the type in which weights are kept, and that of NumPy. What weights do not
# have is read only to be refused by its name.
_TYPES = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "BF16": np.dtype("<u2"),
          "F64": np.dtype("<f8"), "BOOL": np.dtype("?"), "U8": np.dtype("u1"),
          "I8": np.dtype("i1"), "U16": np.dtype("<u2"), "I16": np.dtype("<i2"),
          "U32": np.dtype("<u4"), "I32": np.dtype("<i4"), "U64": np.dtype("<u8"),
          "I64": np.dtype("<i8")}
_AGAIN = "download the file again, or let the program that wrote it write it again"


def read(path: Path) -> dict[str, Stored]:
    """The tensors of a file by name; their data stay in the file until they are used.

    Errors: ModelError for a damaged file, with the tensor."""
    data = mapped(path)
    if len(data) < 8:
        raise ModelError(f"{path}: {len(data)} bytes are no safetensors file; {_AGAIN}")
    length = int.from_bytes(data[:8].tobytes(), "little")
    if length > min(MAX_HEADER, len(data) - 8):
        raise ModelError(f"{path}: its header is to have {length} bytes, and the file has "
                         f"{len(data) - 8} after its first 8; it is cut off or damaged: {_AGAIN}")
    header = _header(path, data[8 : 8 + length].tobytes())
    body = data[8 + length :]
    found = {name: _tensor(path, name, entry, len(body)) for name, entry in header.items()
             if name != "__metadata__"}
    _check_cover(path, found, len(body))
    return {name: Stored(name, path, kind, shape, body[begin:end])
            for name, (kind, shape, begin, end) in found.items()}


def _header(path: Path, text: bytes) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise ModelError(f"{path}: its header has '{name}' twice; {_AGAIN}")
            found[name] = value
        return found

    try:
        header = json.loads(text.decode(), object_pairs_hook=once)
    except (ValueError, RecursionError) as e:
        raise ModelError(f"{path}: its header is no JSON ({e}); {_AGAIN}") from e
    if not isinstance(header, dict):
        raise ModelError(f"{path}: its header is no JSON object; {_AGAIN}")
    notes = header.get("__metadata__", {})
    if not isinstance(notes, dict) or not all(isinstance(v, str) for v in notes.values()):
        raise ModelError(f"{path}: __metadata__ of its header is no object of texts; {_AGAIN}")
    return header


def _tensor(path: Path, name: str, entry: Any, size: int) -> tuple[str, tuple[int, ...], int, int]:
    """Type, shape and the range of the data. Errors: ModelError."""
    def wrong(what: str) -> ModelError:
        return ModelError(f"{path}: tensor '{name}': {what}; {_AGAIN}")

    if not isinstance(entry, dict):
        raise wrong("its entry in the header is no object")
    kind, shape, place = (entry.get(key) for key in ("dtype", "shape", "data_offsets"))
    if kind not in _TYPES:
        raise ModelError(f"{path}: tensor '{name}' has the element type {kind!r}; known are "
                         f"{', '.join(_TYPES)}: convert the checkpoint to one of them")
    if not _naturals(shape) or not _naturals(place) or len(place) != 2:
        raise wrong(f"shape {shape!r} and data_offsets {place!r} are to be lists of natural "
                    "numbers, the second of two")
    begin, end = place
    if not begin <= end <= size:
        raise wrong(f"its data at {begin} to {end} are outside of the {size} bytes of the file")
    if math.prod(shape) * _TYPES[kind].itemsize != end - begin:  # integers of any size
        raise wrong(f"{kind} {shape} does not have the {end - begin} bytes of its data")
    return kind, tuple(shape), begin, end


def _naturals(value: Any) -> bool:
    return isinstance(value, list) and all(type(v) is int and v >= 0 for v in value)


def _check_cover(
    path: Path, found: Mapping[str, tuple[str, tuple[int, ...], int, int]], size: int
) -> None:
    """Errors: ModelError if data overlap or leave gaps."""
    end, before = 0, "the header"
    for name, (_, _, first, last) in sorted(found.items(), key=lambda item: item[1][2:]):
        if first != end:
            what = "overlap" if first < end else "leave a gap behind"
            raise ModelError(f"{path}: the data of tensor '{name}' ({first} to {last}) {what} "
                             f"those of {before}, which end at {end}; {_AGAIN}")
        end, before = last, f"'{name}'"
    if end != size:
        raise ModelError(f"{path}: {size - end} bytes after the last tensor belong to none; "
                         f"{_AGAIN}")
