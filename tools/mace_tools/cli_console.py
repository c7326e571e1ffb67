"""Output: data to stdout, logs to stderr, and progress bars only on a terminal.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console as RichConsole
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TransferSpeedColumn,
)
from rich.text import Text


class Console:
    """Colours are used on a terminal only, and never when NO_COLOR is set."""

    def __init__(self) -> None:
        self._err = RichConsole(stderr=True, soft_wrap=True)
        self._out = RichConsole(soft_wrap=True)

    def data(self, text: str, style: str = "") -> None:
        """Writes a line of the result to stdout, unchanged."""
        if style and self._out.is_terminal:
            self._out.print(Text(text, style=style))
        else:
            print(text, flush=True)

    def info(self, text: str) -> None:
        self._log("INFO", text, "green")

    def warn(self, text: str) -> None:
        self._log("WARNING", text, "yellow")

    def error(self, text: str) -> None:
        self._log("ERROR", text, "bold red")

    def passed(self, text: str) -> None:
        """Writes what another program wrote to its stderr to ours, unchanged."""
        print(text, file=sys.stderr, flush=True)

    def banner(self, title: str) -> None:
        """Writes a heading in a box of stars to the log."""
        self._err.print(Text(boxed(title), style="bold"))

    @contextmanager
    def steps(self, title: str, total: int) -> Iterator[Callable[[str], None]]:
        """Yields `next(what)`, which must be called when each of `total` steps begins."""
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(),
                   MofNCompleteColumn(), TimeElapsedColumn())
        with self._bar(title, total, *columns) as (bar, task):
            begun = False

            def begin(what: str) -> None:
                nonlocal begun
                bar.update(task, description=f"{title}: {what}", advance=1 if begun else 0)
                begun = True

            yield begin if bar else (lambda _: None)

    @contextmanager
    def transfer(self, title: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """Yields `advance(num_bytes)`."""
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(),
                   TransferSpeedColumn())
        with self._bar(title, total, *columns) as (bar, task):
            yield (lambda n: bar.advance(task, n)) if bar else (lambda _: None)

    @contextmanager
    def _bar(self, title: str, total: int | None, *columns: ProgressColumn) -> Iterator[Any]:
        """A progress bar with one task; nothing if stderr is not a terminal."""
        if not self.watched:
            yield None, None
            return
        with Progress(*columns, console=self._err, transient=True) as bar:
            yield bar, bar.add_task(title, total=total)

    @property
    def watched(self) -> bool:
        """Whether stderr is a terminal."""
        return sys.stderr.isatty()

    def _log(self, level: str, text: str, style: str) -> None:
        self._err.print(Text.assemble((f"{level}: ", style), text))


class KeptConsole(Console):
    """Keeps what is written, until `show`: for work that goes on beside other work."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[Callable[[Console], None]] = []

    def data(self, text: str, style: str = "") -> None:
        self._kept.append(lambda console: console.data(text, style))

    def info(self, text: str) -> None:
        self._kept.append(lambda console: console.info(text))

    def warn(self, text: str) -> None:
        self._kept.append(lambda console: console.warn(text))

    def error(self, text: str) -> None:
        self._kept.append(lambda console: console.error(text))

    def passed(self, text: str) -> None:
        self._kept.append(lambda console: console.passed(text))

    def banner(self, title: str) -> None:
        self._kept.append(lambda console: console.banner(title))

    @property
    def watched(self) -> bool:
        return False

    def show(self, console: Console) -> None:
        """Writes all to another console, in the order in which it came."""
        for write in self._kept:
            write(console)
        self._kept.clear()


def boxed(title: str) -> str:
    """
    >>> print(boxed("Run"))
    *******
    * Run *
    *******
    """
    stars = "*" * (len(title) + 4)
    return f"{stars}\n* {title} *\n{stars}"
