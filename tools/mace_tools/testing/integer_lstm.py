"""Models of one int8 LSTM each, with cells of int16, over many shapes and scales.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.testing.tflite_file import Maker

TANH = 4


@dataclass
class Lstm:
    """A model of one LSTM; numbers are drawn from a seed. `without` and `extra` name operands that
    a model leaves out or has besides."""

    inputs: int = 3
    hidden: int = 5
    batch: int = 1
    steps: int = 4
    time_major: bool = True
    x: tuple[float, int] = (0.02, 5)
    w: float = 0.01
    r: float = 0.012
    h: tuple[float, int] = (0.008, -3)
    cells: float = 2.0**-11
    clip: float = 0.0
    bias: int = 20000
    seed: int = 0
    activation: int = TANH
    without: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    hidden_scale: float = 0.0  # of the intermediate tensor; 0: that of h
    fields: dict[str, Any] = field(default_factory=dict)

    def save(self, folder: Path) -> Path:
        rng, m = np.random.default_rng(self.seed), Maker()
        names = [""] * 24
        lead = (self.steps, self.batch) if self.time_major else (self.batch, self.steps)
        names[0] = m.tensor("x", (*lead, self.inputs), "int8", None, *self.x)
        for first, depth, scale in ((1, self.inputs, self.w), (5, self.hidden, self.r)):
            for k in range(4):
                quantized = rng.integers(-127, 128, (self.hidden, depth)).astype(np.int8)
                names[first + k] = m.tensor(f"w{first + k}", quantized.shape, "int8", quantized,
                                            scale * (1 + 0.3 * k), 0)
        for k in range(4):
            bias = rng.integers(-self.bias, self.bias + 1, self.hidden).astype(np.int32)
            names[12 + k] = m.tensor(f"b{k}", bias.shape, "int32", bias, self.x[0] * self.w, 0)
        for i in self.extra:
            quantized = rng.integers(-99, 100, self.hidden).astype(np.int16)
            names[i] = m.tensor(f"extra{i}", quantized.shape, "int16", quantized, 2.0**-15, 0)
        names[18] = m.tensor("h", (self.batch, self.hidden), "int8", None, *self.h)
        names[19] = m.tensor("c", (self.batch, self.hidden), "int16", None, self.cells, 0)
        m.variables |= {"h", "c"}
        for i in self.without:
            names[i] = ""
        between = [m.tensor(f"gate{k}", (), "int16", None, 2.0**-12, 0) for k in range(4)]
        scale = self.hidden_scale or self.h[0]
        between.append(m.tensor("hidden", (), "int8", None, scale, self.h[1]))
        m.tensor("y", (*lead, self.hidden), "int8", None, *self.h)
        m.op("UNIDIRECTIONAL_SEQUENCE_LSTM", names, ["y"], "UnidirectionalSequenceLSTMOptions",
             FusedActivationFunction=self.activation, TimeMajor=self.time_major,
             CellClip=self.clip, Intermediates=between, **self.fields)
        return m.save(folder, ["x"], ["y"])

    def feeds(self, count: int = 4) -> list[np.ndarray]:
        rng = np.random.default_rng(self.seed + 1)
        lead = (self.steps, self.batch) if self.time_major else (self.batch, self.steps)
        return [rng.integers(-128, 128, (*lead, self.inputs)).astype(np.int8)
                for _ in range(count)]


CASES = [Lstm(seed=1), Lstm(time_major=False, seed=2), Lstm(steps=1, seed=3),
         Lstm(batch=3, seed=4), Lstm(batch=2, time_major=False, seed=5),
         Lstm(inputs=1, hidden=1, steps=20, seed=6), Lstm(inputs=40, hidden=33, steps=9, seed=7),
         Lstm(inputs=300, hidden=128, steps=5, w=0.0005, r=0.0009, bias=200000, seed=8),
         Lstm(clip=0.7, seed=9), Lstm(clip=15.99, cells=2.0**-11, seed=10),
         Lstm(w=0.1, r=0.1, bias=2000000, seed=11),  # gates at their bounds
         Lstm(w=1e-5, r=1e-5, bias=10, seed=12),  # gates near 0
         Lstm(h=(2.0**-7, 0), seed=13), Lstm(h=(0.02, 100), seed=14)]
CASES += [Lstm(cells=2.0**-k, steps=12, seed=20 + k) for k in range(9, 16)]
CASES += [Lstm(x=(s, int(z)), w=s / 3, r=s / 2, h=(s / 4, -int(z)), batch=2, hidden=9, steps=7,
               seed=40 + k)
          for k, (s, z) in enumerate(zip(np.random.default_rng(1).uniform(0.002, 0.1, 10),
                                         np.random.default_rng(2).integers(-128, 128, 10)))]
