"""Puts the rows of detections into the order of the reference, where almost equal scores leave it
open.

SPDX-License-Identifier: Apache-2.0

Rows may be those of one output, [boxes, 6], or of several, [1, boxes, 4] and [1, boxes]. They are
only exchanged if something by which they are sorted agrees at every place, as then the rows that
change places have almost the same score.
"""

from collections.abc import Iterator, Mapping

import numpy as np

Arrays = Mapping[str, np.ndarray]
_MAX_ROWS = 4096  # that change their places: the work is quadratic


def in_order(found: Arrays, right: Arrays, error: float) -> dict[str, np.ndarray]:
    """Of a run, the outputs of which rows were exchanged. `error`: how far what rows are sorted by
    may differ, relative to the largest magnitude of it."""
    names = [n for n in right if n in found and found[n].shape == right[n].shape
             and right[n].dtype.kind in "fiu" and np.isfinite(right[n]).all()
             and np.isfinite(found[n]).all()]
    for rows in _rows(names, right):
        groups = [n for n in names if right[n].shape[: len(rows)] == rows]
        order = _order(_columns(groups, found, right, rows), _columns(groups, right, right, rows),
                       error)
        if order is not None:
            return {n: _exchanged(found[n], order) for n in groups}
    return {}


def _rows(names: list[str], right: Arrays) -> Iterator[tuple[int, ...]]:
    """Leading dimensions of which the last may be that of rows, the longest first."""
    starts = {right[n].shape[:k] for n in names for k in range(1, right[n].ndim + 1)}
    return iter(sorted((s for s in starts if s[-1] > 1), key=lambda s: (-len(s), s)))


def _columns(names: list[str], arrays: Arrays, right: Arrays, rows: tuple[int, ...]) -> np.ndarray:
    """[batch, rows, columns], each output divided by its largest magnitude in the reference."""
    parts = []
    for name in names:
        scale = float(np.abs(right[name].astype(np.float64)).max(initial=0.0)) or 1.0
        flat = arrays[name].astype(np.float64) / scale
        parts.append(flat.reshape(-1, rows[-1], int(np.prod(right[name].shape[len(rows) :]))))
    return np.concatenate(parts, 2)


def _order(found: np.ndarray, right: np.ndarray, error: float) -> np.ndarray | None:
    """[batch, rows]: which row of `found` belongs in each place; None if none is to be moved."""
    places = np.abs(found - right).max(2, initial=0.0) > error
    if not places.any() or places.sum(1).max() > _MAX_ROWS or not _agreeing_key(found, right,
                                                                                error):
        return None
    order = np.tile(np.arange(right.shape[1]), (len(right), 1))
    for batch in range(len(right)):
        (moved,) = np.nonzero(places[batch])
        left = list(moved)
        for place in moved:
            distance = np.abs(found[batch, left] - right[batch, place]).max(1)
            order[batch, place] = left.pop(int(distance.argmin()))
    return order


def _agreeing_key(found: np.ndarray, right: np.ndarray, error: float) -> bool:
    """Whether a column is sorted in the reference, also if only within equal classes, and the same
    at every place."""
    steps = np.diff(right, axis=1)
    agrees = np.abs(found - right).max((0, 1)) <= error * np.abs(right).max((0, 1))
    filled = np.ptp(right, axis=2) == 0  # with 0 or -1 throughout, where there are too few
    counted = ~filled[:, 1:] & ~filled[:, :-1]
    inside = counted.copy()
    for column in range(right.shape[2]):
        if agrees[column] and _is_sorted(steps[:, :, column], counted) \
                and 2 * ((steps[:, :, column] != 0) & counted).sum() < counted.sum():
            inside &= steps[:, :, column] == 0  # a class
    return any(agrees[column] and _is_sorted(steps[:, :, column], inside)
               and 2 * ((steps[:, :, column] != 0) & inside).sum() >= inside.sum() > 0
               for column in range(right.shape[2]))


def _is_sorted(steps: np.ndarray, where: np.ndarray) -> bool:
    return bool((steps[where] <= 0).all() or (steps[where] >= 0).all())


def _exchanged(array: np.ndarray, order: np.ndarray) -> np.ndarray:
    batches, rows = order.shape
    flat = array.reshape(batches, rows, -1)
    return np.take_along_axis(flat, order[:, :, None], 1).reshape(array.shape)
