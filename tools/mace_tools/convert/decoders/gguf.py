"""Reads GGUF files, versions 2 and 3: their keys, and their tensors in the mapped file.

SPDX-License-Identifier: Apache-2.0

Source: the format's definition at github.com/ggml-org/ggml (docs/gguf.md).
"""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.decoders import blocks
from mace_tools.convert.decoders.gguf_keys import AGAIN, Cursor
from mace_tools.convert.decoders.stored import FLOATS, Stored
from mace_tools.support.errors import ModelError

MAX_NAME, MAX_DIMS, MAX_ALIGNMENT = 63, 4, 1 << 20
_KINDS = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 12: "Q4_K",
          13: "Q5_K", 14: "Q6_K", 28: "F64", 30: "BF16"}
# Types that exist and are not read.
_OTHERS = {9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS",
           18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS",
           24: "I8", 25: "I16", 26: "I32", 27: "I64", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0",
           39: "MXFP4", 40: "NVFP4", 41: "Q1_0"}


@dataclass
class Gguf:
    """A file: numbers, truth values, texts and arrays by key, and the tensors by name."""

    path: Path
    keys: dict[str, Any] = field(default_factory=dict)
    tensors: dict[str, Stored] = field(default_factory=dict)


def read(path: Path) -> Gguf:
    """Errors: ModelError, with the key or the tensor and where in the file it is."""
    cursor = Cursor(path)
    tensors = cursor.header()
    found = Gguf(path, dict(cursor.keys()))
    infos: dict[str, tuple[str, tuple[int, ...], int, int]] = {}
    for k in range(tensors):
        name, info = _tensor(cursor, k)
        if name in infos:
            raise cursor.wrong(f"tensor '{name}' is there twice")
        infos[name] = info
    _find_data(found, cursor, infos)
    if found.keys.get("split.count", 1) not in (0, 1):
        raise ModelError(f"{path}: it is part {found.keys.get('split.no', 0) + 1} of "
                         f"{found.keys['split.count']} of a model; join them first: "
                         "llama-gguf-split --merge")
    return found


def _tensor(cursor: Cursor, k: int) -> tuple[str, tuple[str, tuple[int, ...], int, int]]:
    """A name, with type, shape, offset and bytes of the data."""
    name = cursor.text(f"the name of tensor {k}", MAX_NAME)
    rank = cursor.number("<u4", f"the rank of '{name}'")
    if rank > MAX_DIMS:
        raise cursor.wrong(f"tensor '{name}' has {rank} dimensions; at most {MAX_DIMS} are "
                           "allowed")
    dims = tuple(cursor.number("<u8", f"the dimensions of '{name}'") for _ in range(rank))
    kind = cursor.number("<u4", f"the type of '{name}'")
    offset = cursor.number("<u8", f"the offset of '{name}'")
    if kind not in _KINDS:
        raise ModelError(
            f"{cursor.path}: tensor '{name}' is of type {_OTHERS.get(kind, kind)}, which is not "
            f"read; read are {', '.join(_KINDS.values())}: quantize the model to one of them "
            "(llama-quantize)")
    return name, (_KINDS[kind], dims[::-1], offset, _bytes(cursor, name, _KINDS[kind], dims))


def _bytes(cursor: Cursor, name: str, kind: str, dims: tuple[int, ...]) -> int:
    size = np.dtype(FLOATS[kind]).itemsize if kind in FLOATS else 0
    if size:
        each = 1
    else:
        each, size = blocks.KINDS[kind].values, blocks.KINDS[kind].bytes
    if (dims[0] if dims else 1) % each:
        raise cursor.wrong(f"tensor '{name}' of {kind} has rows of {dims[0] if dims else 1}, "
                           f"which is no multiple of {each}")
    count = math.prod(dims)  # integers of any size
    if count // each * size > len(cursor.data):
        raise cursor.wrong(f"tensor '{name}' of {kind} {list(dims)} needs {count // each * size} "
                           f"bytes, and the file has {len(cursor.data)}")
    return count // each * size


def _find_data(found: Gguf, cursor: Cursor,
               infos: dict[str, tuple[str, tuple[int, ...], int, int]]) -> None:
    """Each tensor follows the one before it in the list, at the next multiple of the alignment."""
    alignment = found.keys.get("general.alignment", 32)
    if type(alignment) is not int or alignment < 1 or alignment & (alignment - 1) or (
            alignment > MAX_ALIGNMENT):
        raise cursor.wrong(f"general.alignment is {alignment!r}; it is a power of two up to "
                           f"{MAX_ALIGNMENT}")
    start = -(-cursor.at // alignment) * alignment
    data, end = cursor.data[start:], 0
    for name, (kind, shape, offset, size) in infos.items():
        if offset != end:
            what = "overlaps the one before it" if offset < end else "leaves a gap"
            raise cursor.wrong(f"tensor '{name}' at {offset} of the data {what}, which ends at "
                               f"{end} with its padding")
        if offset + size > len(data):
            raise ModelError(f"{found.path}: tensor '{name}' needs the bytes {offset} to "
                             f"{offset + size} of the data, and there are {len(data)}: the file is "
                             f"cut off; {AGAIN}")
        found.tensors[name] = Stored(name, found.path, kind, shape, data[offset : offset + size])
        end = -(-(offset + size) // alignment) * alignment
