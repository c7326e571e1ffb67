"""Reads the variables of a checkpoint or a SavedModel: variables.index, variables.data-*.

SPDX-License-Identifier: Apache-2.0

The format: tensorflow/core/util/tensor_bundle (its header and tensor_bundle.proto). The index is a
table of a name for each tensor; the tensors are one after the other in the data files.
"""

import math
import mmap
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from mace_tools.convert.importers.tensorflow import slices
from mace_tools.convert.importers.tensorflow.crc32c import crc32c, masked
from mace_tools.convert.importers.tensorflow.sstable import BadTable, entries
from mace_tools.convert.importers.tensorflow.tensors import ElementType, from_bytes, shape_of
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import open_file, read_bytes

COPY = "copy the whole folder of the SavedModel, with `variables`"


class Bundle:
    """The tensors of one checkpoint, read when they are asked for."""

    def __init__(self, prefix: Path, messages: Any) -> None:
        """`prefix`: the path without .index. Errors: ModelError."""
        self._prefix = prefix
        self.index = prefix.with_name(prefix.name + ".index")
        try:
            data = read_bytes(self.index)
        except OSError as e:
            raise ModelError(f"{self.index}: cannot be read: {e.strerror or e}; it holds the "
                             f"values of the variables: {COPY}") from e
        self._entries: dict[str, Any] = {}
        self._shards: dict[int, memoryview] = {}
        try:
            found = dict(entries(data))
            self._header = messages.BundleHeaderProto.FromString(found.pop(b"", b""))
            for key, value in found.items():
                # Keys of parts of variables are no texts: each byte is a character then.
                name = key.decode("latin-1" if key[:1] == b"\0" else "utf-8", "replace")
                self._entries[name] = messages.BundleEntryProto.FromString(value)
        except (BadTable, DecodeError) as e:
            raise ModelError(f"{self.index}: it is no index of variables, or damaged: {e}; {COPY} "
                             "again") from e
        if self._header.endianness:
            raise ModelError(f"{self.index}: the variables were written by a big-endian machine; "
                             "save the model on another one")

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def kind(self, name: str) -> ElementType:
        """The element type in the file."""
        return ElementType(self._entries[name].dtype)

    def tensor(self, name: str) -> np.ndarray | None:
        """The values, in NumPy's type (bfloat16 as float32); None for a tensor of no numbers.

        Errors: ModelError naming the variable and the file."""
        entry = self._entries[name]
        kind = ElementType(entry.dtype)
        if kind.stored is None:
            return None
        shape = shape_of(entry.shape)
        if shape is None or None in shape:
            raise ModelError(f"{self.index}: the variable '{name}' has no fixed shape; the file is "
                             "damaged")
        if entry.slices:
            return self._of_parts(name, [int(e) for e in shape if e is not None])
        wanted = math.prod(shape) * kind.stored.itemsize  # type: ignore[arg-type]
        if entry.size != wanted:
            raise ModelError(f"{self.index}: the variable '{name}' {list(shape)} of {kind.name} "
                             f"needs {wanted} bytes, the index says {entry.size}; the file is "
                             "damaged")
        file, data = self._shard(entry.shard_id)
        end = entry.offset + entry.size
        if entry.offset < 0 or end > len(data):
            raise ModelError(f"{file}: the variable '{name}' lies at {entry.offset} to {end}, and "
                             f"the file has {len(data)} bytes: it is cut off; {COPY} again")
        contents = data[entry.offset : end]
        if masked(crc32c(contents)) != entry.crc32c:
            raise ModelError(f"{file}: the checksum of the variable '{name}' is wrong: the file is "
                             f"damaged; {COPY} again")
        return from_bytes(contents, entry.dtype).reshape(shape)  # type: ignore[arg-type]

    def _of_parts(self, name: str, shape: list[int]) -> np.ndarray:
        """A partitioned variable as a whole. Errors: ModelError."""
        parts: list[tuple[tuple[slice, ...], np.ndarray]] = []
        for part in self._entries[name].slices:
            extents = [(e.start, e.length if e.HasField("length") else slices.ALL)
                       for e in part.extent]
            key = slices.key_of(name, extents).decode("latin-1")
            try:
                place = slices.places(extents, shape)
                values = self.tensor(key) if key in self else None
                wanted = [p.stop - p.start for p in place]
                if values is None or list(values.shape) != wanted or len(wanted) != len(shape):
                    raise ValueError(f"the part {extents} is not there")
            except ValueError as e:
                raise ModelError(f"{self.index}: the variable '{name}' {shape} is stored in parts, "
                                 f"which do not fit: {e}; {COPY} again") from e
            parts.append((place, values))
        if not parts or sum(values.size for _, values in parts) != math.prod(shape):
            raise ModelError(f"{self.index}: the variable '{name}' {shape} is stored in parts, "
                             f"some of which are missing; {COPY} again")
        whole = np.zeros(shape, parts[0][1].dtype)
        for place, values in parts:
            whole[place] = values
        return whole

    def _shard(self, number: int) -> tuple[Path, memoryview]:
        name = f"{self._prefix.name}.data-{number:05d}-of-{self._header.num_shards:05d}"
        file = self._prefix.with_name(name)
        if number not in self._shards:
            try:
                with open_file(file) as f:
                    size = f.seek(0, 2)
                    self._shards[number] = memoryview(
                        mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) if size else b"")
            except OSError as e:
                raise ModelError(f"{file}: cannot be read: {e.strerror or e}; it holds the values "
                                 f"of the variables: {COPY}") from e
        return file, self._shards[number]
