"""Records, plans and constraints: the data of mace/memory/problem.h in Python.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

from mace_tools.analyze.plan.text import tags
from mace_tools.support.tables import folded

MAX_BYTES = 2**63 - 1


@dataclass(frozen=True)
class Overlap:
    """Permission to overlap another record while both live; None: at any distance."""

    other: int
    safe_distance: int | None = None


@dataclass(frozen=True)
class Record:
    """A piece of memory that lives from step `first` to step `last`, both included."""

    name: str
    size: tuple[int, ...]  # bytes; or the extents of an image or a tensor
    first: int
    last: int
    align: int = 1
    fixed_offset: int | None = None
    alias_of: int | None = None  # lies inside that record, alias_offset bytes from its start
    alias_offset: int = 0
    overlaps: tuple[Overlap, ...] = ()
    op: str = ""  # type of the op that writes it
    where: str = ""  # "line 7" of a text file
    element_bytes: int | None = None  # of an image: those of a pixel; None: not known

    @property
    def count(self) -> int:
        """Bytes, or elements where the size has several extents of elements of unknown bytes."""
        return math.prod(self.size) * (self.element_bytes or 1)

    @property
    def num_steps(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True)
class Step:
    """A node as it runs."""

    name: str
    op: str = ""


@dataclass(frozen=True)
class Problem:
    name: str
    records: tuple[Record, ...]
    alignment: int = 1
    capacity: int | None = None
    steps: tuple[Step, ...] = ()  # empty: steps have no names
    max_extents: tuple[int, ...] | None = None  # of images

    @property
    def is_scalar(self) -> bool:
        return all(len(r.size) == 1 for r in self.records)

    @functools.cached_property
    def unit(self) -> str:
        known = all(len(r.size) == 1 or r.element_bytes for r in self.records)
        return "bytes" if known else "elements"

    @property
    def element_bytes(self) -> int:
        """The extents that hold all records, if they are images."""
        return self.records[0].element_bytes or 1

    @functools.cached_property
    def naive(self) -> int:
        """The total size if no record shares memory with another; an alias takes nothing."""
        return sum(r.count for r in self.records if r.alias_of is None)

    @functools.cached_property
    def sharing(self) -> list[list[int]]:
        """The records in groups, of which only those of the same one may overlap while both are
        live."""
        above = list(range(len(self.records)))

        def root(k: int) -> int:
            while above[k] != k:
                above[k] = above[above[k]]
                k = above[k]
            return k

        for k, record in enumerate(self.records):
            alias = () if record.alias_of is None else (record.alias_of,)
            for other in (*(o.other for o in record.overlaps), *alias):
                if 0 <= other < len(above):
                    above[root(other)] = root(k)
        groups: dict[int, list[int]] = {}
        for k in range(len(above)):
            groups.setdefault(root(k), []).append(k)
        return list(groups.values())

    @functools.cached_property
    def tags(self) -> list[str]:
        """Short names, for charts."""
        return tags([r.name for r in self.records], [r.op for r in self.records])

    def label(self, index: int) -> str:
        """The name of a record in error messages."""
        name = self.records[index].name
        return f"record {index} '{name}'" if name else f"record {index}"

    def step_name(self, step: int) -> str:
        """The name of a step: of its last node, with the number of nodes if it has several; or
        empty."""
        known = self.steps[step] if 0 <= step < len(self.steps) else Step("")
        return folded(known.op, known.name)


@dataclass(frozen=True)
class Plan:
    """The plan of one strategy, with its certificate."""

    strategy: str
    total: int
    bound: int
    status: str  # optimal, feasible, infeasible, unknown
    nodes: int
    us: float
    offsets: tuple[int | None, ...] | None = None
    object_ids: tuple[int | None, ...] | None = None
    object_sizes: tuple[tuple[int, ...], ...] = ()
    # For plans with both, whose offsets are within objects: the names of the objects, and
    # their bytes.
    object_names: tuple[str, ...] = ()
    object_bytes: tuple[int, ...] = ()

    @property
    def is_offsets(self) -> bool:
        return self.object_ids is None

    @property
    def is_optimal(self) -> bool:
        return self.status == "optimal"

    def fits(self, capacity: int | None) -> bool:
        return capacity is None or self.total <= capacity


@dataclass(frozen=True)
class Saving:
    """By how much a step before planning reduced the lower bound of the arena."""

    name: str
    before: int
    after: int

    @property
    def bytes(self) -> int:
        return self.before - self.after


@dataclass(frozen=True)
class Study:
    """A problem, every plan that was made for it, and the one to use."""

    problem: Problem
    plans: tuple[Plan, ...]
    best: Plan
    savings: tuple[Saving, ...] = ()
    pools: tuple[Study, ...] = ()  # the studies from which it was joined


def choose(plans: tuple[Plan, ...]) -> Plan:
    """The smallest plan; of equal ones, one that is proven optimal, then one arena, then the first.

    >>> a, b = (Plan(s, 10, 10, s, 0, 1) for s in ("feasible", "optimal"))
    >>> choose((a, b)).status
    'optimal'
    """
    return min(plans, key=lambda p: (p.total, not p.is_optimal, not p.is_offsets))
