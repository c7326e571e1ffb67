"""Convolutions and pooling over three dimensions, by those over two.

SPDX-License-Identifier: Apache-2.0

Volumes are [N,D,H,W,C], planes [N*D,H,W,C]. Importers of all formats share these.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import conv_weights, reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.ops.common.windows import EXPLICIT


@dataclass
class Window:
    """A window of a convolution or a pooling. Each list is of depth, height and width."""

    kernel: Sequence[int]
    strides: list[int]
    dilations: list[int]
    before: Sequence[int] = (0, 0, 0)  # padding
    behind: Sequence[int] = (0, 0, 0)

    @property
    def reach(self) -> list[int]:
        return [(k - 1) * g + 1 for k, g in zip(self.kernel, self.dilations)]

    def pad_same(self, extents: Sequence[int]) -> None:
        """Pads so that there is a window for each stride."""
        self.before, self.behind = same_pads(extents, self.reach, self.strides)

    def windows(self, depth: int) -> int:
        """How many windows there are along the depth. Errors: ValueError if there is none."""
        reach = self.reach[0]
        count = (depth + self.before[0] + self.behind[0] - reach) // self.strides[0] + 1
        if count < 1:
            raise ValueError(f"a filter over {reach} planes of {depth}")
        return count

    def attrs(self) -> dict[str, Any]:
        """The attributes of an op over height and width."""
        return {"strides": self.strides[1:], "dilations": self.dilations[1:], "padding": EXPLICIT,
                "padding_values": [*self.before[1:], *self.behind[1:]]}


def same_pads(extents: Sequence[int], reach: Sequence[int], strides: Sequence[int]
              ) -> tuple[list[int], list[int]]:
    """What lies before and behind each axis with padding SAME."""
    total = [max((-(-e // s) - 1) * s + r - e, 0) for e, r, s in zip(extents, reach, strides)]
    return [t // 2 for t in total], [t - t // 2 for t in total]


def constant_filter(b: Builder, w: str) -> np.ndarray:
    data = b.const(w)
    if data is None or data.ndim != 5:
        raise Unsupported("its filter is not a constant of five dimensions",
                          "make the filter a constant of the source model")
    return data


def plane_weights(b: Builder, plane: np.ndarray, order: list[int]) -> str:
    """A plane of a filter as a filter OIHW of planes."""
    return conv_weights(b, b.add_const(plane, name="plane"), order)[0]


def extents(b: Builder, x: str, rank: int = 5) -> list[int]:
    """[D,H,W,C] of volumes, or [H,W,C] of planes."""
    shape = b.extents(x)
    if len(shape) != rank or None in shape[1:]:
        raise Unsupported("the shape of its operand is not known", "give input_shapes")
    return [int(d) for d in shape[1:] if d is not None]


def planes(b: Builder, x: str) -> str:
    return reshape(b, x, [-1, *extents(b, x)[1:]])


def stacked(b: Builder, x: str, depth: int) -> str:
    return reshape(b, x, [-1, depth, *extents(b, x, rank=4)])


def in_planes(b: Builder, x: str, compute: Callable[[str], str]) -> str:
    """compute for the planes of x, whose result has as many."""
    return stacked(b, compute(planes(b, x)), extents(b, x)[0])


def conv(b: Builder, x: str, w: Window, compute: Callable[[str, int], str]) -> Iterator[str]:
    """The addends of a convolution: what compute(volumes, k) makes of the volumes that plane k of
    the filter meets."""
    step, gap, out = w.strides[0], w.dilations[0], w.windows(extents(b, x)[0])
    if w.before[0] or w.behind[0]:
        x = b.op("Pad", x, paddings=[0, 0, w.before[0], w.behind[0], *[0] * 6])
    for k in range(w.kernel[0]):
        first = k * gap
        seen = b.op("Slice", x, starts=[first], ends=[first + (out - 1) * step + 1], axes=[1],
                    steps=[step])
        yield compute(seen, k)


def deconv(b: Builder, w: Window, depth: int, compute: Callable[[int], str]) -> Iterator[str]:
    """The addends of a transposed convolution with so many planes, of what compute(k) makes of the
    operand and plane k of the filter."""
    for k in range(w.kernel[0]):
        y = spread(b, compute(k), w.strides[0])
        first = k * w.dilations[0] - w.before[0]
        behind = depth - first - extents(b, y)[0]
        yield b.op("Pad", y, paddings=[0, 0, first, behind, *[0] * 6])


def spread(b: Builder, x: str, step: int) -> str:
    """x with step - 1 planes of zeros behind each plane."""
    if step == 1:
        return x
    depth, *plane = extents(b, x)
    apart = b.op("Pad", reshape(b, x, [-1, 1, *plane]), paddings=[0, 0, 0, step - 1, *[0] * 6])
    return reshape(b, apart, [-1, depth * step, *plane])


def pool(b: Builder, x: str, w: Window, **attrs: Any) -> str:
    """Over height and width, then over the depth: largest elements and means are both separable,
    as windows are boxes."""
    y = in_planes(b, x, lambda t: b.op("Pooling", t, kernels=[*w.kernel[1:]], **w.attrs(), **attrs))
    depth, height, width, channels = extents(b, y)
    y = b.op("Pooling", reshape(b, y, [-1, depth, height * width, channels]),
             kernels=[w.kernel[0], 1], strides=[w.strides[0], 1], dilations=[w.dilations[0], 1],
             padding=EXPLICIT, padding_values=[w.before[0], 0, w.behind[0], 0], **attrs)
    return reshape(b, y, [-1, extents(b, y, rank=4)[0], height, width, channels])
