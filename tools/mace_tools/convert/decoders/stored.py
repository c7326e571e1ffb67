"""A tensor of a checkpoint as its file has it: floats, or blocks of quantized values.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mace_tools.convert.decoders import blocks
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import open_file
from mace_tools.support.os_errors import explain

# Floats, with their types in NumPy, and what the engine calls those of 16 bits.
FLOATS = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "F64": "<f8"}
NARROW = {"F16": "f16", "BF16": "bf16"}


def mapped(path: Path) -> np.ndarray:
    """The bytes of a file, which are read when they are used. Errors: ModelError."""
    try:
        with open_file(path) as file:
            if not os.fstat(file.fileno()).st_size:
                raise ModelError(f"{path}: the file is empty; download it again")
            return np.memmap(file, np.uint8, "r").view(np.ndarray)
    except (OSError, ValueError) as e:
        reason = explain(e, path) if isinstance(e, OSError) else str(e)
        raise ModelError(f"{path}: cannot read it: {reason}") from e


@dataclass(frozen=True)
class Stored:
    """`kind`: an element type of safetensors or of GGUF; `data`: its bytes, row after row."""

    name: str
    path: Path
    kind: str
    shape: tuple[int, ...]
    data: np.ndarray

    @property
    def is_float(self) -> bool:
        return self.kind in FLOATS

    def floats(self) -> np.ndarray:
        """The values as float32; those of float32 in the mapped file."""
        if self.kind in blocks.KINDS:
            return blocks.dequantized(self.kind, self.rows()).reshape(self.shape)
        if not self.is_float:
            raise ModelError(f"{self.path}: tensor '{self.name}' has elements of {self.kind}, and "
                             f"weights have one of {', '.join([*FLOATS, *blocks.KINDS])}")
        data = self.data.view(FLOATS[self.kind]).reshape(self.shape)
        if self.kind == "BF16":
            return (data.astype(np.uint32) << 16).view(np.float32)
        return data.astype(np.float32, copy=False)

    def rows(self) -> np.ndarray:
        """The bytes of each slice along the first axis."""
        count = self.shape[0] if self.shape else 1
        return self.data.reshape(count, -1)

    def with_rows(self, order: np.ndarray) -> Stored:
        """These slices along the first axis, in this order."""
        data = np.ascontiguousarray(self.rows()[order]).reshape(-1)
        return replace(self, shape=(len(order), *self.shape[1:]), data=data)

    def transposed(self) -> Stored:
        """Of a matrix of floats."""
        if not self.is_float:
            raise ModelError(f"{self.path}: tensor '{self.name}' of {self.kind} blocks cannot be "
                             "transposed; give a checkpoint with floats")
        data = self.data.view(FLOATS[self.kind]).reshape(self.shape).T
        return replace(self, shape=self.shape[::-1],
                       data=np.ascontiguousarray(data).reshape(-1).view(np.uint8))


