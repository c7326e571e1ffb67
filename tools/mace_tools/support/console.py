"""Output: data to stdout, logs to stderr, and progress bars only on a terminal.

SPDX-License-Identifier: Apache-2.0
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from mace_tools.support.errors import escaped, printable

# What terminals take for a style.
STYLES = {"red": "31", "green": "32", "yellow": "33", "bold": "1", "bold red": "1;31"}


class Console:
    """Colours are used on a terminal only, and never when NO_COLOR is set."""

    def data(self, text: str, style: str = "") -> None:
        """Writes a line of the result to stdout, with what controls a terminal escaped."""
        print(_styled(escaped(text), style, sys.stdout), flush=True)

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
        self.passed(_styled(boxed(title), "bold", sys.stderr))

    @contextmanager
    def steps(self, title: str, total: int) -> Iterator[Callable[[str], None]]:
        """Yields `next(what)`, which must be called when each of `total` steps begins."""
        def columns(p: Any) -> list[Any]:
            return [p.SpinnerColumn(), p.TextColumn("{task.description}"), p.BarColumn(),
                    p.MofNCompleteColumn(), p.TimeElapsedColumn()]

        with self._bar(title, total, columns) as (bar, task):
            begun = False

            def begin(what: str) -> None:
                nonlocal begun
                bar.update(task, description=f"{title}: {what}", advance=1 if begun else 0)
                begun = True

            yield begin if bar else (lambda _: None)

    @contextmanager
    def transfer(self, title: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """Yields `advance(num_bytes)`."""
        def columns(p: Any) -> list[Any]:
            return [p.TextColumn("{task.description}"), p.BarColumn(), p.DownloadColumn(),
                    p.TransferSpeedColumn()]

        with self._bar(title, total, columns) as (bar, task):
            yield (lambda n: bar.advance(task, n)) if bar else (lambda _: None)

    @contextmanager
    def _bar(
        self, title: str, total: int | None, columns: Callable[[Any], list[Any]]
    ) -> Iterator[Any]:
        """A progress bar with one task; nothing if stderr is not a terminal. `columns` makes its
        columns of the module rich.progress."""
        if not self.watched:
            yield None, None
            return
        from rich import console, progress  # takes longer than most commands without a bar

        err = console.Console(stderr=True, soft_wrap=True)
        with progress.Progress(*columns(progress), console=err, transient=True) as bar:
            yield bar, bar.add_task(title, total=total)

    @property
    def watched(self) -> bool:
        """Whether stderr is a terminal."""
        return sys.stderr.isatty()

    def _log(self, level: str, text: str, style: str) -> None:
        self.passed(f"{_styled(f'{level}: ', style, sys.stderr)}{printable(text)}")


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


def _styled(text: str, style: str, stream: TextIO) -> str:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if not style or plain or not stream.isatty():
        return text
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m"
