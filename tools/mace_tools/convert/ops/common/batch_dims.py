"""Checks of ops that select by indices.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.checks import require, same
from mace_tools.graph.ir import Shape


def check_batch(x: Shape, idx: Shape, batch: int, most: int) -> None:
    """The leading axes that x and idx share."""
    require(0 <= batch <= most and batch <= len(idx) and batch <= len(x)
            and all(same(a, b) for a, b in zip(x[:batch], idx[:batch])),
            f"batch_dims {batch} must count equal leading axes of {x} and {idx}")


def check_start(idx, attrs):
    if attrs["from_start"] and (idx < 0).any():
        raise IndexError(f"index {idx.min()} counts from the end")
