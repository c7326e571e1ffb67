"""Slices with starts, ends and steps.

SPDX-License-Identifier: Apache-2.0
"""

def count_of(extent: int | None, start: int | None, end: int | None, step: int) -> int | None:
    if extent is None:
        return None
    end = None if end is None else slice_end(end, extent, step)
    return len(range(*slice(start, end, step).indices(extent)))


def slice_end(end: int, dim: int, step: int) -> int | None:
    """An end for Python's slice: with a negative step, the position before the first one is
    None."""
    return None if step < 0 and end < -dim else end
