"""The shape that is left when axes are reduced.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.checks import axes_of
from mace_tools.graph.ir import Shape


def reduced(x: Shape | None, axes: list[int], keepdims: bool) -> Shape | None:
    if x is None:
        return None if axes or keepdims else ()
    gone = set(axes_of(axes, len(x))) if axes else set(range(len(x)))
    if keepdims:
        return tuple(1 if k in gone else d for k, d in enumerate(x))
    return tuple(d for k, d in enumerate(x) if k not in gone)
