"""The file of results of the deep slices: a line each, written by the run itself.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rings.errors import RingsError

FILE = "test/deep_results.txt"
HEAD = """\
# The last result of each slice of the deep suites; `tools/test.sh deep` writes it, nobody else.
# SPDX-License-Identifier: Apache-2.0
# `tools/test.sh status` compares it with the tree. A + after a commit: with changes to the slice's
# inputs that were not committed. `of_cpu` are skipped cases that need another CPU.
# suite slice inputs commit passed failed skipped of_cpu seconds
"""
_LINE = re.compile(r"([a-z]\w*) ([a-z]\w*) ([0-9a-f]{8}-[0-9a-f]{16}) ([0-9a-f]{12}\+?)"
                   r" (\d+) (\d+) (\d+) (\d+) (\d+)")


@dataclass(frozen=True)
class Line:
    suite: str
    slice: str
    inputs: str  # rings.inputs.slice_hash
    commit: str  # a + behind it: the inputs were not those of the commit
    passed: int
    failed: int
    skipped: int
    of_cpu: int  # skipped cases that another CPU runs
    seconds: int

    @property
    def label(self) -> str:
        return f"{self.suite}/{self.slice}"

    def counts(self) -> tuple[int, int, int]:
        """What every CPU finds: passed, failed, skipped."""
        return self.passed + self.of_cpu, self.failed, self.skipped - self.of_cpu

    def text(self) -> str:
        return (f"{self.suite} {self.slice} {self.inputs} {self.commit} {self.passed} "
                f"{self.failed} {self.skipped} {self.of_cpu} {self.seconds}")


def parse(text: str) -> dict[str, Line]:
    """Label of a slice -> its line."""
    lines: dict[str, Line] = {}
    for number, row in enumerate(text.splitlines(), 1):
        if not row or row.startswith("# "):
            continue
        place = f"{FILE}:{number}: "
        if row.startswith(("<<<<<<<", "|||||||", "=======", ">>>>>>>")):
            raise RingsError(f"{place}a merge conflict was not resolved",
                             f"git checkout --theirs {FILE} (or --ours), then "
                             "tools/test.sh deep --resume runs what its lines do not cover")
        match = _LINE.fullmatch(row)
        if not match:
            raise RingsError(f"{place}this is no result of a slice: {row[:60]!r}",
                             "delete the line; tools/test.sh deep --resume writes it again")
        line = Line(*match.groups()[:4], *map(int, match.groups()[4:]))
        if line.of_cpu > line.skipped:
            raise RingsError(f"{place}of {line.skipped} skipped cases {line.of_cpu} need another "
                             "CPU", "delete the line; tools/test.sh deep --resume writes it again")
        if line.label in lines:
            raise RingsError(f"{place}{line.label} has a line before this one",
                             "delete both; tools/test.sh deep --resume writes one")
        lines[line.label] = line
    return lines


def read(root: Path) -> dict[str, Line]:
    try:
        return parse((root / FILE).read_text())
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError:
        raise RingsError(f"{FILE} is no text", f"git checkout {FILE}") from None


def write(root: Path, lines: Iterable[Line], order: list[str]) -> None:
    """Replaces the file at once. Lines of slices that are not in `order` are dropped."""
    known = {line.label: line for line in lines}
    text = HEAD + "".join(f"{known[label].text()}\n" for label in order if label in known)
    path = root / FILE
    path.parent.mkdir(exist_ok=True)
    part = path.with_suffix(".part")
    try:
        part.write_text(text)
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise RingsError(f"cannot write {FILE}: {error.strerror}",
                         "free space or permit writing; the slice's result is lost") from None
