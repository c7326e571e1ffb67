"""The constants of a decoder's graph, in the types in which the model file will have them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import numpy as np

from mace_tools.convert.decoders import blocks
from mace_tools.convert.decoders.stored import NARROW, Stored
from mace_tools.graph.quantized_weights import BLOCK, PackedFloats, along, pack, rows_of

# Of weights in blocks, those that stay as they are, bit for bit, and as what.
_KEPT = {"Q4_0": "i4", "Q8_0": "i8b"}
_WITH_OFFSETS = ("Q4_1", "Q4_K")
_LARGEST, _MAX_FP16 = 127, 65504.0
# What int4 with zero points must keep, or a weight becomes int8.
_MIN_DB = 40.0
_NAMES = {"i8b": "int8 in blocks of 32", "i4z": "int4 with zero points"}
Packed = tuple[str, np.ndarray, np.ndarray] | tuple[str, np.ndarray, np.ndarray, np.ndarray]


@dataclass
class Weights:
    """Constants by name. `stored`: narrow floats; `packed`: quantized ones, as their bytes in the
    model file, whose floats are not kept."""

    floats: dict[str, np.ndarray] = field(default_factory=dict)
    stored: dict[str, str] = field(default_factory=dict)
    packed: dict[str, tuple[str, np.ndarray]] = field(default_factory=dict)
    # By type of the file and ours: how many weights changed, and their errors.
    changed: dict[tuple[str, str], _Error] = field(default_factory=dict)

    def add(self, name: str, value: np.ndarray | Stored) -> str:
        if isinstance(value, np.ndarray):
            self.floats[name] = value
            return name
        if value.kind not in blocks.KINDS:
            self.floats[name] = value.floats()
            if value.kind in NARROW:
                self.stored[name] = NARROW[value.kind]
            return name
        if value.kind in _KEPT:
            packed = _KEPT[value.kind], blocks.packed(value.kind, value.rows())
        else:
            packed = self._rounded(value)
        self.packed[name] = packed
        self.floats[name] = cast(np.ndarray, PackedFloats(value.shape, *packed))
        return name

    def notes(self) -> list[str]:
        """What became of weights whose type the engine does not have."""
        return [f"{e.count} weights of {kind} are stored as {_NAMES[stored]}: signal-to-noise "
                f"ratio {e.decibels():.1f} dB" for (kind, stored), e in self.changed.items()]

    def _rounded(self, value: Stored) -> tuple[str, np.ndarray]:
        """The nearest of the engine's types."""
        rows = rows_of(value.floats())
        packed, error = _int8(rows), _Error()
        if value.kind in _WITH_OFFSETS:
            small = _int4(*blocks.with_offsets(value.kind, value.rows()))
            error.add(rows, _floats(small))
            packed = small if error.decibels() >= _MIN_DB else packed
        self.changed.setdefault((value.kind, packed[0]), _Error()).add(rows, _floats(packed))
        return packed[0], pack(*packed)


def _int8(rows: np.ndarray) -> Packed:
    each = rows.reshape(len(rows), -1, BLOCK)
    scales = np.minimum(np.abs(each).max(2) / _LARGEST, _MAX_FP16).astype(np.float16)
    wide = scales.astype(np.float32)[..., None]
    values = np.divide(each, wide, out=np.zeros_like(each), where=wide > 0)
    return "i8b", np.clip(np.rint(values), -128, 127).astype(np.int8).reshape(rows.shape), scales


def _int4(values: np.ndarray, scales: np.ndarray, offsets: np.ndarray) -> Packed:
    """A block without a scale is its offset, once."""
    is_flat = scales == 0
    zeros = np.where(is_flat, 0, -offsets / np.where(is_flat, 1, scales))
    values = np.where(np.repeat(is_flat, BLOCK, 1), 1, values)
    scales = np.where(is_flat, offsets, scales)
    with np.errstate(over="ignore"):
        return ("i4z", values.astype(np.int8), scales.astype(np.float16), zeros.astype(np.float16))


def _floats(packed: Packed) -> np.ndarray:
    _, values, scales, *zeros = packed
    steps = values.astype(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        return (steps - along(steps, zeros[0]) if zeros else steps) * along(steps, scales)


@dataclass
class _Error:
    count: int = 0
    signal: float = 0.0
    noise: float = 0.0

    def add(self, before: np.ndarray, after: np.ndarray) -> None:
        self.count += 1
        self.signal += float(np.square(before, dtype=np.float64).sum())
        self.noise += float(np.square(before - after, dtype=np.float64).sum())

    def decibels(self) -> float:
        if not np.isfinite(self.noise):
            return -np.inf
        return float(10 * np.log10(self.signal / self.noise)) if self.noise else np.inf
