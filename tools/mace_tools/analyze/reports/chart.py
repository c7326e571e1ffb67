"""Charts of pages: lines, areas and dots over two axes, as SVG that scales with the page.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mace_tools.analyze.reports import Html, Words, attribute, markup

WIDTH, HEIGHT = 860, 340
LEFT, RIGHT, TOP, BOTTOM = 74, 14, 14, 44


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, which are above 0 if `is_log`. `shown` writes a number of it."""

    title: str
    low: float
    high: float
    is_log: bool = False
    shown: Callable[[float], str] = lambda v: f"{v:g}"
    ticks: tuple[float, ...] | None = None  # None: round numbers

    def place(self, value: float) -> float:
        """From 0 to 1."""
        if self.is_log:
            value, low, high = (math.log10(max(v, 1e-300))
                                for v in (value, self.low, self.high))
        else:
            low, high = self.low, self.high
        return min(1.0, max(0.0, (value - low) / ((high - low) or 1.0)))


@dataclass(frozen=True)
class Point:
    """`title` is what the pointer on a dot shows; `radius` is that of a dot."""

    x: float
    y: float
    title: str = ""
    color: str = ""
    radius: float = 4.5


@dataclass(frozen=True)
class Series:
    """`kind` is line, limit (a dashed line), area (steps, filled to the bottom) or dots."""

    kind: str
    points: tuple[Point, ...]


def render(label: str, x: Axis, y: Axis, series: Sequence[Series], caption: Words = "",
           legend: Sequence[tuple[str, str]] = ()) -> Html:
    """`label` says in words what the chart shows; `legend` are colours with their meanings."""
    shapes = "".join(_shape(one, x, y) for one in series)
    entries = "".join(f'<i style="background:{attribute(color)}"></i>{markup(meaning)}'
                      for color, meaning in legend)
    below = "".join(f"<figcaption>{part}</figcaption>" for part in (entries, markup(caption))
                    if part)
    return Html(f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
                f'aria-label="{attribute(label)}">\n{_axes(x, y)}{shapes}</svg>{below}'
                "</figure>\n")


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """At most about `most` round numbers between the two.

    >>> round_numbers(0, 31, 8)
    [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0]
    """
    span = high - low
    if not span > 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(m * power for m in (1, 2, 5, 10, 20) if m * power * most >= span)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def powers(low: float, high: float) -> list[float]:
    """Powers of ten between the two, with 2 and 5 between them where there are few.

    >>> powers(0.5, 200)
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1, 2, 5) if last - first <= 4 else (1,)
    every = max(1, (last - first) // 8)
    found = [f * 10.0 ** p for p in range(first, last + 1, every) for f in factors]
    return [v for v in found if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]


def _x(axis: Axis, value: float) -> float:
    return LEFT + axis.place(value) * (WIDTH - LEFT - RIGHT)


def _y(axis: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - axis.place(value) * (HEIGHT - TOP - BOTTOM)


def _axes(x: Axis, y: Axis) -> str:
    floor, parts = HEIGHT - BOTTOM, []
    parts.append(f'<rect class="plot" x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" '
                 f'height="{floor - TOP}"/>\n')
    for value in _ticks(x, 10):
        at = _x(x, value)
        parts.append(f'<path class="grid" d="M{at:.1f} {TOP}V{floor}"/>'
                     f'<text class="soft" x="{at:.1f}" y="{floor + 16}" text-anchor="middle">'
                     f"{markup(x.shown(value))}</text>\n")
    for value in _ticks(y, 6):
        at = _y(y, value)
        parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>'
                     f'<text class="soft" x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">'
                     f"{markup(y.shown(value))}</text>\n")
    middle = (TOP + floor) / 2
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" '
                 f'text-anchor="middle">{markup(x.title)}</text>\n'
                 f'<text x="14" y="{middle:.0f}" text-anchor="middle" '
                 f'transform="rotate(-90 14 {middle:.0f})">{markup(y.title)}</text>\n')
    return "".join(parts)


def _ticks(axis: Axis, most: int) -> Sequence[float]:
    if axis.ticks is not None:
        return axis.ticks
    return powers(axis.low, axis.high) if axis.is_log else round_numbers(axis.low, axis.high, most)


def _shape(series: Series, x: Axis, y: Axis) -> str:
    if not series.points:
        return ""
    if series.kind == "dots":
        return "".join(_dot(p, x, y) for p in series.points)
    places = [(_x(x, p.x), _y(y, p.y)) for p in series.points]
    if series.kind == "area":
        path = f"M{places[0][0]:.1f} {HEIGHT - BOTTOM}V{places[0][1]:.1f}"
        path += "".join(f"H{px:.1f}V{py:.1f}" for px, py in places[1:])
        path += f"V{HEIGHT - BOTTOM}Z"
    else:
        path = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in places)
    color = series.points[0].color
    style = f' style="stroke:{attribute(color)}"' if color else ""
    return f'<path class="{attribute(series.kind)}" d="{path}"{style}/>\n'


def _dot(p: Point, x: Axis, y: Axis) -> str:
    style = f' style="fill:{attribute(p.color)}"' if p.color else ""
    return (f'<circle class="dot" cx="{_x(x, p.x):.1f}" cy="{_y(y, p.y):.1f}" r="{p.radius:g}"'
            f"{style}><title>{markup(p.title)}</title></circle>\n")
