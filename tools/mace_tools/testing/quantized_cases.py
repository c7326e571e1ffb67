"""Models of one TFLite operator each, on quantized tensors: what the operator does at the ends of
ranges.

SPDX-License-Identifier: Apache-2.0

LiteRT's reference kernels are their reference (test/golden/quantized_ops_test.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mace_tools.testing.tflite_file import Maker

NONE, RELU, N1_TO_1, RELU6 = range(4)  # fused activations
TYPES = ("int8", "uint8")


@dataclass
class Quantized:
    """A tensor of quantized values; `scale` and `zero` may have one value for each index of
    `axis`."""

    data: np.ndarray
    scale: Any
    zero: Any = 0
    axis: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape


@dataclass
class Out:
    """How a result is quantized."""

    dtype: str = "int8"
    scale: float | None = None
    zero: int = 0


@dataclass
class Case:
    """`operands` are Quantized values or plain arrays; those of `fed` are inputs of the model, the
    others constants. `most` is by how many LSB LiteRT may differ, where it does not do as the
    definition says; `define` computes the definition then."""

    op: str
    operands: list[Any]
    out: list[Out]
    options: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    fed: tuple[int, ...] = (0,)
    define: Callable[[Case], np.ndarray] | None = None
    most: int = 0
    judged: bool = True  # LiteRT's reference kernels compute it

    def __str__(self) -> str:
        plain = [o.data if isinstance(o, Quantized) else o for o in self.operands if o is not None]
        shapes = ",".join(str(list(np.shape(o))) for o in plain)
        kinds = ",".join(str(o.dtype) for o in plain)
        more = "-".join(f"{k}={v}" for k, v in self.fields.items())
        return f"{self.op}-{kinds}-{shapes}-{more}".replace(" ", "")[:100]

    def model(self) -> tuple[Maker, dict[str, np.ndarray], list[str]]:
        m, feeds, names = Maker(), {}, []
        for k, operand in enumerate(self.operands):
            if operand is None:
                names.append("")
                continue
            data, quant = operand, {}
            if isinstance(operand, Quantized):
                data = operand.data
                quant = {"scale": operand.scale, "zero": operand.zero, "axis": operand.axis}
            name = f"in{k}"
            names.append(name)
            given = None if k in self.fed else data
            m.tensor(name, data.shape, data.dtype.name, given, **quant)
            if k in self.fed:
                feeds[name] = data
        outputs = [m.tensor(f"y{k}", (), o.dtype, None, o.scale, o.zero)
                   for k, o in enumerate(self.out)]
        m.op(self.op, names, outputs, self.options, **self.fields)
        return m, feeds, outputs


class Draw:
    """Seeded quantized values, scales and zero points."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def zero(self, dtype: str, turn: int) -> int:
        """A zero point: the ends of the range, and points inside, in turns."""
        info = np.iinfo(dtype)
        inner = int(self.rng.integers(info.min, info.max, endpoint=True))
        return (int(info.min), int(info.max), inner, (info.min + info.max + 1) // 2)[turn % 4]

    def scale(self, low: float = -7, high: float = -2) -> float:
        return float(np.float32(2 ** self.rng.uniform(low, high)))

    def quantized(self, shape: tuple[int, ...], dtype: str, scale: float | None = None,
                  turn: int = 2) -> Quantized:
        info = np.iinfo(dtype)
        data = self.rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        return Quantized(data, self.scale() if scale is None else scale, self.zero(dtype, turn))

    def out(self, dtype: str, scale: float | None = None, turn: int = 3) -> Out:
        return Out(dtype, self.scale() if scale is None else scale, self.zero(dtype, turn))


def every_value(dtype: str, scale: float, zero: int) -> Quantized:
    info = np.iinfo(dtype)
    return Quantized(np.arange(info.min, info.max + 1, dtype=dtype).reshape(1, -1), scale, zero)


def like(quantized: Quantized) -> Out:
    return Out(quantized.data.dtype.name, quantized.scale, quantized.zero)


def bias(d: Draw, channels: int, scale: Any) -> Quantized:
    quantized = d.rng.integers(-20000, 20000, channels).astype(np.int32)
    return Quantized(quantized, scale, np.zeros(np.size(scale), np.int64))


def i32(*values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def turns(*lists: Any) -> Iterator[tuple]:
    """As many rows as the longest list, each list in turns."""
    for k in range(max(len(v) for v in lists)):
        yield tuple(v[k % len(v)] for v in lists)
