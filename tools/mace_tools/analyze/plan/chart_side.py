"""The panel beside the static chart: a bar for each strategy, and a legend.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterator

from mace_tools.analyze.plan.colors import OTHER, Coloring
from mace_tools.analyze.plan.problem import Plan, Study
from mace_tools.analyze.plan.text import amount, ratio, short_name
from mace_tools.analyze.reports.chart import line, rect, text

ROW = 25
LINE = 17
# Bars longer than this many times the shortest are truncated, so that the others can be compared.
MAX_TIMES = 2.5
GROUPS = (("offsets", "One arena"), ("objects", "Shared objects"), ("", "Arena and images"))
HATCH = "shared"  # the pattern of safe overlaps
SAFE_OVERLAP = "safe overlap: an output over its input"
SHORT = 19  # meanings up to this length are set two in a row


class Panel:
    """The panel between `left` and `right`, from `top` down."""

    def __init__(self, study: Study, shown: Plan, left: float, right: float) -> None:
        self._study, self._shown = study, shown
        self._left, self._right = left, right
        self._columns = (right - 64, right)  # where the figures end
        self._y = 0.0

    def draw(self, top: float, legend_top: float, max_rows: int, coloring: Coloring,
             has_overlaps: bool) -> Iterator[str]:
        """The strategies, the savings if there is space for them, and the legend."""
        self._y = top
        yield from self._strategies(max_rows)
        if self._y + LINE * (len(self._study.savings) + 1) < legend_top:
            yield from self._savings()
        yield from self._legend(legend_top, coloring, has_overlaps)

    def _strategies(self, max_rows: int) -> Iterator[str]:
        """Bars by kind, the smallest first."""
        plans = sorted(self._study.plans, key=lambda p: p.total)
        hidden = plans[max_rows:]
        plans = plans[:max_rows]
        scale = MAX_TIMES * min((p.total for p in plans if p.total), default=1)
        longest = min(scale, max((p.total for p in plans), default=1)) or 1
        y = self._y
        for kind, title in GROUPS:
            group = [p for p in plans if p.strategy.rpartition("/")[0] == kind]
            if not group:
                continue
            yield text(self._left, y, title, "text bold")
            yield text(self._columns[0], y, self._study.problem.unit, "soft", "end")
            yield text(self._columns[1], y, "× bound", "soft", "end")
            for plan in group:
                y += ROW
                yield from self._bar(plan, y - 5, longest)
            y += ROW + 10
        if hidden:
            yield text(self._left, y, f"and {len(hidden)} more, all larger", "soft")
            y += ROW
        self._y = y

    def _savings(self) -> Iterator[str]:
        if not self._study.savings:
            return
        yield text(self._left, self._y, "Saved before planning", "text bold")
        for saving in self._study.savings:
            self._y += LINE
            saved = "−" + amount(saving.bytes) if saving.bytes else "nothing"
            yield text(self._left, self._y, saving.name, "soft")
            yield text(self._columns[0], self._y, saved, "soft", "end")

    def _bar(self, plan: Plan, y: float, longest: float) -> Iterator[str]:
        mine = plan.strategy == self._shown.strategy
        style = "text bold" if mine else "text"
        yield text(self._left, y, plan.strategy.split("/", 1)[-1], style)
        yield text(self._columns[0], y, amount(plan.total, self._study.problem.unit), "soft", "end")
        proof = " ✓" if plan.is_optimal else ""
        yield text(self._columns[1], y, ratio(plan.total, plan.bound) + proof, "soft", "end")
        full = self._right - self._left
        width = max(2.0, min(1.0, plan.total / longest) * full)
        yield rect("best" if mine else "bar", self._left, y + 5, width, 4, 'rx="2"')
        if plan.total > longest:  # cut
            for x in (self._right - 22, self._right - 16):
                yield line("cut", x, y + 11, x + 5, y + 3)

    def _legend(self, top: float, coloring: Coloring, has_overlaps: bool) -> Iterator[str]:
        """Sets short meanings two in a row, and long ones below each other."""
        yield text(self._left, top, f"Colour: {coloring.title}", "text bold")
        y = top + 12
        if coloring.is_scale:
            yield from self._scale(top, coloring)
            y += 40
        else:
            columns = 2 if all(len(meaning) <= SHORT for _, meaning in coloring.legend) else 1
            pitch = 21 if columns == 2 else LINE
            for k, (color, meaning) in enumerate(coloring.legend):
                x = self._left + k % columns * (self._right - self._left) / 2
                yield from self._key(x, y + k // columns * pitch, f'fill="{color}"', meaning)
            y += -(-len(coloring.legend) // columns) * pitch
        if has_overlaps:  # on a background that shows the stripes on any page
            yield from self._key(self._left, y, f'fill="{OTHER}"', SAFE_OVERLAP)
            yield rect("key", self._left, y, 12, 12, f'rx="3" fill="url(#{HATCH})"')

    @staticmethod
    def _key(x: float, y: float, fill: str, meaning: str) -> Iterator[str]:
        yield rect("key", x, y, 12, 12, f'rx="3" {fill}')
        yield text(x + 18, y + 10, short_name(meaning, 2 * SHORT), "soft")

    def _scale(self, top: float, coloring: Coloring) -> Iterator[str]:
        width = (self._right - self._left) / len(coloring.legend)
        for k, (color, _) in enumerate(coloring.legend):
            yield rect("key", self._left + k * width, top + 12, width + 0.3, 12, f'fill="{color}"')
        yield text(self._left, top + 42, coloring.legend[0][1], "soft")
        yield text(self._right, top + 42, coloring.legend[-1][1], "soft", "end")
