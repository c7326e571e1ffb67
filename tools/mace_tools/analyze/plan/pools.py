"""The memory of a model on a GPU as one study: its arena, and its images as a pool of their own.

SPDX-License-Identifier: Apache-2.0

An engine plans them separately, with one strategy. In the study the arena is one object, in which
its records lie at their offsets, and each image is another.
"""

import dataclasses
from collections.abc import Iterator, Sequence

from mace_tools.analyze.plan.problem import Plan, Problem, Record, Study, choose
from mace_tools.config import memory_strategies
from mace_tools.support.errors import MaceError

ARENA = "arena"
PRESERVE_ALL = "PRESERVE_ALL"  # the same as NAIVE for records without steps
# The status of two pools together is the weaker one.
_WORST = ("infeasible", "unknown", "feasible", "optimal")


def in_pieces(problem: Problem) -> Problem:
    """The records of an arena for planners of shared objects. There each object is a piece of the
    arena, and begins where the one before ends, so that all have aligned sizes."""
    align = max([problem.alignment, *(r.align for r in problem.records)])
    return dataclasses.replace(problem, records=tuple(
        dataclasses.replace(r, size=(-(-r.count // align) * align,)) for r in problem.records))


def merge(arena: Study | None, pieces: Study | None, images: Sequence[Study], name: str) -> Study:
    """Joins both kinds, with a plan for each strategy with which every pool was planned. `pieces`:
    of in_pieces of the arena.

    Errors: MaceError if there is no such strategy."""
    pools = [*([arena] if arena else []), *images]
    first = pools[0].problem
    problem = Problem(name, tuple(_shifted(pools)), steps=first.steps)
    plans = tuple(_plans(arena, pieces, images))
    if not plans:
        tried = ", ".join(p.strategy for p in first.plans)
        raise MaceError(f"{name}: its images are not planned by {tried}; choose another --strategy")
    return Study(problem, plans, choose(plans), arena.savings if arena else (), tuple(pools))


def _shifted(pools: Sequence[Study]) -> Iterator[Record]:
    """The records of all pools, renumbered."""
    base = 0
    for pool in pools:
        for record in pool.problem.records:
            overlaps = tuple(dataclasses.replace(o, other=o.other + base) for o in record.overlaps)
            alias = None if record.alias_of is None else record.alias_of + base
            yield dataclasses.replace(record, overlaps=overlaps, alias_of=alias)
        base += len(pool.problem.records)


def _plans(arena: Study | None, pieces: Study | None, images: Sequence[Study]) -> Iterator[Plan]:
    for strategy in memory_strategies.listed():
        if strategy["images"] is None or "/" in strategy["name"]:
            continue
        of = arena if strategy["arena"].startswith("offsets/") else pieces
        below = _by(of, strategy["arena"]) if of else None
        above = [_by(pool, strategy["images"]) for pool in images]
        if (arena and below is None) or None in above or strategy["name"] == PRESERVE_ALL:
            continue
        yield _one(strategy["name"], arena, below, images, [p for p in above if p])


def _by(study: Study, strategy: str) -> Plan | None:
    return next((p for p in study.plans if p.strategy == strategy), None)


def _one(strategy: str, arena: Study | None, below: Plan | None, images: Sequence[Study],
         above: Sequence[Plan]) -> Plan:
    offsets: list[int | None] = []
    ids: list[int | None] = []
    sizes: list[tuple[int, ...]] = []
    names: list[str] = []
    bytes_: list[int] = []
    if arena and below:
        low = _lows(below)
        offsets += low
        ids += [None if at is None else 0 for at in low]
        sizes, names, bytes_ = [(below.total,)], [ARENA], [below.total]
    for pool, plan in zip(images, above):
        base, pixel = len(sizes), pool.problem.element_bytes
        offsets += [0] * len(pool.problem.records)
        ids += [None if k is None else k + base for k in plan.object_ids or ()]
        for k, size in enumerate(plan.object_sizes):
            sizes.append(size)
            names.append(f"image {base + k - bool(arena)}")
            bytes_.append(pixel * size[0] * size[1])
    parts = [*([below] if below else []), *above]
    return Plan(strategy, sum(p.total for p in parts), sum(p.bound for p in parts),
                min((p.status for p in parts), key=_WORST.index), sum(p.nodes for p in parts),
                sum(p.us for p in parts), tuple(offsets), tuple(ids), tuple(sizes), tuple(names),
                tuple(bytes_))


def _lows(plan: Plan) -> list[int | None]:
    """The offsets of records in the arena, also for plans with shared objects."""
    if plan.is_offsets:
        return list(plan.offsets or ())
    begins, at = [], 0
    for (size,) in plan.object_sizes:
        begins.append(at)
        at += size
    return [None if k is None else begins[k] for k in plan.object_ids or ()]
