"""Self-contained HTML pages: a frame with figures at the top and sections below; no network.

SPDX-License-Identifier: Apache-2.0

    page = reports.render("Benchmark of net", "one thread", [Tile("Time", "3.1 ms")],
                          [reports.section("Layers", table.render(...))])

Plain strings are texts, which are escaped wherever they come from; only what is of the type Html is
markup. Tables are in table.py, charts in chart.py, graphs of models in graph_view.py, timelines in
timeline.py.
"""

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Union

from mace_tools.support.tables import printable

FOLDER = Path(__file__).resolve().parent
STYLES = ("frame.css", "tables.css", "graph.css")
SCRIPTS = ("theme.js", "view.js", "tables.js", "graph.js", "timeline.js")


class Html(str):
    """Markup: a string that is put into a page as it is."""


Words = Union[str, Html]


@dataclass(frozen=True)
class Tile:
    """A figure at the top of a page."""

    label: str
    value: str
    note: Words = ""


def markup(words: Words) -> Html:
    """Escapes a text; Html stays as it is.

    >>> markup("a<b\\x00"), markup(Html("<b>"))
    ('a&lt;b�', '<b>')
    """
    return words if isinstance(words, Html) else Html(escape(printable(words)))


def attribute(words: str) -> str:
    """A text as the value of an attribute, between double quotes."""
    return escape(printable(words))


def join(parts: Sequence[Words], between: str = "") -> Html:
    """Several parts one after the other."""
    return Html(between.join(map(markup, parts)))


def section(title: str, *parts: Words, note: Words = "") -> Html:
    """A card of the page: a heading, a line that explains it, and its parts."""
    line = f'<p class="soft note">{markup(note)}</p>\n' if note else ""
    return Html(f'<section class="card">\n<h2>{markup(title)}</h2>\n{line}{join(parts)}\n'
                '</section>\n')


def columns(*sections: Html) -> Html:
    """Sections in columns, as many as fit into the window, about equally long."""
    return Html(f'<div class="columns">\n{join(sections)}</div>\n')


def folded(title: str, *parts: Words) -> Html:
    """A card that opens on a click."""
    return Html(f'<details class="card">\n<summary><h2>{markup(title)}</h2></summary>\n'
                f'{join(parts)}\n</details>\n')


def paragraph(words: Words) -> Html:
    return Html(f"<p>{markup(words)}</p>\n")


def items(entries: Sequence[Words]) -> Html:
    """A list with a dot before each entry."""
    return Html("<ul>" + "".join(f"<li>{markup(e)}</li>" for e in entries) + "</ul>\n")


def badge(words: str, kind: str = "") -> Html:
    """A short word in a frame; `kind` is "good", "bad" or empty."""
    return Html(f'<span class="badge {attribute(kind)}">{markup(words)}</span>')


def render(title: str, summary: Words, tiles: Sequence[Tile], sections: Sequence[Html]) -> str:
    """The whole page."""
    figures = "".join(
        f'<div class="tile"><div class="label">{markup(t.label)}</div>'
        f'<div class="value">{markup(t.value)}</div><div class="note">{markup(t.note)}</div></div>'
        for t in tiles)
    return Template(part("frame.html")).substitute(
        title=markup(title), summary=markup(summary), tiles=figures, body=join(sections),
        style="".join(map(part, STYLES)), script="".join(map(part, SCRIPTS)))


def part(name: str) -> str:
    """A file of this folder."""
    return (FOLDER / name).read_text(encoding="utf-8")


def packed(data: Any) -> str:
    """JSON for a script of the page (view.js): compressed and in base64."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode()


def script_json(data: Any) -> str:
    """JSON that cannot end the script element that contains it."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
