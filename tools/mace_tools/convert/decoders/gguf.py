"""Reads GGUF files, versions 2 and 3: their keys, and their tensors in the mapped file.

SPDX-License-Identifier: Apache-2.0

Source: the format's definition at github.com/ggml-org/ggml (docs/gguf.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.decoders import blocks
from mace_tools.convert.decoders.stored import FLOATS, Stored, mapped
from mace_tools.support.errors import ModelError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_KEY, MAX_NAME, MAX_DIMS, MAX_ALIGNMENT = 65535, 63, 4, 1 << 20
_STRING, _ARRAY = 8, 9
_NUMBERS = {0: "u1", 1: "i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", 7: "u1",
            10: "<u8", 11: "<i8", 12: "<f8"}
_BOOL = 7
_KINDS = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 12: "Q4_K",
          13: "Q5_K", 14: "Q6_K", 28: "F64", 30: "BF16"}
# Types that exist and are not read.
_OTHERS = {9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS",
           18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS",
           24: "I8", 25: "I16", 26: "I32", 27: "I64", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0",
           39: "MXFP4", 40: "NVFP4", 41: "Q1_0"}
_AGAIN = "download the file again, or let the program that wrote it write it again"


@dataclass
class Gguf:
    """A file: numbers, truth values, texts and arrays by key, and the tensors by name."""

    path: Path
    keys: dict[str, Any] = field(default_factory=dict)
    tensors: dict[str, Stored] = field(default_factory=dict)


def read(path: Path) -> Gguf:
    """Errors: ModelError, with the key or the tensor and where in the file it is."""
    cursor = _Cursor(path, mapped(path))
    if cursor.take(4, "the first bytes").tobytes() != MAGIC:
        raise ModelError(f"{path}: it does not begin with 'GGUF'; {_AGAIN}")
    version = cursor.number("<u4", "the version")
    if version not in VERSIONS:
        why = (": it is big-endian" if version & 0xFFFF == 0 else "")
        raise ModelError(f"{path}: version {version} of GGUF{why}; little-endian files of versions "
                         f"{' and '.join(map(str, VERSIONS))} are read: make the file again with "
                         "today's convert_hf_to_gguf.py")
    tensors = cursor.count("the number of tensors", 24)
    keys = cursor.count("the number of keys", 13)
    found = Gguf(path)
    for _ in range(keys):
        name, value = cursor.pair()
        if name in found.keys:
            raise cursor.wrong(f"key '{name}' is there twice")
        found.keys[name] = value
    infos: dict[str, tuple[str, tuple[int, ...], int, int]] = {}
    for k in range(tensors):
        name, info = cursor.tensor(k)
        if name in infos:
            raise cursor.wrong(f"tensor '{name}' is there twice")
        infos[name] = info
    _find_data(found, cursor, infos)
    if found.keys.get("split.count", 1) not in (0, 1):
        raise ModelError(f"{path}: it is part {found.keys.get('split.no', 0) + 1} of "
                         f"{found.keys['split.count']} of a model; join them first: "
                         "llama-gguf-split --merge")
    return found


class _Cursor:
    """Reads a file from its beginning, never beyond its end."""

    def __init__(self, path: Path, data: np.ndarray) -> None:
        self.path, self.data, self.at = path, data, 0

    def wrong(self, what: str) -> ModelError:
        return ModelError(f"{self.path}: at byte {self.at}: {what}; {_AGAIN}")

    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, size: int, what: str) -> np.ndarray:
        if size > self.left():
            raise self.wrong(f"{what} needs {size} bytes, and the file has {self.left()} left: it "
                             "is cut off or damaged")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, kind: str, what: str) -> Any:
        dtype = np.dtype(kind)
        return self.take(dtype.itemsize, what).view(dtype)[0].item()

    def count(self, what: str, each: int) -> int:
        """A count of things of at least `each` bytes."""
        count = self.number("<u8", what)
        if count * each > self.left():  # integers of any size
            raise self.wrong(f"{what}, {count}, needs at least {count * each} bytes, and the file "
                             f"has {self.left()} left")
        return int(count)

    def text(self, what: str, longest: int = 0) -> str:
        length = self.count(f"the length of {what}", 1)
        if longest and not 0 < length <= longest:
            raise self.wrong(f"{what} has {length} bytes; 1 to {longest} are allowed")
        try:
            return self.take(length, what).tobytes().decode()
        except UnicodeDecodeError as e:
            if longest:
                raise self.wrong(f"{what} is no UTF-8") from e
            raw = self.data[self.at - length : self.at].tobytes()
            return raw.decode("utf-8", "surrogateescape")  # as tokens may be

    def pair(self) -> tuple[str, Any]:
        name = self.text("the name of a key", MAX_KEY)
        kind = self.number("<u4", f"the type of '{name}'")
        return name, self.value(kind, name)

    def value(self, kind: int, name: str) -> Any:
        if kind == _STRING:
            return self.text(f"the text of '{name}'")
        if kind == _ARRAY:
            return self.array(name)
        if kind not in _NUMBERS:
            raise self.wrong(f"'{name}' has a value of type {kind}, which does not exist")
        value = self.number(_NUMBERS[kind], f"the value of '{name}'")
        return bool(value) if kind == _BOOL else value

    def array(self, name: str) -> Any:
        """A NumPy array, or a list of texts."""
        kind = self.number("<u4", f"the element type of '{name}'")
        if kind != _STRING and kind not in _NUMBERS:
            raise self.wrong(f"'{name}' is an array of type {kind}, which cannot be one's element")
        each = 8 if kind == _STRING else np.dtype(_NUMBERS[kind]).itemsize
        count = self.count(f"the length of '{name}'", each)
        if kind == _STRING:
            return [self.text(f"'{name}'[{k}]") for k in range(count)]
        data = self.take(count * each, f"the elements of '{name}'").view(_NUMBERS[kind])
        return data.astype(bool) if kind == _BOOL else data.copy()

    def tensor(self, k: int) -> tuple[str, tuple[str, tuple[int, ...], int, int]]:
        """A name, with type, shape, offset and bytes of the data."""
        name = self.text(f"the name of tensor {k}", MAX_NAME)
        rank = self.number("<u4", f"the rank of '{name}'")
        if rank > MAX_DIMS:
            raise self.wrong(f"tensor '{name}' has {rank} dimensions; at most {MAX_DIMS} are "
                             "allowed")
        dims = tuple(self.number("<u8", f"the dimensions of '{name}'") for _ in range(rank))
        kind = self.number("<u4", f"the type of '{name}'")
        offset = self.number("<u8", f"the offset of '{name}'")
        if kind not in _KINDS:
            raise ModelError(
                f"{self.path}: tensor '{name}' is of type {_OTHERS.get(kind, kind)}, which is not "
                f"read; read are {', '.join(_KINDS.values())}: quantize the model to one of them "
                "(llama-quantize)")
        return name, (_KINDS[kind], dims[::-1], offset, self._bytes(name, _KINDS[kind], dims))

    def _bytes(self, name: str, kind: str, dims: tuple[int, ...]) -> int:
        size = np.dtype(FLOATS[kind]).itemsize if kind in FLOATS else 0
        if size:
            each = 1
        else:
            each, size = blocks.KINDS[kind].values, blocks.KINDS[kind].bytes
        if (dims[0] if dims else 1) % each:
            raise self.wrong(f"tensor '{name}' of {kind} has rows of {dims[0] if dims else 1}, "
                             f"which is no multiple of {each}")
        count = math.prod(dims)  # integers of any size
        if count // each * size > len(self.data):
            raise self.wrong(f"tensor '{name}' of {kind} {list(dims)} needs {count // each * size} "
                             f"bytes, and the file has {len(self.data)}")
        return count // each * size


def _find_data(found: Gguf, cursor: _Cursor,
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
                             f"cut off; {_AGAIN}")
        found.tensors[name] = Stored(name, found.path, kind, shape, data[offset : offset + size])
        end = -(-(offset + size) // alignment) * alignment
