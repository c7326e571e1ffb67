"""The keys and values at the beginning of a GGUF file.

SPDX-License-Identifier: Apache-2.0

The layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

from mace_tools.support.errors import ModelError

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q",
            12: "d"}  # fmt: skip
_STRING, _ARRAY = 8, 9
_VERSIONS = (2, 3)


def read(path: Path, prefix: str = "") -> dict[str, Any]:
    """The values of the keys that begin with `prefix`. Errors: ModelError, with the key."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return _Reader(path, data).read(prefix)


class _Reader:
    def __init__(self, path: Path, data: Any) -> None:
        self._path, self._data, self._at = path, data, 0
        self._key = ""

    def read(self, prefix: str) -> dict[str, Any]:
        if self._data[:4] != b"GGUF":
            raise self._broken("it is no GGUF file")
        self._at = 4
        version = self._number("I")
        if version not in _VERSIONS:
            big_endian = version & 0xFFFF == 0 and version
            raise self._broken(f"version {version}" + (" (big-endian)" if big_endian else "")
                               + f"; versions {' and '.join(map(str, _VERSIONS))} are read")
        self._number("Q")  # tensors
        found: dict[str, Any] = {}
        for _ in range(self._count("keys", 13)):
            self._key = "a key"
            key = self._key = self._string()
            if key in found:
                raise self._broken("it is there twice")
            value = self._value(self._number("I"))
            if key.startswith(prefix):
                found[key] = value
        return found

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._number(self._format(kind))
        kind = self._number("I")
        if kind == _STRING:
            return [self._string() for _ in range(self._count("strings", 8))]
        code = self._format(kind)
        count = self._count("elements", struct.calcsize(f"<{code}"))
        return list(struct.unpack(f"<{count}{code}", self._take(count * struct.calcsize(code))))

    def _format(self, kind: int) -> str:
        if kind not in _NUMBERS:
            raise self._broken(f"a value has type {kind}, which GGUF does not have here")
        return _NUMBERS[kind]

    def _count(self, what: str, size: int) -> int:
        """A count of things of at least `size` bytes each."""
        count = self._number("Q")
        if count > (len(self._data) - self._at) // size:
            raise self._broken(f"{count} {what} do not fit into the file: it was cut short")
        return count

    def _number(self, code: str) -> Any:
        return struct.unpack(f"<{code}", self._take(struct.calcsize(f"<{code}")))[0]

    def _string(self) -> str:
        return self._take(self._count("bytes", 1)).decode("utf-8", "surrogateescape")

    def _take(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            raise self._broken("the file was cut short")
        self._at += size
        return bytes(self._data[self._at - size:self._at])

    def _broken(self, what: str) -> ModelError:
        return ModelError(f"'{self._path}': {self._key + ': ' if self._key else ''}{what}")
