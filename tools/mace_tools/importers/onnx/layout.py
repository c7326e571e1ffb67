"""Moves operands of spatial ops between ONNX's NCHW and the engine's NHWC.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable

from mace_tools.importers.builder import Builder
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode


def to_last(b: Builder, x: str) -> str:
    """Moves channels (axis 1) to the end, for any rank; rank 2 stays as it is."""
    rank = b.rank(x)
    return b.transpose(x, [0, *range(2, rank), 1])


def to_first(b: Builder, x: str) -> str:
    """The opposite of `to_last`."""
    rank = b.rank(x)
    return b.transpose(x, [0, rank - 1, *range(1, rank - 1)])


def spatial(b: Builder, x: str, function: Callable[[str], str]) -> str:
    """Applies an NHWC op to [N, C, H, W], or to [N, C, W] as if H were 1."""
    rank = b.rank(x)
    if rank == 3:
        y = function(b.op("ExpandDims", to_last(b, x), axis=[1]))
        return to_first(b, b.op("Squeeze", y, axis=[1]))
    return to_first(b, function(to_last(b, x)))


def spatial_rank(b: Builder, n: SourceNode) -> int:
    """The rank of a spatial op's first operand: 3 or 4.

    The filter or the window tells it if nothing else does."""
    if n.attr("kernel_shape"):
        rank = len(n.attr("kernel_shape")) + 2
    else:
        rank = b.rank(n.inputs[1] if n.op.startswith("Conv") else n.inputs[0])
    if rank not in (3, 4):
        raise Unsupported(f"{n.op} over {rank - 2} spatial dimensions: the engine has 1 and 2",
                          "split it into 2-D operations")
    return rank


def pair(values: list[int] | None, default: int, rank: int = 4) -> list[int]:
    """Two spatial attributes; 1-D ops lack the first one."""
    if not values:
        return [default, default]
    return [default, values[0]] if rank == 3 else [int(values[0]), int(values[1])]
