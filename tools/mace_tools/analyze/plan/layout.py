"""The geometry of plans in time and address, and the live bytes over time, for drawing.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mace_tools.analyze.plan.problem import Plan, Problem


@dataclass(frozen=True)
class Box:
    """A record in the chart: it covers steps first..last, and addresses [low, high)."""

    record: int
    low: int
    high: int
    object_id: int | None = None


@dataclass(frozen=True)
class Lane:
    """The range of addresses in which a shared object is drawn."""

    low: int
    high: int
    label: str


@dataclass(frozen=True)
class Level:
    """The bytes that are live from `step` on, until the next level."""

    step: int
    live: int


@dataclass(frozen=True)
class Shared:
    """A safe overlap of a record with another while both live: the steps first..last, and the
    addresses [low, high). The op that writes `record` has read that part of `other`."""

    record: int
    other: int
    first: int
    last: int
    low: int
    high: int


@dataclass(frozen=True)
class Picture:
    boxes: tuple[Box, ...]
    shared: tuple[Shared, ...]
    lanes: tuple[Lane, ...]
    top: int  # the end of the topmost lane or box
    profile: tuple[Level, ...]  # ascending steps; the last one is empty
    peak: Level


def picture(problem: Problem, plan: Plan) -> Picture:
    """The geometry of a plan."""
    boxes, lanes = (_offsets if plan.is_offsets else _objects)(problem, plan)
    top = max([lane.high for lane in lanes] + [box.high for box in boxes], default=0)
    profile = tuple(_profile(problem, boxes))
    peak = max(profile, key=lambda level: (level.live, -level.step), default=Level(0, 0))
    return Picture(tuple(boxes), tuple(_shared(problem, boxes)), tuple(lanes), top, profile, peak)


def span(problem: Problem) -> tuple[int, int]:
    """The first step of all, and the one after the last."""
    return min(r.first for r in problem.records), max(r.last for r in problem.records) + 1


def _offsets(problem: Problem, plan: Plan) -> tuple[list[Box], list[Lane]]:
    boxes = [Box(k, offset, offset + r.count)
             for k, (r, offset) in enumerate(zip(problem.records, plan.offsets or ()))
             if offset is not None and r.count]
    return boxes, []


def _objects(problem: Problem, plan: Plan) -> tuple[list[Box], list[Lane]]:
    """Draws objects above each other, the largest at the bottom."""
    pixel = problem.element_bytes if problem.records else 1
    sizes = plan.object_bytes or [pixel * math.prod(size) for size in plan.object_sizes]
    names = plan.object_names or [f"object {k}" for k in range(len(sizes))]
    lows = plan.offsets or [0] * len(problem.records)
    base, bases, lanes = 0, {}, []
    for k in sorted(range(len(sizes)), key=lambda k: (-sizes[k], k)):
        bases[k] = base
        extents = plan.object_sizes[k]
        shape = " " + " x ".join(map(str, extents)) if len(extents) > 1 else ""
        lanes.append(Lane(base, base + sizes[k], names[k] + shape))
        base += sizes[k]
    boxes = [Box(k, bases[o] + (low or 0), bases[o] + (low or 0) + r.count, o)
             for k, (r, o, low) in enumerate(zip(problem.records, plan.object_ids or (), lows))
             if o is not None and r.count]
    return boxes, lanes


def _shared(problem: Problem, boxes: Iterable[Box]) -> Iterator[Shared]:
    """Each pair once, although both records may name the other."""
    by_record = {box.record: box for box in boxes}
    seen: set[frozenset[int]] = set()
    for k, record in enumerate(problem.records):
        for other in (o.other for o in record.overlaps):
            box, below = by_record.get(k), by_record.get(other)
            if box is None or below is None or frozenset((k, other)) in seen:
                continue
            seen.add(frozenset((k, other)))
            mate = problem.records[other]
            first, last = max(record.first, mate.first), min(record.last, mate.last)
            low, high = max(box.low, below.low), min(box.high, below.high)
            if first <= last and low < high and box.object_id == below.object_id:
                yield Shared(k, other, first, last, low, high)


def _profile(problem: Problem, boxes: Iterable[Box]) -> list[Level]:
    """Live bytes over time; overlapping bytes count once."""
    placed = {box.record: box for box in boxes}
    changes: dict[int, int] = {}
    for group in problem.sharing:
        found, held = [placed[k] for k in group if k in placed], 0
        if len(found) == 1:
            (box,) = found
            record, size = problem.records[box.record], box.high - box.low
            changes[record.first] = changes.get(record.first, 0) + size
            changes[record.last + 1] = changes.get(record.last + 1, 0) - size
            continue
        for step, size in _levels(problem, found):
            changes[step] = changes.get(step, 0) + size - held
            held = size
    live, levels = 0, []
    for step in sorted(changes):
        live += changes[step]
        levels.append(Level(step, live))
    return levels


def _levels(problem: Problem, boxes: list[Box]) -> Iterator[tuple[int, int]]:
    """The bytes of boxes that may overlap, at each step at which some begin or end."""
    begins: dict[int, list[Box]] = {}
    ends: dict[int, list[int]] = {}
    for box in boxes:
        record = problem.records[box.record]
        begins.setdefault(record.first, []).append(box)
        ends.setdefault(record.last + 1, []).append(box.record)
    live: dict[int, Box] = {}
    for step in sorted(begins.keys() | ends.keys()):
        for record in ends.get(step, ()):
            del live[record]
        live.update((box.record, box) for box in begins.get(step, ()))
        yield step, _covered(live)


def _covered(live: dict[int, Box]) -> int:
    """The size of the union of the boxes' address ranges."""
    total = end = 0
    for box in sorted(live.values(), key=lambda b: b.low):
        total += max(0, box.high - max(box.low, end))
        end = max(end, box.high)
    return total
