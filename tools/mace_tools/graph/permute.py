"""Permutations of axes: y = Transpose(x, perm) means that axis k of y is axis perm[k] of x.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterable, Sequence

from mace_tools.graph.ir import Shape

Perm = list[int]


def inverse(perm: Sequence[int]) -> Perm:
    out = [0] * len(perm)
    for k, p in enumerate(perm):
        out[p] = k
    return out


def compose(first: Sequence[int], second: Sequence[int]) -> Perm:
    """The permutation of Transpose(Transpose(x, first), second)."""
    return [first[k] for k in second]


def is_identity(perm: Sequence[int]) -> bool:
    return list(perm) == list(range(len(perm)))


def drop(perm: Sequence[int], axes: Iterable[int]) -> Perm:
    """The permutation that is left when y loses `axes`, and x the corresponding ones."""
    gone = set(axes)
    kept = [p for k, p in enumerate(perm) if k not in gone]
    order = sorted(kept)
    return [order.index(p) for p in kept]


def insert(perm: Sequence[int], axes: Iterable[int]) -> Perm:
    """The permutation when x and y both gain axes of extent 1 at positions `axes`."""
    where = set(axes)
    rest = [k for k in range(len(perm) + len(where)) if k not in where]
    out = list(range(len(perm) + len(where)))
    for k, place in enumerate(rest):
        out[place] = rest[perm[k]]
    return out


def moves_only_ones(perm: Sequence[int], x: Shape | None) -> bool:
    """Whether the axes longer than 1 keep their order, so that no element moves."""
    if x is None:
        return is_identity(perm)
    long = [p for p in perm if x[p] != 1]
    return long == sorted(long)
