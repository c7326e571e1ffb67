"""A clone with two small slices whose step is a program of the test's, for tests of deep runs.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from rings import check, deep, main, results
from rings.runner import Runner
from rings.steps import Script, Slice

LOW = Slice("asan", "low", (Script(("run.sh", "low")),), ("mace/base/", "BUILD", "!*.md"))
OPS = Slice("asan", "ops", (Script(("run.sh", "ops")),), ("mace/", "BUILD", "!*.md"))
PARTS = (LOW, OPS)
RUN = """#!/bin/bash
echo "$1" >>ran.log
[[ ! -f $1.sh ]] || . "./$1.sh"
"""


@dataclass
class Clone:
    """A repository; `ran.log` says which slices ran."""

    root: Path

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@b", *arguments], cwd=self.root,
            check=True, capture_output=True, text=True).stdout.strip()

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def runner(self) -> Runner:
        return Runner(self.root, self.root / "cache", self.root / "data")

    def test_sh(self, *arguments: str) -> int:
        return main.main(list(arguments))

    def ran(self) -> list[str]:
        log = self.root / "ran.log"
        names = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return names

    def states(self) -> list[str]:
        return [str(each.state) for each in deep.standings(self.root, PARTS)]

    def lines(self) -> dict[str, results.Line]:
        return results.read(self.root)


def make_clone(root: Path, patch: pytest.MonkeyPatch) -> Clone:
    for module in (deep, check, main):
        patch.setattr(module, "standings", lambda at, parts=PARTS: _standings(at, parts))
    for module in (deep, main):
        patch.setattr(module, "SLICES", PARTS)
    patch.setattr(Runner, "set_up", _set_up)
    clone = Clone(root)
    patch.setattr(Runner, "of_environment", clone.runner)
    clone.git("init", "-q", "-b", "main")
    clone.write("mace/base/a.cc", "int a;\n")
    clone.write("mace/base/page.md", "a\n")
    clone.write("mace/ops/b.cc", "int b;\n")
    clone.write("BUILD", "cc_test\n")
    clone.write(".gitignore", "/build/\n/cache/\n/ran.log\n/low.sh\n/ops.sh\n__pycache__/\n")
    clone.write("run.sh", RUN)
    (root / "run.sh").chmod(0o755)
    clone.commit()
    return clone


_standings = deep.standings


def _set_up(runner: Runner) -> float:
    for folder in (runner.results, runner.cache):
        folder.mkdir(parents=True, exist_ok=True)
    return 0
