"""How many lines the project may have: budgets that fall with the code and rise with a reason.

SPDX-License-Identifier: Apache-2.0

A line counts if it is neither blank nor a comment; tests, benchmarks, `testing/` and `test/` do
not count.
"""

import re
import subprocess
from pathlib import Path

from lint.tree import files, is_test

BUDGETS = Path("tools/lint/budgets.txt")
# Numbers are rounded up to this, and fall when as many lines are gone.
STEP = 100
# Commits after this one that raise a number give a reason; history is not rewritten.
SINCE = "4d1980d9"
_COMMENT = {".py": "#", ".cc": "//", ".h": "//", ".c": "//"}


def counted(root: Path) -> dict[str, int]:
    """Lines by the names in budgets.txt."""
    lines = dict.fromkeys(("C++", "Python", "mace/cpu"), 0)
    for path in files(root, *_COMMENT):
        if is_test(path) or path.parts[0] == "test" or path.name == "conftest.py":
            continue
        stripped = (line.strip() for line in (root / path).read_text().splitlines())
        count = sum(bool(line) and not line.startswith(_COMMENT[path.suffix]) for line in stripped)
        lines["Python" if path.suffix == ".py" else "C++"] += count
        if path.is_relative_to("mace/cpu"):
            lines["mace/cpu"] += count
    return lines


def parsed(text: str) -> dict[str, int]:
    rows = re.findall(r"^([^#\s]\S*) (\d+)$", text, re.MULTILINE)
    return {name: int(number) for name, number in rows}


def problems(budgets: dict[str, int], lines: dict[str, int]) -> list[str]:
    """What is over its budget, and which budget has not followed its lines down."""
    found = [f"{name} is in only one of {BUDGETS} and tools/lint/budgets.py: name it in both"
             for name in budgets.keys() ^ lines.keys()]
    for name in budgets.keys() & lines.keys():
        least = -(-lines[name] // STEP) * STEP
        if lines[name] > budgets[name]:
            found.append(f"{name} has {lines[name]} lines, {budgets[name]} are its budget: remove "
                         f"what the change made needless, or raise it in {BUDGETS} to {least}, "
                         "with the reason in the commit's message (Budget: ...)")
        elif budgets[name] - least > STEP:
            found.append(f"{name} has {lines[name]} lines: write {least} in {BUDGETS}")
    return sorted(found)


def raised_without_reason(root: Path) -> list[str] | None:
    """Commits that raise a number and give no reason; None if the history is not there."""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True,
                                  check=False)
        except FileNotFoundError:
            return None
        return done.stdout if done.returncode == 0 else None

    commits = git("log", "--no-merges", "--format=%h", f"{SINCE}..HEAD", "--", str(BUDGETS))
    if commits is None:
        return None
    found = []
    for commit in commits.split():
        before = parsed(git("show", f"{commit}^:{BUDGETS}") or "")
        after = parsed(git("show", f"{commit}:{BUDGETS}") or "")
        raised = [name for name, number in after.items() if number > before.get(name, number)]
        message = git("show", "-s", "--format=%b", commit) or ""
        if raised and not re.search(r"^Budget: \S", message, re.MULTILINE):
            found.append(f"{commit} raises {', '.join(raised)} without a line 'Budget: why'")
    return found
