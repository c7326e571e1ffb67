"""Boxes of detectors, as the importers of several formats decode them.

SPDX-License-Identifier: Apache-2.0

Source: Liu et al. 2016, "SSD", section 2.2.
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder

END = (1 << 31) - 1


def part(b: Builder, x: str, start: int, end: int = END, axis: int = -1) -> str:
    """The elements from start to end along one axis."""
    return b.op("Slice", x, starts=[start], ends=[end], axes=[axis])


def product(b: Builder, x: str, y: str) -> str:
    return b.op("Eltwise", x, y, type="PROD")


def total(b: Builder, x: str, y: str) -> str:
    return b.op("Eltwise", x, y, type="SUM")


def half(b: Builder, x: str) -> str:
    return product(b, x, b.add_const(np.float32(0.5)))


def around(b: Builder, centre: str, half_size: str) -> str:
    """The corners of boxes: the smaller coordinates, then the larger ones."""
    low = b.op("Eltwise", centre, half_size, type="SUB")
    return b.op("Concat", low, total(b, centre, half_size), axis=-1)
