"""Tables of pages, which a click on a heading sorts, with bars in their cells.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union

from mace_tools.analyze.reports import Html, Words, attribute, markup, packed

FINDER_FROM = 12  # rows from which on a table has a field to find some of them
PACKED_FROM = 1000  # rows from which on they are compressed, and the page's script unpacks them


@dataclass(frozen=True)
class Column:
    title: str
    is_number: bool = False
    hint: str = ""  # what the pointer on the heading shows


@dataclass(frozen=True)
class Cell:
    """`value` is the number by which it is sorted, `bar` (0 to 1) the length of a bar below it, of
    that colour."""

    words: Words
    value: float | None = None
    bar: float | None = None
    color: str = ""


Row = Sequence[Union[str, Html, Cell]]


def render(
    caption: str, columns: Sequence[Column], rows: Sequence[Row], has_caption: bool = True
) -> Html:
    """`caption` says what the rows are; screen readers read it out first, also where a heading says
    the same and it is not shown. Columns without any words are left out."""
    used = [k for k in range(len(columns)) if not rows or any(_words(row[k]) for row in rows)]
    columns, rows = [columns[k] for k in used], [[row[k] for k in used] for row in rows]
    unseen = "" if has_caption else ' class="unseen"'
    head = "".join(_heading(column) for column in columns)
    body = "".join("<tr>" + "".join(_cell(c, column) for c, column in zip(row, columns)) + "</tr>\n"
                   for row in rows)
    rows_packed = ""
    if len(rows) >= PACKED_FROM:
        rows_packed, body = f' data-packed="{packed(body)}"', ""
    finder = ""
    if len(rows) >= FINDER_FROM:
        finder = ('<div class="finder"><input type="search" placeholder="Find rows" '
                  f'aria-label="Find rows: {attribute(caption)}"><output></output></div>\n')
    return Html(f'<div class="sortable">{finder}<div class="scroll" tabindex="0" role="region" '
                f'aria-label="{attribute(caption)}"><table>\n<caption{unseen}>{markup(caption)}</caption>\n'
                f"<thead><tr>{head}</tr></thead>\n<tbody{rows_packed}>\n{body}</tbody>\n</table></div></div>\n")


def _words(cell: str | Html | Cell) -> str:
    return cell.words if isinstance(cell, Cell) else cell


def _heading(column: Column) -> str:
    kind = ' class="num"' if column.is_number else ""
    hint = f' title="{attribute(column.hint)}"' if column.hint else ""
    return (f'<th scope="col"{kind}><button type="button"{hint}>{markup(column.title)}</button>'
            "</th>")


def _cell(given: str | Html | Cell, column: Column) -> str:
    cell = given if isinstance(given, Cell) else Cell(given)
    kinds = [*(["num"] if column.is_number else []), *(["barred"] if cell.bar is not None else [])]
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    value = f' data-v="{cell.value!r}"' if cell.value is not None else ""
    return f"<td{kind}{value}>{markup(cell.words)}{_bar(cell)}</td>"


def _bar(cell: Cell) -> str:
    if not cell.bar:
        return ""
    color = f";background:{attribute(cell.color)}" if cell.color else ""
    return (f'<div class="track" style="width:{100 * min(1.0, max(0.0, cell.bar)):.1f}%{color}">'
            "</div>")
