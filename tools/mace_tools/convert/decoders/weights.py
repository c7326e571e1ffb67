"""The constants of a decoder's graph, in the types in which the model file will have them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mace_tools.convert.decoders import blocks
from mace_tools.convert.decoders.stored import NARROW, Stored
from mace_tools.graph.quantized_weights import rows_of

# Of weights in blocks, those that stay as they are, bit for bit, and as what.
_KEPT = {"Q4_0": "i4"}
_LARGEST = 127  # of int8


@dataclass
class Weights:
    """Constants by name. `stored`: narrow floats; `packed`: quantized values and scales."""

    floats: dict[str, np.ndarray] = field(default_factory=dict)
    stored: dict[str, str] = field(default_factory=dict)
    packed: dict[str, tuple[str, np.ndarray, np.ndarray]] = field(default_factory=dict)
    # By type of the file: how many weights became others, and their errors.
    changed: dict[str, _Error] = field(default_factory=dict)

    def add(self, name: str, value: np.ndarray | Stored) -> str:
        if isinstance(value, np.ndarray):
            self.floats[name] = value
            return name
        self.floats[name] = value.floats()
        if value.kind in NARROW:
            self.stored[name] = NARROW[value.kind]
        elif value.kind in _KEPT:
            self.packed[name] = (_KEPT[value.kind], *blocks.quantized(value.kind, value.rows()))
        elif value.kind in blocks.KINDS:
            self._rounded(name, value.kind)
        return name

    def notes(self) -> list[str]:
        """What became of weights whose type the engine does not have."""
        return [f"{e.count} weights of {kind} are stored as int8 with a scale for each row: "
                f"signal-to-noise ratio {e.decibels():.1f} dB" for kind, e in self.changed.items()]

    def _rounded(self, name: str, kind: str) -> None:
        """int8 with a scale for each row, the nearest of the engine's types."""
        rows = rows_of(self.floats[name])
        scales = (np.abs(rows).max(1) / _LARGEST).astype(np.float32)
        wide = np.where(scales > 0, scales, 1)[:, None]
        values = np.rint(rows / wide).astype(np.int8)
        self.packed[name] = ("i8", values, scales)
        self.changed.setdefault(kind, _Error()).add(rows, values * scales[:, None])


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
        return float(10 * np.log10(self.signal / self.noise)) if self.noise else np.inf
