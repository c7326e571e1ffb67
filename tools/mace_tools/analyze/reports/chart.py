"""Charts: lines, areas and dots over two axes, as SVG that scales with the page; and the elements
and ticks of which the chart of a memory plan is made, too.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from mace_tools.analyze.reports import Html, Words, attribute, markup
from mace_tools.support.tables import printable

WIDTH, HEIGHT = 860, 340
LEFT, RIGHT, TOP, BOTTOM = 74, 14, 14, 44
CHAR = 6.6  # mean width of a character at 11 px


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
    if not high > low:
        return [low]
    step = _round_step((high - low) / most)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def steps(first: int, end: int, most: int) -> list[int]:
    """At most `most` round numbers in [first, end).

    >>> steps(0, 31, 8)
    [0, 5, 10, 15, 20, 25, 30]
    """
    step = round(_round_step(max(1.0, (end - first) / most)))
    return list(range(-(-first // step) * step, end, step))


def _round_step(least: float) -> float:
    """1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1, 2, 5, 10, 20) if m * power >= least)


def addresses(top: int, most: int) -> list[int]:
    """At most `most` round addresses from 0 to top: 1, 2, 4, 8 ... of a power of 1024.

    >>> addresses(4816896, 6)
    [0, 1048576, 2097152, 3145728, 4194304]
    >>> addresses(90, 6)
    [0, 16, 32, 48, 64, 80]
    """
    step = 1
    while top // step + 1 > most:
        step *= 2
    return list(range(0, top + 1, step))


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


def rect(style: str, x: float, y: float, width: float, height: float, more: str = "",
         hover: str = "") -> str:
    """`hover`: what viewers show when the pointer is on it."""
    more = " " + more if more else ""
    end = f"><title>{xml(hover)}</title></rect>" if hover else "/>"
    return (f'<rect class="{style}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" '
            f'height="{height:.2f}"{more}{end}\n')


def line(style: str, x1: float, y1: float, x2: float, y2: float, more: str = "") -> str:
    more = " " + more if more else ""
    return f'<path class="{style}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"{more}/>\n'


def text(x: float, y: float, words: str, style: str, anchor: str = "start") -> str:
    end = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}"{end}>{xml(words)}</text>\n'


def hatch(name: str) -> str:
    """A pattern of stripes that is visible on any colour and leaves text readable."""
    return (f'<defs><pattern id="{name}" width="8" height="8" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><rect width="2" height="8" fill="#16181d" '
            'fill-opacity=".5"/></pattern></defs>\n')


def xml(words: str) -> str:
    """
    >>> xml("a<b\\x00")
    'a&lt;b�'
    """
    return escape("\n".join(printable(part) for part in words.split("\n")))


def _x(axis: Axis, value: float) -> float:
    return LEFT + axis.place(value) * (WIDTH - LEFT - RIGHT)


def _y(axis: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - axis.place(value) * (HEIGHT - TOP - BOTTOM)


def _axes(x: Axis, y: Axis) -> str:
    floor, middle = HEIGHT - BOTTOM, (TOP + HEIGHT - BOTTOM) / 2
    parts = [rect("plot", LEFT, TOP, WIDTH - LEFT - RIGHT, floor - TOP)]
    for value in _ticks(x, 10):
        at = _x(x, value)
        parts.append(line("grid", at, TOP, at, floor)
                     + text(at, floor + 16, x.shown(value), "soft", "middle"))
    for value in _ticks(y, 6):
        at = _y(y, value)
        parts.append(line("grid", LEFT, at, WIDTH - RIGHT, at)
                     + text(LEFT - 6, at + 4, y.shown(value), "soft", "end"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x.title, "title", "middle"))
    parts.append(f'<g transform="translate(14 {middle:.0f}) rotate(-90)">'
                 f'{text(0, 0, y.title, "title", "middle")}</g>\n')
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
