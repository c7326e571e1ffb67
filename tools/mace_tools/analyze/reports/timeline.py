"""A timeline on a page: bars in lanes over time, to zoom and click.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mace_tools.analyze.reports import Html, attribute, packed
from mace_tools.support.tables import printable


@dataclass(frozen=True)
class Bar:
    """`start` and `length` are in the unit of the timeline."""

    lane: str
    name: str
    start: float
    length: float
    color: str
    details: str = ""


def render(label: str, unit: str, bars: Sequence[Bar]) -> Html:
    """Lanes stand in the order in which they first appear."""
    lanes = list(dict.fromkeys(bar.lane for bar in bars))
    colors = list(dict.fromkeys(bar.color for bar in bars))
    data = {"unit": unit, "lanes": [printable(lane) for lane in lanes], "colors": colors,
            "bars": [[lanes.index(b.lane), printable(b.name), round(b.start, 3),
                      round(b.length, 3), colors.index(b.color), printable(b.details)]
                     for b in bars]}
    return Html(f'<div class="timeline" data-label="{attribute(label)}" '
                f'data-packed="{packed(data)}"></div>\n')
