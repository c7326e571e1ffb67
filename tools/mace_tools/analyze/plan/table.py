"""A study as text: the table of strategies, the certificate, the savings.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterator

from mace_tools.analyze.plan.layout import picture
from mace_tools.analyze.plan.problem import Plan, Study
from mace_tools.analyze.plan.text import amount, duration, exact, ratio, short_name
from mace_tools.support.tables import Column, Fitter, output_width, printable

MARK = "* "  # marks the best plan


def lines(study: Study, wide: bool = False) -> Iterator[str]:
    problem = study.problem
    fitter = Fitter(output_width(wide), margin=len(MARK))
    yield (f"{printable(short_name(problem.name))}: {len(problem.records):,} records, "
           f"{exact(problem.naive, problem.unit)} without sharing")
    yield from strategies(study, fitter)
    yield from certificate(study, fitter.width)
    yield from savings(study)
    yield from fitter.note()


def strategies(study: Study, fitter: Fitter) -> Iterator[str]:
    """The rows by kind, the smallest first; the best has a mark."""
    plans = sorted(study.plans, key=lambda p: (not p.is_offsets, p.total))
    naive = study.problem.naive
    columns = [Column("strategy"), Column(study.problem.unit, right=True),
               Column("x naive", rank=1, right=True), Column("x bound", right=True),
               Column("us", rank=2, right=True), Column("nodes", rank=3, right=True),
               Column("status")]
    rows = [[p.strategy, str(p.total), ratio(p.total, naive), ratio(p.total, p.bound),
             f"{p.us:.3g}" if p.us < 100 else f"{p.us:.0f}", str(p.nodes), _status(p, study)]
            for p in plans]
    marks = [MARK if p is study.best else " " * len(MARK) for p in plans]
    for mark, line in zip([" " * len(MARK), *marks], fitter.lines(columns, rows)):
        yield mark + line


def _status(plan: Plan, study: Study) -> str:
    return plan.status if plan.fits(study.problem.capacity) else f"{plan.status}, too large"


def certificate(study: Study, width: int) -> Iterator[str]:
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
    step, live = f"  peak at step {peak.step:,}", f"{exact(peak.live, unit)} live"
    name = printable(study.problem.step_name(peak.step))
    if width:
        name = short_name(name, max(8, width - len(step) - len(live) - len(" (): ")))
    yield f"{step}{f' ({name})' if name else ''}: {live}"


def savings(study: Study) -> Iterator[str]:
    """The savings of each step before planning, if the engine reports them."""
    if study.savings:
        yield "saved before planning, off the lower bound:"
        width = max(len(s.name) for s in study.savings)
        for s in study.savings:
            yield (f"  {s.name:<{width}}  {s.bytes:>12,} bytes  ({amount(s.before)} -> "
                   f"{amount(s.after)})")
