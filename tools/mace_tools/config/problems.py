"""Everything that is wrong with a deployment file, as one error.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from mace_tools.support.errors import MaceError


@dataclass(frozen=True)
class Problem:
    """One finding; `key` is its path such as models.mobilenet.runtime."""

    line: int | None
    key: str
    message: str
    example: str = ""

    def text(self, path: Path) -> str:
        place = f"{path}:{self.line}: " if self.line else f"{path}: "
        key = f"{self.key}: " if self.key else ""
        example = f"\n    example: {self.example}" if self.example else ""
        return f"{place}{key}{self.message}{example}"


class ConfigError(MaceError):
    """A deployment file with problems, all of them at once, in the order of the file."""

    def __init__(self, path: Path, problems: Sequence[Problem]) -> None:
        self.path = path
        self.problems = sorted(dict.fromkeys(problems), key=lambda p: p.line or 0)
        lines = [p.text(path) for p in self.problems]
        if len(lines) > 1:
            lines.insert(0, f"{path} has {len(lines)} problems; nothing was done")
        super().__init__("\n".join(lines))


class WrongChoice(ValueError):
    """A value that is not among the allowed words. `nearest` is the one that may be meant, or
    empty."""

    def __init__(self, message: str, nearest: str) -> None:
        super().__init__(message)
        self.nearest = nearest


def nearest(word: str, words: Sequence[str]) -> str:
    """The word that may be meant, or nothing if none is similar."""
    near = get_close_matches(word.lower(), [w.lower() for w in words], 1, 0.6)
    return next((w for w in words if near and w.lower() == near[0]), "")


def did_you_mean(word: str, words: Sequence[str]) -> str:
    """`; did you mean 'x'?`, or nothing if no word is similar."""
    match = nearest(word, words)
    return f"; did you mean '{match}'?" if match else ""
