"""Colours of the charts: distinct for readers with any colour vision, on white and on black.

SPDX-License-Identifier: Apache-2.0

The scheme of amounts is Paul Tol's "iridescent" (Colour Schemes, SRON technical note
EPS/TN/09-002, issue 3.2); kinds have those of all reports.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mace_tools.analyze.plan.problem import Problem
from mace_tools.analyze.plan.text import amount
from mace_tools.analyze.reports.palette import KINDS, OTHER

RAMP = ("#ddecbf", "#c2e3d2", "#a8d8dc", "#8dcbe4", "#7bbce7", "#7eb2e4", "#88a5dd", "#9398d2",
        "#9b8ac4", "#9d7db2", "#9a709e", "#906388")


@dataclass(frozen=True)
class Coloring:
    """A colour for each record, and a legend."""

    title: str
    of_record: tuple[str, ...]
    legend: tuple[tuple[str, str], ...]  # (colour, meaning)
    is_scale: bool  # amounts from least to most, else kinds


def default(problem: Problem) -> Coloring:
    """Colours by op if the ops are known, else by size."""
    return by_op(problem) or by_size(problem)


def by_op(problem: Problem) -> Coloring | None:
    """Colours by the type of the op that writes a record; None if no op is known."""
    counts = Counter(r.op for r in problem.records if r.op)
    if not counts:
        return None
    common = sorted(counts, key=lambda op: (-counts[op], op))[:len(KINDS)]
    colors = dict(zip(common, KINDS))
    legend = [(color, op) for op, color in colors.items()]
    if any(r.op not in colors for r in problem.records):
        legend.append((OTHER, "other"))
    of_record = tuple(colors.get(r.op, OTHER) for r in problem.records)
    return Coloring("op", of_record, tuple(legend), is_scale=False)


def by_size(problem: Problem) -> Coloring:
    sizes = [r.count for r in problem.records]
    return _by_rank("size", sizes, [amount(f(sizes), problem.unit) for f in (min, max)])


def by_lifetime(problem: Problem) -> Coloring:
    steps = [r.num_steps for r in problem.records]
    return _by_rank("lifetime", steps, [f"{f(steps):,} steps" for f in (min, max)])


def _by_rank(title: str, amounts: Sequence[int], ends: Sequence[str]) -> Coloring:
    """Colours by rank among the different amounts, which spreads them for any distribution."""
    ranks = {a: k for k, a in enumerate(sorted(set(amounts)))}
    last = max(1, len(ranks) - 1)
    of_record = tuple(RAMP[round(ranks[a] / last * (len(RAMP) - 1))] for a in amounts)
    meanings = [ends[0], *[""] * (len(RAMP) - 2), ends[1]]
    return Coloring(title, of_record, tuple(zip(RAMP, meanings)), is_scale=True)


def ink(color: str) -> str:
    """Black or white, whichever is easier to read on that colour (WCAG 2 relative luminance).

    >>> ink("#ddecbf"), ink("#332288")
    ('#16181d', '#ffffff')
    """
    parts = [int(color[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return "#16181d" if 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 else "#ffffff"
