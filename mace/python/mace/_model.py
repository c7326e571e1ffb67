"""Models: loaded from files or memory, and verified.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any, Optional, Union

from mace._errors import InvalidArgumentError
from mace._library import Handle, check, created, ffi, lib, optional, text
from mace._tensors import TensorInfo, infos

PathLike = Union[str, "os.PathLike[str]"]
_held: dict[int, Any] = {}  # weights in memory, until the library releases them
_numbers = itertools.count(1)


@ffi.callback("void(void *)")
def _release(number: Any) -> None:
    _held.pop(int(ffi.cast("uintptr_t", number)), None)


class Model:
    """A verified model. It does not change, so that threads and engines may share it."""

    handle: Handle

    def __init__(self, graph: PathLike, data: Optional[PathLike] = None, *,
                 verify_checksum: bool = True) -> None:
        """Reads `graph`, NAME.pb, and maps the weights in `data`; without it, in NAME.data if
        there is such a file. `verify_checksum`: whether to read all weights once."""
        path = Path(graph)
        if data is None and path.with_suffix(".data").is_file():
            data = path.with_suffix(".data")
        with _options(verify_checksum) as options:
            self._own(created("mace_model_t", lib.mace_model_load, os.fsencode(path),
                              optional(data), options))

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
            model._own(created("mace_model_t", lib.mace_model_load_memory, graph_bytes,
                               len(graph_bytes), data_bytes, size,
                               ffi.NULL if data is None else _release,
                               ffi.cast("void *", number), options))
        return model

    def _own(self, pointer: Any) -> None:
        self.handle = Handle("model", pointer, lib.mace_model_destroy)
        self.name = text(lib.mace_model_name(pointer))
        self.inputs: dict[str, TensorInfo] = infos(lib.mace_model_inputs, pointer)
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


def _options(verify_checksum: bool) -> Handle:
    options = Handle("options", created("mace_model_options_t", lib.mace_model_options_create),
                     lib.mace_model_options_destroy)
    with options as pointer:
        check(lib.mace_model_options_set_verify_checksum(pointer, verify_checksum))
    return options
