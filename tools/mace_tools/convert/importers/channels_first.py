"""Moves operands of spatial ops between the NCHW of ONNX and Caffe and the engine's NHWC.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable

from mace_tools.convert.importers.builder import Builder


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
