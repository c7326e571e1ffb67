"""Runs the Python tests on mutants: which cases reach which of them, and which cases fail.

SPDX-License-Identifier: Apache-2.0

What a case reaches is kept by the contents of its file and of the code, so that an unchanged file
is not run again.
"""

import hashlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mutant_runs import SLOWER, SPARE_SECONDS, BrokenTest, limiter
from sample_report import Stopped

INSIDE = Path(__file__).resolve().parent / "inside"
RINGS = ("quick", "full", "deep")
OTHER_SUITES = ("tools/lint", "test/hexagon", "test/mutants")
# TensorFlow reserves far more than it uses.
_MAX_BYTES = 32 << 30
_PASSED, _NOTHING_RUN = 0, 5
_WALL_SECONDS = 60
_WALL_PER_SECOND = 10


class Code(Protocol):
    """What is mutated: the hash of its files, and the folder that replaces modules (or none)."""

    hash: str
    overlay: Path


@dataclass(frozen=True)
class Case:
    name: str
    seconds: float
    ring: str
    reached: frozenset[int]


@dataclass(frozen=True)
class TestFile:
    """The cases of a test file that pass, and what is reached for all of them.

    A number is that of a block of Python code, or of a mutant in C++.
    """

    path: str
    start_up: float
    shared: frozenset[int]
    cases: list[Case]
    failed: list[str]

    def reaching(self, number: int, ring: str) -> list[Case]:
        """The cases of a ring and of those inside it that reach a number, the cheapest first."""
        cases = [c for c in self.cases if RINGS.index(c.ring) <= RINGS.index(ring)
                 and (number in self.shared or number in c.reached)]
        return sorted(cases, key=lambda c: c.seconds)


def find_reach(root: Path, path: str, ring: str, code: Code, kept: Path) -> TestFile:
    """The cases of a test file up to a ring, from the folder `kept` if nothing has changed.

    Raises BrokenTest for a file that does not load.
    """
    settings = [p for p in (root / "conftest.py", root / path) if p.exists()]
    key = hashlib.sha256(b"".join([code.hash.encode(), *(p.read_bytes() for p in settings)]))
    known = kept / f"{path.replace('/', '.')}.json"
    found = json.loads(known.read_text()) if known.exists() else {}
    if found.get("key") != key.hexdigest() or RINGS.index(found["ring"]) < RINGS.index(ring):
        found = {"key": key.hexdigest(), "ring": ring, **_run(root, path, ring, code.overlay)}
        known.parent.mkdir(parents=True, exist_ok=True)
        partial = known.with_suffix(".partial")
        partial.write_text(json.dumps(found))
        partial.rename(known)
    cases = [Case(name, c["seconds"], c["ring"], frozenset(c["reached"]))
             for name, c in found["cases"].items()]
    return TestFile(path, found["start_up"], frozenset(found["shared"]), cases, found["failed"])


def find_all(root: Path, paths: list[str], ring: str, code: Code, kept: Path, deadline: float,
             jobs: int) -> list[TestFile]:
    """find_reach() of all files. Raises Stopped after the deadline: what was found is kept."""

    def find(path: str) -> TestFile | None:
        return find_reach(root, path, ring, code, kept) if time.monotonic() < deadline else None

    with ThreadPoolExecutor(jobs) as pool:
        files = [file for file in pool.map(find, paths) if file]
    if len(files) < len(paths):
        raise Stopped(f"of {len(paths)} test files, {len(files)} told what they reach")
    for name in (name for file in files for name in file.failed):
        print(f"mutants: left out, as it fails without a mutant: {name}", file=sys.stderr)
    return files


def _run(root: Path, path: str, ring: str, overlay: Path) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        result, reached = Path(folder) / "map.json", str(Path(folder) / "reached")
        # Processes of Python and of the engine write to the same file.
        env = environment(overlay, MACE_REACH_MAP=str(result), MACE_REACHED=reached,
                          MACE_MUTANTS_REACHED=reached)
        done = subprocess.run(pytest_command(path, ring), cwd=root, env=env, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode not in (0, 1, 5) or not result.exists():
            raise BrokenTest(f"{path} fails without a mutant:\n{done.stdout}{done.stderr}")
        return json.loads(result.read_text())


def failing_case(root: Path, files: list[TestFile], number: int, ring: str, overlay: Path,
                 **extra: str) -> str | None:
    """The case that fails, "" if none does; None if none reaches that number.

    Begins with the files whose cases take the least time. `extra` switches the mutant on, unless it
    is in the overlay.
    """
    plans = []
    for file in files:
        if cases := file.reaching(number, ring):
            plans.append((file.start_up + sum(c.seconds for c in cases), file.path, cases))
    for seconds, path, cases in sorted(plans, key=lambda plan: plan[:2]):
        with tempfile.TemporaryDirectory() as folder:
            chosen, failed = Path(folder) / "cases.json", Path(folder) / "failed"
            chosen.write_text(json.dumps([c.name for c in cases]))
            env = environment(overlay, MACE_MUTANT_CASES=str(chosen),
                              MACE_MUTANT_FAILED=str(failed), **extra)
            code = _exit_code([*pytest_command(path, ring), "-x"], root, env, seconds)
            if code not in (_PASSED, _NOTHING_RUN):
                return failed.read_text() if failed.exists() else f"{path} (exit code {code})"
    return "" if plans else None


def _exit_code(command: list[str], root: Path, env: dict[str, str], seconds: float) -> int:
    """That of a run that takes these seconds without a mutant; negative if it takes far more."""
    limit = math.ceil(SLOWER * seconds) + SPARE_SECONDS
    # A session of its own, so that what the cases started ends with them.
    run = subprocess.Popen(command, cwd=root, env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           start_new_session=True, preexec_fn=limiter(limit, _MAX_BYTES))
    try:
        return run.wait(_WALL_SECONDS + _WALL_PER_SECOND * limit)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        return run.wait()


def environment(overlay: Path, **extra: str) -> dict[str, str]:
    """The variables by which the processes of a test find the files of an overlay."""
    return {**os.environ, "PYTHONPATH": str(INSIDE), "MACE_OVERLAY": str(overlay), **extra}


def test_files(names: list[str], chosen: list[str]) -> list[str]:
    """Those below the chosen folders, of the suite python."""
    tests = [n for n in names if n.endswith("_test.py") or (
        n.rpartition("/")[2].startswith("test_") and n.endswith(".py"))]
    return [n for n in tests if any(f"{n}/".startswith(c.rstrip("/") + "/") for c in chosen)
            and not n.startswith(tuple(f + "/" for f in OTHER_SUITES))]


def pytest_command(path: str, ring: str) -> list[str]:
    """Without the options of pyproject.toml, which may ask for several processes."""
    rings = [f"--ring={ring}"] if ring != RINGS[-1] else []
    return [sys.executable, "-m", "pytest", "-p", "mutant_plugin", "-p", "no:cacheprovider",
            "-o", "addopts=", "-q", "--tb=no", *rings, path]
