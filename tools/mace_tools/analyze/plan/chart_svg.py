"""A memory plan as one static SVG: time across, address up, a rectangle per tensor.

SPDX-License-Identifier: Apache-2.0

    title, certificate
    +------------------------------------------------+    strategies, a bar each
    |  address                                       |    name      bytes  x bound
    |          rectangles, peak step, bound          |    ####################
    +------------------------------------------------+
    |  live bytes                                    |    legend
    +------------------------------------------------+
"""

from collections.abc import Iterator

from mace_tools.analyze.plan import colors
from mace_tools.analyze.plan.chart_side import HATCH, Panel
from mace_tools.analyze.plan.layout import Box, Picture, picture, span
from mace_tools.analyze.plan.problem import Plan, Record, Study
from mace_tools.analyze.plan.text import amount, duration, exact, ratio, short_name
from mace_tools.analyze.reports import chart
from mace_tools.analyze.reports.chart import CHAR, hatch, line, rect, text, xml
from mace_tools.support.tables import printable

WIDTH, HEIGHT = 1360, 820
LEFT, RIGHT = 116, 1000  # of the plot
TOP, BOTTOM = 116, 624
PROFILE_TOP, PROFILE_BOTTOM = 664, 752
SIDE = 1046  # where the panel on the right begins
MARGIN = 28
MAX_STRATEGIES = 15
FEW_STEPS = 200  # up to this number, ticks are in the middle of their steps

STYLE = """
svg { font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif; }
.page { fill: #ffffff } .plot { fill: #f5f6f8 } .grid { stroke: #e3e5ea }
.title { fill: #16181d; font-size: 23px; font-weight: 600 }
.text { fill: #16181d; font-size: 12.5px } .soft { fill: #5b616e; font-size: 12px }
.bold { font-weight: 600 } .box { stroke: #ffffff }
.tag { font-size: 11px; paint-order: stroke; stroke-width: 3px; pointer-events: none }
.lane { stroke: #b6bbc6; fill: none } .waste { fill: #e9ebef }
.bound { stroke: #16181d } .peak { fill: #16181d; fill-opacity: .10 } .tip { fill: #16181d }
.area { fill: #9fb4d8; stroke: #4a6fb0 } .bar { fill: #b9c3d6 } .best { fill: #4a6fb0 }
.pill { fill: #ffffff; fill-opacity: .92 } .cut { stroke: #ffffff; stroke-width: 2.5 }
@media (prefers-color-scheme: dark) {
.page { fill: #14161b } .plot { fill: #1b1e25 } .grid { stroke: #2b2f39 }
.title, .text, .tip { fill: #eceef2 } .soft { fill: #a2a9b8 } .box { stroke: #14161b }
.lane { stroke: #4a505e } .waste { fill: #262a33 }
.bound { stroke: #eceef2 } .peak { fill: #ffffff; fill-opacity: .16 }
.area { fill: #3a4f7a; stroke: #8fb0ea } .bar { fill: #3a4358 } .best { fill: #8fb0ea }
.pill { fill: #14161b } .cut { stroke: #14161b }
}
"""


def render(study: Study, plan: Plan | None = None) -> str:
    """The SVG of one plan of a study (default: the best)."""
    return "".join(_Chart(study, plan or study.best).elements())


class _Chart:
    def __init__(self, study: Study, plan: Plan) -> None:
        self._study, self._problem, self._plan = study, study.problem, plan
        self._picture: Picture = picture(study.problem, plan)
        self._first, self._end = span(study.problem)
        self._top = max(self._picture.top, plan.bound, 1) * 1.04
        self._coloring = colors.default(study.problem)

    def elements(self) -> Iterator[str]:
        yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
               f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-labelledby="name about">\n'
               f'<title id="name">Memory plan of {xml(self._problem.name)}</title>\n'
               f'<desc id="about">{xml(self._summary())}</desc>\n<style>{STYLE}</style>\n')
        yield rect("page", 0, 0, WIDTH, HEIGHT)
        yield text(MARGIN, 46, short_name(self._problem.name, 70), "title")
        yield text(MARGIN, 72, self._summary(), "text")
        yield from self._frame()
        yield from self._lanes() if self._picture.lanes else self._addresses()
        for box in self._picture.boxes:
            yield from self._box(box)
        yield from self._shared()
        for box in self._picture.boxes:
            yield from self._tag(box)
        yield from self._marks()
        yield from self._profile()
        panel = Panel(self._study, self._plan, SIDE, WIDTH - MARGIN)
        yield from panel.draw(TOP - 10, PROFILE_TOP - 10, MAX_STRATEGIES, self._coloring,
                              bool(self._picture.shared))
        yield "</svg>\n"

    def _summary(self) -> str:
        plan, problem = self._plan, self._problem
        proof = ("proven optimal" if plan.is_optimal else
                 f"{ratio(plan.total, plan.bound)} times the lower bound")
        return (f"{self._amount(plan.total)} for {len(problem.records):,} tensors by "
                f"{plan.strategy}, {proof}; {self._amount(problem.naive)} without sharing, "
                f"{ratio(problem.naive, plan.total, 1)} times as much; planned in "
                f"{duration(plan.us)}")

    def _amount(self, count: int) -> str:
        return amount(count, self._problem.unit)

    def _x(self, step: float) -> float:
        return LEFT + (step - self._first) / (self._end - self._first) * (RIGHT - LEFT)

    def _y(self, address: float) -> float:
        return BOTTOM - address / self._top * (BOTTOM - TOP)

    def _frame(self) -> Iterator[str]:
        """The empty plots and the time axis."""
        yield rect("plot", LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP)
        yield rect("plot", LEFT, PROFILE_TOP, RIGHT - LEFT, PROFILE_BOTTOM - PROFILE_TOP)
        centre = 0.5 if self._end - self._first <= FEW_STEPS else 0.0
        for step in chart.steps(self._first, self._end, 12):
            x = self._x(step + centre)
            yield line("grid", x, TOP, x, BOTTOM)
            yield line("grid", x, PROFILE_TOP, x, PROFILE_BOTTOM)
            yield text(x, PROFILE_BOTTOM + 18, f"{step:,}", "soft", "middle")
        yield text((LEFT + RIGHT) / 2, PROFILE_BOTTOM + 40, "step", "soft", "middle")
        yield text(LEFT, PROFILE_TOP - 10, f"live {self._problem.unit}", "soft")

    def _addresses(self) -> Iterator[str]:
        for address in chart.addresses(int(self._top), 10):
            y = self._y(address)
            yield line("grid", LEFT, y, RIGHT, y)
            yield text(LEFT - 8, y + 4, self._amount(address), "soft", "end")
        yield text(LEFT - 8, TOP - 10, "address", "soft", "end")

    def _lanes(self) -> Iterator[str]:
        """Objects or pools instead of addresses."""
        for lane in self._picture.lanes:
            low, high = self._y(lane.low), self._y(lane.high)
            yield rect("waste", LEFT, high, RIGHT - LEFT, low - high)
            yield line("lane", LEFT - 8, high, RIGHT, high)
            middle = (low + high) / 2 + 4
            if low - high >= 30:
                yield text(LEFT - 8, middle - 8, lane.label, "soft", "end")
                yield text(LEFT - 8, middle + 8, self._amount(lane.high - lane.low), "soft", "end")
            elif low - high >= 13:
                yield text(LEFT - 8, middle, lane.label, "soft", "end")

    def _box(self, box: Box) -> Iterator[str]:
        record, color = self._problem.records[box.record], self._coloring.of_record[box.record]
        x, y, width, height = self._place(box)
        least = min(width, height)
        stroke = 1 if least >= 5 else 0.4 if least >= 1.5 else 0
        yield rect("box", x, y, max(width, 0.5), max(height, 0.5),
                   f'fill="{color}" stroke-width="{stroke}" rx="{min(3, least / 6):.1f}"',
                   self._hover(box, record))

    def _place(self, box: Box) -> tuple[float, float, float, float]:
        """Left, top, width and height."""
        record = self._problem.records[box.record]
        x, y = self._x(record.first), self._y(box.high)
        return x, y, self._x(record.last + 1) - x, self._y(box.low) - y

    def _tag(self, box: Box) -> Iterator[str]:
        """The name, across or up, where there is space for it."""
        x, y, width, height = self._place(box)
        index, color = box.record, self._coloring.of_record[box.record]
        size = self._amount(self._problem.records[index].count)

        def word(words: str, dy: float, more: str = "") -> str:
            return (f'<text class="tag" fill="{colors.ink(color)}" stroke="{color}" '
                    f'text-anchor="middle" y="{dy:g}"{more}>{xml(words)}</text>')

        upright = height > width
        along, across = (height, width) if upright else (width, height)
        space = int((along - 8) / CHAR)
        name = printable(short_name(self._problem.tags[index], max(space, 2)))
        if across < 14 or not name or (space < 8 and "…" in name):
            return
        turn = " rotate(-90)" if upright else ""
        yield f'<g transform="translate({x + width / 2:.1f} {y + height / 2:.1f}){turn}">'
        if across >= 32 and len(size) <= space:
            yield word(name, -3) + word(size, 11, ' fill-opacity=".75"')
        else:
            yield word(name, 4)
        yield "</g>\n"

    def _hover(self, box: Box, record: Record) -> str:
        where = (f"at {box.low:,} to {box.high:,}" if box.object_id is None
                 else f"in object {box.object_id}")
        op = f", written by {record.op}" if record.op else ""
        return (f"{record.name or f'record {box.record}'}{op}\n"
                f"{exact(record.count, self._problem.unit)} {where}\n"
                f"steps {record.first:,} to {record.last:,}, alignment {record.align}")

    def _shared(self) -> Iterator[str]:
        """The hatched part of an output that safely overlaps an input."""
        if self._picture.shared:
            yield hatch(HATCH)
        for shared in self._picture.shared:
            x, y = self._x(shared.first), self._y(shared.high)
            width, height = self._x(shared.last + 1) - x, self._y(shared.low) - y
            over, under = (self._problem.records[k].name or f"record {k}"
                           for k in (shared.record, shared.other))
            size = exact(shared.high - shared.low, self._problem.unit)
            yield rect("shared", x, y, max(width, 0.5), max(height, 0.5), f'fill="url(#{HATCH})"',
                       f"safe overlap: {over}\nlies over {size} of {under}, read before")

    def _marks(self) -> Iterator[str]:
        """The peak step and the bound."""
        peak = self._picture.peak
        x, end = self._x(peak.step), self._x(self._peak_end())
        end = max(end, x + 2)
        yield rect("peak", x, TOP, end - x, BOTTOM - TOP)
        yield rect("peak", x, PROFILE_TOP, end - x, PROFILE_BOTTOM - PROFILE_TOP)
        middle = (x + end) / 2
        yield (f'<path class="tip" d="M{middle:.1f} {TOP - 1}l-5 -7h10z"/>\n')
        name = short_name(self._problem.step_name(peak.step), 30)
        label = (f"peak at step {peak.step:,}{f' ({name})' if name else ''}: "
                 f"{self._amount(peak.live)}")
        late = middle > (LEFT + RIGHT) / 2
        yield text(middle - 10 if late else middle + 10, TOP - 10, label, "text bold",
                   "end" if late else "start")
        y, label = self._y(self._plan.bound), f"lower bound {self._amount(self._plan.bound)}"
        yield line("bound", LEFT, y, RIGHT, y, 'stroke-width="1.5" stroke-dasharray="6 4"')
        width = len(label) * CHAR + 18
        yield rect("pill", RIGHT - width - 4, y - 21, width, 18, 'rx="9"')
        yield text(RIGHT - width / 2 - 4, y - 8, label, "soft", "middle")

    def _peak_end(self) -> int:
        """The step at which the peak's level ends."""
        later = (level.step for level in self._picture.profile
                 if level.step > self._picture.peak.step)
        return next(later, self._end)

    def _profile(self) -> Iterator[str]:
        most = max(self._picture.peak.live, 1) * 1.12

        def y(live: int) -> float:
            return PROFILE_BOTTOM - live / most * (PROFILE_BOTTOM - PROFILE_TOP)

        points, live = [], 0
        for level in self._picture.profile:
            x = self._x(level.step)
            points += [f"{x:.1f} {y(live):.1f}", f"{x:.1f} {y(level.live):.1f}"]
            live = level.live
        outline = "L".join([f"{LEFT} {PROFILE_BOTTOM}", *points, f"{RIGHT} {PROFILE_BOTTOM}"])
        yield f'<path class="area" fill-opacity=".55" d="M{outline}Z"/>\n'
        yield text(LEFT - 8, y(self._picture.peak.live) + 4,
                   self._amount(self._picture.peak.live), "soft", "end")
        yield text(LEFT - 8, PROFILE_BOTTOM + 4, "0", "soft", "end")
