"""How many mutants of a run were caught: a table by file, and the survivors.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from mutant_list import Mutant
from rich.console import Console
from rich.table import Table

CAUGHT, SURVIVED, UNREACHED, EQUIVALENT = "caught", "survived", "unreached", "equivalent"


def key_of(mutant: Mutant) -> str:
    """Names a mutant. The name does not change if its line moves."""
    return f"{mutant.path} | {mutant.source} | {mutant.change}"


def numbered_key(mutant: Mutant, seen: Counter[str]) -> str:
    """key_of() and the ordinal of equal keys; `seen` counts those of the mutants before it."""
    key = key_of(mutant)
    seen[key] += 1
    return f"{key} | {seen[key]}"


@dataclass
class Verdicts:
    """The results of mutants, by numbered_key(). Stored between runs."""

    path: Path
    found: dict[str, str]

    @staticmethod
    def read(path: Path) -> Verdicts:
        return Verdicts(path, json.loads(path.read_text()) if path.exists() else {})

    def write(self) -> None:
        self.path.write_text(json.dumps(self.found, indent=0, sort_keys=True) + "\n")


def read_equivalent(path: Path) -> dict[str, str]:
    """The mutants that change nothing, by key, with the reason. Raises ValueError."""
    reasons: dict[str, str] = {}
    lines = path.read_text().splitlines() if path.exists() else []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        key, mark, reason = line.rpartition(" | because ")
        if not mark or key.count(" | ") < 2:
            raise ValueError(
                f"{path}:{number}: write FILE | LINE OF CODE | CHANGE | because REASON")
        reasons[key] = reason
    return reasons


def share(counts: Counter[str]) -> float:
    """The percentage of mutants that were caught, of those that could be."""
    tried = counts[CAUGHT] + counts[SURVIVED] + counts[UNREACHED]
    return 100 * counts[CAUGHT] / tried if tried else 100.0


def print_report(tried: list[tuple[Mutant, str]], left_out: Counter[str],
                 console: Console) -> float:
    """`tried`: mutants and their results; `left_out`: how many of each file were not tried.

    Returns the least share() of a folder such as mace/plan.
    """
    by_file: dict[str, Counter[str]] = {}
    for mutant, verdict in tried:
        by_file.setdefault(mutant.path, Counter())[verdict] += 1
    names = ("mutants", CAUGHT, SURVIVED, UNREACHED, EQUIVALENT, "left out", "%")
    table = Table("file", *names, box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    folders: dict[str, Counter[str]] = {}
    by_folder: dict[str, Counter[str]] = {}
    for path, counts in sorted(by_file.items()):
        counts["left out"] = left_out[path]
        table.add_row(path, *_cells(counts))
        folders.setdefault(folder_of(path), Counter()).update(counts)
        by_folder.setdefault(path.rpartition("/")[0] + "/*", Counter()).update(counts)
    for groups in (by_folder, folders):
        table.add_section()
        for name, counts in sorted(groups.items()):
            table.add_row(name, *_cells(counts))
    table.add_row("all", *_cells(sum(folders.values(), Counter())))
    for mutant, verdict in tried:
        if verdict in (SURVIVED, UNREACHED):
            console.print(f"{verdict}: {mutant.path}:{mutant.line}: {mutant.change}",
                          markup=False, highlight=False, emoji=False, soft_wrap=True)
    console.print(table)
    return min((share(counts) for counts in folders.values()), default=100.0)


def folder_of(path: str, depth: int = 2) -> str:
    return "/".join(path.split("/")[:depth])


def _cells(counts: Counter[str]) -> list[str]:
    names = (CAUGHT, SURVIVED, UNREACHED, EQUIVALENT)
    return [str(sum(counts[n] for n in names)), *(str(counts[n]) for n in names),
            str(counts["left out"]), f"{share(counts):.1f}"]
