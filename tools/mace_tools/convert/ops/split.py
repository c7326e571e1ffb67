"""Split: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import axis_of, require
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> list[Type]:
    x, count = v.shape(), len(v.node.outputs)
    if x is None:
        return [(v.dtype(), None)] * count
    axis, sizes = axis_of(v.attr("axis"), len(x)), v.ints(1, "sizes")
    parts = [None] * count if sizes is None else _parts(x[axis], sizes, count)
    return [(v.dtype(), (*x[:axis], s, *x[axis + 1 :])) for s in parts]


def _parts(extent: int | None, sizes: list[int], count: int) -> list[int | None]:
    """The extents into which Split divides one."""
    if not sizes:
        require(extent is None or extent % count == 0,
                f"extent {extent} does not split into {count} equal parts")
        return [None if extent is None else extent // count] * count
    what = f"sizes {sizes} do not make {count} parts of extent {extent}"
    require(len(sizes) == count and sizes.count(-1) <= 1 and min(sizes) >= -1, what)
    total = sum(s for s in sizes if s >= 0)
    if -1 not in sizes:
        require(extent in (total, None), what)
        return list(sizes)
    require(extent is None or total <= extent, what)
    return [(None if extent is None else extent - total) if s == -1 else s for s in sizes]


def evaluate(xs, attrs):
    axis, sizes = attrs["axis"], list(ints(xs, 1, attrs, "sizes"))
    if not sizes:
        return np.split(xs[0], attrs["num_outputs"], axis)
    if -1 in sizes:  # the rest
        sizes[sizes.index(-1)] = xs[0].shape[axis] - sum(s for s in sizes if s >= 0)
    return np.split(xs[0], np.cumsum(sizes)[:-1], axis)
