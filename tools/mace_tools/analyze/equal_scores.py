"""Indices of largest or smallest elements, which roundings decide where elements are almost equal.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mace_tools.convert.importers.source import SourceModel, SourceNode

# Source operators: which output has indices, and the axis if neither an attribute nor an operand
# gives it.
_FIRST, _LAST = 0, -1
_CHOOSING = {"ArgMax": 0, "ArgMin": 0, "ARG_MAX": 0, "ARG_MIN": 0, "TopK": 1, "TopKV2": 1,
             "TOPK_V2": 1}
_VIEWS = {"Identity", "Cast", "CAST", "Squeeze", "SQUEEZE", "Reshape", "RESHAPE", "Flatten",
          "Unsqueeze", "ExpandDims", "EXPAND_DIMS"}
_MAX_VIEWS = 16


@dataclass(frozen=True)
class Choice:
    """The tensor among whose elements along an axis an output chooses."""

    scores: str
    axis: int


def choices(read: SourceModel, outputs: Iterable[str]) -> dict[str, Choice]:
    """By output, of those that are indices."""
    makers, found = read.producers(), {}
    for output in outputs:
        name = read.named(output)
        node = makers.get(name)
        for _ in range(_MAX_VIEWS):
            if node is None or node.op not in _VIEWS:
                break
            name = node.inputs[0]
            node = makers.get(name)
        if node is not None and _CHOOSING.get(node.op) == list(node.outputs).index(name):
            axis = _axis(read, node)
            if axis is not None:
                found[output] = Choice(node.inputs[0], axis)
    return found


def _axis(read: SourceModel, node: SourceNode) -> int | None:
    if _CHOOSING[node.op]:
        return int(node.attrs.get("axis", _LAST))
    if len(node.inputs) > 1:
        given = read.constants.get(node.inputs[1])
        return int(given.reshape(-1)[0]) if given is not None and given.size == 1 else None
    return int(node.attrs.get("axis", _FIRST))


def settled(ours: np.ndarray, right: np.ndarray, scores: np.ndarray, axis: int, error: float
            ) -> tuple[np.ndarray, int]:
    """Our indices, with the reference's in place of those whose scores there differ from the chosen
    ones by no more than `error` of the largest; and how many these are."""
    scores = scores.astype(np.float64)
    axis %= scores.ndim
    shape = list(scores.shape)
    rest = scores.size // max(shape[axis], 1)
    if ours.shape != right.shape or not rest or ours.size % rest or ours.dtype.kind not in "iu":
        return ours, 0
    shape[axis] = ours.size // rest
    mine, theirs = (indices.reshape(shape).astype(np.int64) for indices in (ours, right))
    exists = (mine >= 0) & (mine < scores.shape[axis])
    if not ((theirs >= 0) & (theirs < scores.shape[axis])).all():
        return ours, 0
    finite = np.abs(scores[np.isfinite(scores)])
    found, wanted = (np.take_along_axis(scores, np.where(exists, i, 0), axis)
                     for i in (mine, theirs))
    with np.errstate(invalid="ignore"):
        is_near = np.abs(found - wanted) <= error * finite.max(initial=0.0)
    equal = exists & is_near & (mine != theirs)
    return np.where(equal, theirs, mine).astype(ours.dtype).reshape(ours.shape), int(equal.sum())
