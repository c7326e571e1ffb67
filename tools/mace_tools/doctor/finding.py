"""What a check finds, and the machine that it looks at.

SPDX-License-Identifier: Apache-2.0
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path


class State(Enum):
    OK = "ok"
    ABSENT = "absent"  # it is not there, and nothing has to be done about that
    MISSING = "missing"  # something can be done: the finding says what


@dataclass(frozen=True)
class Finding:
    what: str  # was looked for, in a few words
    state: State
    text: str  # what was found
    cure: str = ""  # of what is missing


@dataclass
class Machine:
    """Where checks look, so that tests can make one up."""

    root: Path = Path("/")
    mace_dsp: Path | None = None  # a built executor for the DSP's emulator
    device_yml: Path | None = None  # which boards there are
    which: Callable[[str], str | None] = shutil.which
    known: dict[str, object] = field(default_factory=dict)  # what checks leave to later ones

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def first(self, *paths: str) -> Path | None:
        """The first of the files that exists."""
        return next((self.at(p) for p in paths if self.at(p).exists()), None)


# Looks at one thing, or at all things of one kind.
Check = Callable[[Machine], Finding | list[Finding]]


def findings(checks: tuple[Check, ...], machine: Machine) -> list[Finding]:
    """Of all checks, in their order."""
    found = []
    for check in checks:
        one = check(machine)
        found += one if isinstance(one, list) else [one]
    return found
