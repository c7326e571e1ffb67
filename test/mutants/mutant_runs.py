"""Runs Google tests on mutants: which cases reach which mutants, and which of them fail.

SPDX-License-Identifier: Apache-2.0
"""

import math
import os
import re
import resource
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

# A mutant may loop and allocate memory. Limits are on processor time, so that other processes do
# not matter; the wall clock is only for mutants that wait.
_MAX_BYTES = 4 << 30
_WALL_SECONDS = 120
_WALL_PER_SECOND = 60
SLOWER = 4
SPARE_SECONDS = 1
# Of a case without a mutant.
_MAX_SECONDS = 600


@dataclass
class Case:
    """A test case: how many seconds it takes, and which mutants it reaches."""

    name: str
    seconds: float
    reached: frozenset[int]


@dataclass
class Program:
    """A test program; `unit` is the folder whose tests it holds."""

    path: Path
    unit: str
    directory: Path
    cases: list[Case] = field(default_factory=list)


class BrokenTest(Exception):
    """A test that fails without any mutant."""


def find_reach(program: Program) -> None:
    """Fills in the cases of a program by running each of them alone. Raises BrokenTest."""
    for name in _names(program):
        with tempfile.NamedTemporaryFile("r") as reached:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = _start(program, name, {"MACE_MUTANTS_REACHED": reached.name}, _MAX_SECONDS)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done != 0:
                raise BrokenTest(f"{program.path}: {name} fails without a mutant ({done})")
            ids = frozenset(int(line) for line in reached)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if ids:
            program.cases.append(Case(name, seconds, ids))


def caught_by(programs: list[Program], mutant: int, unit: str) -> str | None:
    """The case that fails, crashes or hangs with the mutant, "" if none; None if none reaches it.

    Begins with the tests of its folder `unit`, then those that take the least time.
    """
    plans = []
    for program in programs:
        cases = [case for case in program.cases if mutant in case.reached]
        if cases:
            seconds = sum(case.seconds for case in cases)
            plans.append((not unit.startswith(program.unit), seconds, program, cases))
    for _, seconds, program, cases in sorted(plans, key=lambda plan: plan[:2]):
        limit = math.ceil(SLOWER * seconds) + SPARE_SECONDS
        names = ":".join(case.name for case in cases)
        with tempfile.TemporaryFile("w+", errors="replace") as log:
            if _start(program, names, {"MACE_MUTANT": str(mutant)}, limit, log) != 0:
                log.seek(0)
                return f"//{program.unit}:{program.path.name} {_failed_case(log)}"
    return "" if plans else None


def _failed_case(log: TextIO) -> str:
    """The first that fails, or the one in which the output ends."""
    name = ""
    for line in log:
        if started := re.match(r"\[ RUN      \] (\S+)", line):
            name = started[1]
        elif line.startswith("[  FAILED  ]"):
            break
    return name


def _names(program: Program) -> list[str]:
    listed = subprocess.run([program.path, "--gtest_list_tests"], cwd=program.directory,
                            capture_output=True, text=True, check=True).stdout
    names, suite = [], ""
    for line in listed.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            names.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return names


def _start(program: Program, cases: str, extra: dict[str, str], limit: int,
           log: TextIO | int = subprocess.DEVNULL) -> int:
    """The exit status of these cases, -1 if they took too long."""
    # Bazel gives each run an empty folder, too.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # The cases of a long list go through the environment: an argument has a limit of its own.
        env = dict(os.environ, GTEST_FILTER=cases, GTEST_FAIL_FAST="1", TEST_TMPDIR=folder, **extra)
        try:
            return subprocess.run([program.path], cwd=program.directory, env=env, check=False,
                                  stdin=subprocess.DEVNULL, stdout=log,
                                  stderr=subprocess.DEVNULL,
                                  timeout=_WALL_SECONDS + _WALL_PER_SECOND * limit,
                                  preexec_fn=limiter(limit)).returncode
        except subprocess.TimeoutExpired:
            return -1


def limiter(seconds: int, max_bytes: int = _MAX_BYTES) -> Callable[[], None]:
    """Limits the processor time and the memory of a process, before it starts."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return limit
