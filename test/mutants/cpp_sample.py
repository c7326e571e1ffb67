"""Mutants of planning, memory, ops and CPU kernels, each run by the tests that reach it.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import os
import re
import sys
import time
from itertools import islice
from pathlib import Path

from mutant_list import Mutant, mutants_of
from mutant_runs import BrokenTest, Program, caught_by, find_reach
from mutant_schemata import KnownFailures, MutatedFile
from mutant_tree import build, copy_tree, files_of, keep_mace_run
from python_runs import RINGS, TestFile, failing_case, find_all, test_files
from sample_report import Result, Stopped

FOLDERS = ("mace/plan", "mace/memory", "mace/ops", "mace/cpu")
# The micro-kernels are compared with each other, and tuning measures times.
_CPU = re.compile(r"mace/cpu/(?!chains|recurrent|reference|self_test|simd|tuning|ukernels)\w+/")
# An index beyond a vector ends the run. Other files are compiled as tools/test.sh host does.
_FLAGS = "-w,-Wno-narrowing,-D_GLIBCXX_ASSERTIONS"


class CppSample:
    """The code, and the test programs and Python tests that may notice its mutants.

    Headers are not mutated: one changed header compiles most of the engine again.
    """

    folders = FOLDERS
    # What tools/test.sh calls the suites host and python.
    tests = ("//mace/...", "//tools/...", "//test/...", "tools", "test")

    def __init__(self, root: Path, work: Path, ring: str, tests: list[str]) -> None:
        self._root, self._ring = root, ring
        self._targets = [t for t in tests if t.startswith("//")]
        # Outside the checkout, whose packages Bazel would find there once more.
        cache = Path(os.environ.get("MACE_CACHE") or Path.home() / ".cache/mace")
        self._work = cache / "mutants" / hashlib.sha256(str(work).encode()).hexdigest()[:12]
        self._tree = self._work / "tree"
        self.overlay = self._work / "no_modules"  # the Python code stays as it is
        names = files_of(root)
        self._names = [n for n in names if _is_mutated(n)]
        self._scripts = test_files(names, [t for t in tests if not t.startswith("//")])
        self._test_files: list[TestFile] = []
        self._files: list[MutatedFile] = []
        self._ids: dict[Mutant, int] = {}
        self._programs: list[Program] = []

    def mutants(self) -> list[Mutant]:
        return [m for name in self._names
                for m in mutants_of(name, (self._root / name).read_bytes()) if not m.left_out]

    def draw(self, ranked: dict[str, list[Mutant]], count: int) -> list[Mutant]:
        """The first `count` mutants of each folder that compile."""
        copy_tree(self._root, self._tree, set())
        failures = KnownFailures(self._tree, self._work / "left_out.json")
        drawn: list[Mutant] = []
        for mutants in ranked.values():
            left, compiled = iter(mutants), []
            while batch := list(islice(left, count - len(compiled))):
                for file in self._mutated(batch):
                    failures.leave_out(file)
                    compiled += [m for m in file.mutants if not m.left_out]
            drawn += compiled
        self._files = self._mutated(drawn)
        self._ids = {m: file.first_id + i for file in self._files
                     for i, m in enumerate(file.mutants)}
        return drawn

    def prepare(self, deadline: float, jobs: int) -> None:
        """Builds all that is tested with the mutants of the sample, and finds what reaches them."""
        for file in self._files:
            (self._tree / file.path).write_bytes(file.text())
        flags = [f"--per_file_copt={re.escape(file.path)}@{_FLAGS}" for file in self._files]
        tests = " union ".join(f"tests({t})" for t in self._targets)
        outer = "|".join(["gpu", *RINGS[RINGS.index(self._ring) + 1:]])
        query = f"kind(cc_test, {tests}) except attr(tags, '\\b({outer})\\b', {tests})"
        for program in build(self._tree, query, jobs, flags) if self._targets else []:
            if time.monotonic() > deadline:
                raise Stopped("the tests are built; what each case reaches is not known yet")
            try:
                find_reach(program)
            except BrokenTest as e:
                print(f"mutants: left out: {e}", file=sys.stderr)
                continue
            self._programs.append(program)
        if self._scripts:
            program = keep_mace_run(self._tree, jobs, flags)
            self.hash = hashlib.sha256(program.read_bytes()).hexdigest()
            self._test_files = find_all(self._tree, self._scripts, self._ring, self,
                                        self._work / "reach", deadline, jobs)

    def judge(self, mutant: Mutant) -> Result:
        """Runs what reaches a mutant, C++ before Python, and what takes the least time first."""
        begun = time.monotonic()
        number = self._ids[mutant]
        by = caught_by(self._programs, number, str(Path(mutant.path).parent))
        if not by:
            other = failing_case(self._tree, self._test_files, number, self._ring, self.overlay,
                                 MACE_MUTANT=str(number))
            by = by if other is None else other
        return Result.of(by, time.monotonic() - begun)

    def _mutated(self, mutants: list[Mutant]) -> list[MutatedFile]:
        """Their files, each with its mutants in the order of their places."""
        files, next_id = [], 0
        for path in sorted({m.path for m in mutants}):
            own = sorted((m for m in mutants if m.path == path),
                         key=lambda m: (m.start, -m.end, m.change))
            files.append(MutatedFile(path, (self._root / path).read_bytes(), own, next_id))
            next_id += len(own)
        return files


def _is_mutated(name: str) -> bool:
    path = Path(name)
    return path.suffix == ".cc" and not path.stem.endswith(("_test", "_bench")) and (
        "testing" not in path.parts) and name.startswith(tuple(f + "/" for f in FOLDERS)) and (
        not name.startswith("mace/cpu/") or _CPU.match(name) is not None)
