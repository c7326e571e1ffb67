"""Models: loaded from files or memory, and verified.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any, Callable, Optional, Union

from mace._errors import InvalidArgumentError
from mace._library import Handle, check, encoded_path, ffi, lib, optional, owned, text
from mace._tensors import Dimension, TensorInfo, dimensions, infos

PathLike = Union[str, "os.PathLike[str]"]
# The 32 bytes of a key, or what returns them for the key's name.
SealKey = Union[bytes, bytearray, Callable[[str], bytes]]
KEY_BYTES = 32
_held: dict[int, Any] = {}  # weights in memory, until the library releases them
_numbers = itertools.count(1)


@ffi.callback("void(void *)")
def _release(number: Any) -> None:
    _held.pop(int(ffi.cast("uintptr_t", number)), None)


class Model:
    """A verified model. It does not change, so that threads and engines may share it."""

    handle: Handle

    def __init__(self, graph: PathLike, data: Optional[PathLike] = None, *,
                 verify_checksum: bool = True, into_memory: bool = False) -> None:
        """Reads `graph`, NAME.pb, and maps the weights in `data`; without it, in NAME.data if
        there is such a file. `verify_checksum`: whether to read all weights once. `into_memory`:
        whether to read the weights instead of mapping them, so that the model stays right when
        the file is changed, cut short or removed; a mapped file that is cut short ends the
        process (SIGBUS), while a new file that is renamed over it is safe."""
        path = Path(graph)
        if data is None and path.with_suffix(".data").is_file():
            data = path.with_suffix(".data")
        with _options(verify_checksum, into_memory) as options:
            self._own(lib.mace_model_load, encoded_path(path), optional(data), options)

    @classmethod
    def from_bytes(cls, graph: Any, data: Any = None, *, verify_checksum: bool = True) -> Model:
        """The same from memory: bytes, mmap, arrays. The weights are used in place if they begin at
        a 64-byte boundary; do not change them."""
        model = cls.__new__(cls)
        with _options(verify_checksum) as options:
            try:
                graph_bytes = ffi.from_buffer(graph)
                data_bytes = ffi.NULL if data is None else ffi.from_buffer(data)
            except (TypeError, BufferError) as e:
                raise InvalidArgumentError(f"graph and data are bytes or arrays: {e}") from e
            number = next(_numbers)
            if data is not None:
                _held[number] = data_bytes
            size = 0 if data is None else len(data_bytes)
            model._own(lib.mace_model_load_memory, graph_bytes, len(graph_bytes), data_bytes, size,
                       ffi.NULL if data is None else _release, ffi.cast("void *", number), options)
        return model

    @classmethod
    def from_sealed(cls, sealed: Any, key: SealKey, *, verify_checksum: bool = True) -> Model:
        """A model that `converter.py seal` encrypted: the path of its file, or its bytes.

        `key`: 32 bytes, or a function that returns them for the name of a key. What it raises is
        the cause of the InvalidArgumentError. Python keeps the caller's bytes as it likes; the
        library's copy is overwritten."""
        model = cls.__new__(cls)
        asked = _Key(key)
        with _options(verify_checksum) as options:
            if isinstance(sealed, (str, os.PathLike)):
                given, function = (encoded_path(sealed),), lib.mace_model_load_sealed
            else:
                try:
                    held = ffi.from_buffer(sealed)
                except (TypeError, BufferError) as e:
                    raise InvalidArgumentError(f"sealed is a path, bytes or an array: {e}") from e
                given, function = (held, len(held)), lib.mace_model_load_sealed_memory
            try:
                model._own(function, *given, asked.function, ffi.NULL, options)
            except InvalidArgumentError as e:
                if asked.raised is None:
                    raise
                if not isinstance(asked.raised, Exception):  # as KeyboardInterrupt
                    raise asked.raised from None
                raise InvalidArgumentError(f"{e.message} ({asked.raised})") from asked.raised
        return model

    def _own(self, function: Callable[..., int], *arguments: Any) -> None:
        self.handle = owned("model", function, *arguments)
        with self.handle as pointer:
            self.name = text(lib.mace_model_name(pointer))
            self.inputs: dict[str, TensorInfo] = infos(lib.mace_model_inputs, pointer)
            self.dimensions: dict[str, tuple[Dimension, ...]] = dimensions(pointer, self.inputs)
            self.outputs: dict[str, TensorInfo] = infos(lib.mace_model_outputs, pointer)

    def close(self) -> None:
        """Frees the model, once its engines are closed. Later calls raise ClosedError."""
        self.handle.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<mace.Model '{self.name}'>"


class _Key:
    """The callback that writes a key, and what the caller's function raised."""

    def __init__(self, key: SealKey) -> None:
        self.raised: Optional[BaseException] = None
        self._key = key
        self.function = ffi.callback("int32_t(void *, const char *, uint8_t *)", self._write,
                                     error=1)

    def _write(self, _: Any, name: Any, out: Any) -> int:
        try:
            key = self._key(text(name)) if callable(self._key) else self._key
            try:
                found = bytes(memoryview(key))  # type: ignore[arg-type]
            except TypeError:
                raise TypeError(f"a key is {KEY_BYTES} bytes, not {type(key).__name__}") from None
            if len(found) != KEY_BYTES:
                raise ValueError(f"a key has {KEY_BYTES} bytes, not {len(found)}")
        except BaseException as e:
            self.raised = e
            return 1
        ffi.memmove(out, found, KEY_BYTES)
        return 0


def _options(verify_checksum: bool, into_memory: bool = False) -> Handle:
    options = owned("model_options", lib.mace_model_options_create, what="options")
    with options as pointer:
        check(lib.mace_model_options_set_verify_checksum(pointer, verify_checksum))
        check(lib.mace_model_options_set_into_memory(pointer, into_memory))
    return options
