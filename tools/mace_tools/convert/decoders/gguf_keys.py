"""Reads the keys of GGUF files, versions 2 and 3.

SPDX-License-Identifier: Apache-2.0

Source: the format's definition at github.com/ggml-org/ggml (docs/gguf.md).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.decoders.stored import mapped
from mace_tools.support.errors import ModelError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_KEY = 65535
AGAIN = "download the file again, or let the program that wrote it write it again"
_STRING, _ARRAY = 8, 9
_NUMBERS = {0: "u1", 1: "i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", 7: "u1",
            10: "<u8", 11: "<i8", 12: "<f8"}
_BOOL = 7


def read(path: Path, prefix: str) -> dict[str, Any]:
    """The keys that begin so, of a file with tensors of any type; arrays as lists. Errors:
    ModelError."""
    cursor = Cursor(path)
    cursor.header()
    return {name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in cursor.keys() if name.startswith(prefix)}


class Cursor:
    """Reads a file from its beginning, never beyond its end."""

    def __init__(self, path: Path) -> None:
        self.path, self.data, self.at = path, mapped(path), 0
        self._keys = 0

    def header(self) -> int:
        """Goes to the first key. Returns the number of tensors."""
        if self.take(4, "the first bytes").tobytes() != MAGIC:
            raise ModelError(f"{self.path}: it does not begin with 'GGUF'; {AGAIN}")
        version = self.number("<u4", "the version")
        if version not in VERSIONS:
            why = ": it is big-endian" if version & 0xFFFF == 0 else ""
            raise ModelError(
                f"{self.path}: version {version} of GGUF{why}; little-endian files of versions "
                f"{' and '.join(map(str, VERSIONS))} are read: make the file again with today's "
                "convert_hf_to_gguf.py")
        tensors = self.count("the number of tensors", 24)
        self._keys = self.count("the number of keys", 13)
        return tensors

    def keys(self) -> Iterator[tuple[str, Any]]:
        """Goes to the first tensor."""
        names: set[str] = set()
        for _ in range(self._keys):
            name, value = self.pair()
            if name in names:
                raise self.wrong(f"key '{name}' is there twice")
            names.add(name)
            yield name, value

    def wrong(self, what: str) -> ModelError:
        return ModelError(f"{self.path}: at byte {self.at}: {what}; {AGAIN}")

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
