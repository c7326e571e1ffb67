"""Models of one int8 SVDF each, over many shapes and scales.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mace_tools.testing.tflite_file import Maker

RELU = 1


@dataclass
class Svdf:
    """A model of one SVDF; numbers are drawn from a seed."""

    rank: int = 1
    steps: int = 4
    bias: bool = True
    units: int = 4
    inputs: int = 3
    batch: int = 2
    activation: int = RELU
    x: tuple[float, int] = (0.05, 2)
    feature: float = 0.01
    time: float = 2.0**-15
    state: float = 2.0**-10
    y: tuple[float, int] = (0.02, -4)
    seed: int = 0
    state_type: str = "int16"

    def save(self, folder: Path) -> Path:
        rng, m = np.random.default_rng(self.seed), Maker()
        filters = self.units * self.rank
        m.tensor("x", (self.batch, self.inputs), "int8", None, *self.x)
        m.tensor("f", (filters, self.inputs), "int8",
                 rng.integers(-127, 128, (filters, self.inputs)).astype(np.int8), self.feature, 0)
        m.tensor("t", (filters, self.steps), "int16",
                 rng.integers(-32767, 32768, (filters, self.steps)).astype(np.int16), self.time, 0)
        if self.bias:
            m.tensor("b", (self.units,), "int32", rng.integers(
                -100000, 100000, self.units).astype(np.int32), self.state * self.time, 0)
        m.tensor("s", (self.batch, filters * self.steps), self.state_type, None, self.state, 0)
        m.variables.add("s")
        m.tensor("y", (self.batch, self.units), "int8", None, *self.y)
        m.op("SVDF", ["x", "f", "t", "b" if self.bias else "", "s"], ["y"], "SVDFOptions",
             Rank=self.rank, FusedActivationFunction=self.activation)
        return m.save(folder, ["x"], ["y"])

    def feeds(self, count: int = 12) -> list[np.ndarray]:
        rng = np.random.default_rng(self.seed + 1)
        return [rng.integers(-128, 128, (self.batch, self.inputs)).astype(np.int8)
                for _ in range(count)]


CASES = [Svdf(rank, steps, bias, seed=rank + 2 * steps)
         for rank in (1, 2) for steps in (1, 2, 4, 10) for bias in (False, True)]
CASES += [
    Svdf(inputs=40, batch=1, seed=90), Svdf(inputs=700, units=2, seed=91),  # sums beyond 2^24
    Svdf(state=2.0**-3, y=(2.5, 100), seed=92),  # small numbers, many halves
    Svdf(state=2.0**-14, seed=93), Svdf(state=0.0003, time=0.0004, y=(0.7, 0), seed=94),
    Svdf(x=(1.0, -128), feature=1.0, state=0.25, time=1.0, y=(500.0, 3), seed=95),  # above 1
    Svdf(y=(1e30, 5), seed=96), Svdf(x=(0.5, 0), feature=0.5, state=0.5, y=(2.0**-14, 0), seed=97),
    *(Svdf(x=(s, int(z)), feature=s / 3, state=s / 50, y=(s * 2, -int(z)), seed=k)
      for k, (s, z) in enumerate(zip(np.random.default_rng(1).uniform(0.001, 1, 12),
                                     np.random.default_rng(2).integers(-128, 128, 12)))),
]
