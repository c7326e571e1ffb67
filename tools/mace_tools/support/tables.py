"""Tables for people, no wider than the terminal unless --wide is given.

SPDX-License-Identifier: Apache-2.0
"""

import shutil
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# For stdout that is not a terminal, so that logs are the same everywhere; as in mace_run.
NO_TERMINAL = 120


def output_width(wide: bool = False) -> int:
    """$COLUMNS, or the columns of the terminal; 0, which means no limit, with `wide`."""
    return 0 if wide else shutil.get_terminal_size((NO_TERMINAL, 24)).columns


@dataclass(frozen=True)
class Column:
    """`rank`: left out if the table is too wide, the highest first (0: never). `least`: cells
    may be shortened to this many characters (0: never)."""

    title: str
    rank: int = 0
    least: int = 0
    right: bool = False


class Fitter:
    """Makes tables fit `width` columns (0: no limit), and records what had to be left out."""

    def __init__(self, width: int, margin: int = 0) -> None:
        """`margin`: columns that the caller puts before each line."""
        self.width, self._margin = width, margin
        self._left_out: dict[str, None] = {}
        self._shortened = False

    def lines(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
        """The header and a line for each row; two spaces between columns."""
        table = [[c.title for c in columns], *(list(map(printable, row)) for row in rows)]
        columns = list(columns)
        widths = [max(len(row[k]) for row in table) for k in range(len(columns))]
        if self.width:
            while any(c.rank for c in columns):
                empty = [not any(row[k] for row in table[1:]) for k in range(len(columns))]
                last = max((k for k, c in enumerate(columns) if c.rank),
                           key=lambda k: (empty[k], columns[k].rank))
                # Empty columns are left out before anything is shortened.
                needed = widths if empty[last] else map(self._least, columns, widths)
                if self._sum(needed) <= self.width:
                    break
                if not empty[last]:
                    self._left_out[columns[last].title] = None
                for cells in (columns, widths, *table):
                    del cells[last]
            self._shrink(columns, widths)
        return [self._line(columns, widths, row) for row in table]

    def note(self) -> list[str]:
        """What is missing, and how to see it; no line if nothing is missing."""
        what = ["cells were shortened"] if self._shortened else []
        if self._left_out:
            what.append("left out: " + ", ".join(self._left_out))
        if not what:
            return []
        return textwrap.wrap(f"(to fit {self.width} columns, {' and '.join(what)}; --wide shows "
                             "everything, --json=FILE has it for programs)", self.width,
                             break_long_words=False, break_on_hyphens=False)

    def _shrink(self, columns: Sequence[Column], widths: list[int]) -> None:
        """Shortens the widest columns until all fit."""
        least = list(map(self._least, columns, widths))
        while self._sum(widths) > self.width:
            giving = [k for k, width in enumerate(widths) if width > least[k]]
            if not giving:
                return
            widths[max(giving, key=lambda k: widths[k])] -= 1

    @staticmethod
    def _least(column: Column, width: int) -> int:
        return min(width, max(column.least, len(column.title))) if column.least else width

    def _sum(self, widths: Iterable[int]) -> int:
        return self._margin + sum(width + 2 for width in widths) - 2

    def _line(self, columns: Sequence[Column], widths: Sequence[int], row: Sequence[str]) -> str:
        cells = []
        for column, width, cell in zip(columns, widths, row):
            fitted = shortened(cell, width)
            self._shortened |= fitted != cell
            cells.append(fitted.rjust(width) if column.right else fitted.ljust(width))
        return "  ".join(cells).rstrip()


def printable(text: str) -> str:
    """Replaces characters that XML and terminals cannot show; names may contain any.

    >>> printable("a\\x00b\\ttab")
    'a�b tab'
    """
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)


def shortened(text: str, most: int) -> str:
    """Removes a part after two thirds: the ends of names and messages are most informative.

    >>> shortened("abcdefg", 5), shortened("abc", 5), shortened("abc", 1), shortened("abc", 0)
    ('abc…g', 'abc', '…', '')
    """
    if len(text) <= most:
        return text
    if most < 1:
        return ""
    tail = (most - 1) // 3
    return text[:most - 1 - tail] + "…" + text[len(text) - tail:]


def folded(op: str, name: str, path: str = "") -> str:
    """The name of a step without `path`. A step of several nodes is named by the last one, which
    names its output, and their number. Such steps are recognized by their op.

    >>> folded("DepthwiseConv2d+Conv2d", "x/a + x/b + x/c", "x/"), folded("Conv2d", "a + b")
    ('[3] c', 'a + b')
    """
    nodes = name.split(" + ") if "+" in op else [name]
    last = nodes[-1].removeprefix(path)
    return last if len(nodes) == 1 else f"[{len(nodes)}] {last}"


def common_path(names: Sequence[str]) -> str:
    """The longest path below which more than half of the names are.

    >>> common_path(["a/b/c", "a/b/d", "a/e", "f"])
    'a/'
    """
    path = ""
    while True:
        parts = Counter(name[len(path):].split("/")[0] for name in names
                        if name.startswith(path) and "/" in name[len(path):])
        part, count = parts.most_common(1)[0] if parts else ("", 0)
        if 2 * count <= len(names):
            return path
        path += part + "/"
