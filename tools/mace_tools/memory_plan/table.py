"""What people read of a study: the table of strategies, the certificate, the savings.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mace_tools.memory_plan.layout import picture
from mace_tools.memory_plan.problem import Plan, Study
from mace_tools.memory_plan.text import amount, duration, exact, printable, ratio, short_name

HEAD = ("strategy", "{unit}", "x naive", "x bound", "us", "nodes", "status")


def lines(study: Study) -> Iterator[str]:
    problem = study.problem
    yield (f"{printable(short_name(problem.name))}: {len(problem.records):,} records, "
           f"{exact(problem.naive, problem.unit)} without sharing")
    yield from strategies(study)
    yield from certificate(study)
    yield from savings(study)


def strategies(study: Study) -> Iterator[str]:
    """By kind, the smallest first; the best has a mark."""
    plans = sorted(study.plans, key=lambda p: (not p.is_offsets, p.total))
    naive = study.problem.naive
    head = [title.format(unit=study.problem.unit) for title in HEAD]
    rows = [[p.strategy, str(p.total), ratio(p.total, naive), ratio(p.total, p.bound),
             f"{p.us:.3g}" if p.us < 100 else f"{p.us:.0f}", str(p.nodes), _status(p, study)]
            for p in plans]
    marks = ["*" if p is study.best else " " for p in plans]
    yield from aligned(head, rows, [" ", *marks])


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], marks: Sequence[str]
            ) -> Iterator[str]:
    """Columns; the first and the last to the left, numbers to the right.

    >>> print(*aligned(("a", "n"), (("b", "10"), ("long", "9")), (" ", "*", " ")), sep="|")
      a     n|* b     10|  long  9
    """
    table = [head, *rows]
    widths = [max(len(row[k]) for row in table) for k in range(len(head))]
    last = len(head) - 1
    for mark, row in zip(marks, table):
        cells = [cell.ljust(width) if k in (0, last) else cell.rjust(width)
                 for k, (cell, width) in enumerate(zip(row, widths))]
        yield f"{mark} {'  '.join(cells)}".rstrip()


def _status(plan: Plan, study: Study) -> str:
    return plan.status if plan.fits(study.problem.capacity) else f"{plan.status}, too large"


def certificate(study: Study) -> Iterator[str]:
    best, unit = study.best, study.problem.unit
    gap = best.total - best.bound
    proof = {True: "optimal, proven: no plan of this kind is smaller",
             False: f"{best.status}: at most {exact(gap, unit)} above the optimum"}[best.is_optimal]
    yield f"best: {best.strategy}, {exact(best.total, unit)} ({amount(best.total, unit)})"
    yield f"  {proof}"
    yield (f"  lower bound {exact(best.bound, unit)}; {best.nodes:,} search nodes, "
           f"{duration(best.us)} of planning")
    if study.problem.capacity is not None:
        left = study.problem.capacity - best.total
        yield f"  capacity {exact(study.problem.capacity, unit)}, {exact(left, unit)} left"
    peak = picture(study.problem, best).peak
    name = study.problem.step_name(peak.step)
    yield (f"  peak at step {peak.step:,}{f' ({printable(short_name(name))})' if name else ''}: "
           f"{exact(peak.live, unit)} live")


def savings(study: Study) -> Iterator[str]:
    """Of each step before planning, where the engine tells."""
    if study.savings:
        yield "saved before planning, off the lower bound:"
        width = max(len(s.name) for s in study.savings)
        for s in study.savings:
            yield (f"  {s.name:<{width}}  {s.bytes:>12,} bytes  ({amount(s.before)} -> "
                   f"{amount(s.after)})")
