"""Mutants of the converter's importers and passes, each run by the Python cases that reach it.

SPDX-License-Identifier: Apache-2.0
"""

import tempfile
import time
from pathlib import Path

from mutant_list import Mutant
from mutant_tree import files_of
from python_blocks import Instrumented
from python_list import mutants_of, mutated
from python_runs import TestFile, failing_case, find_all, test_files
from sample_report import Result

FOLDERS = ("tools/mace_tools/convert/importers", "tools/mace_tools/convert/passes")


class PythonSample:
    """The code, and the test files that may notice its mutants."""

    folders = FOLDERS
    tests = ("tools", "test")  # what tools/test.sh calls the suite python

    def __init__(self, root: Path, work: Path, ring: str, tests: list[str]) -> None:
        self._root, self._work, self._ring = root, work, ring
        names = files_of(root)
        self._names = [n for n in names if n.startswith(tuple(f + "/" for f in FOLDERS))
                       and n.endswith(".py") and not n.endswith("_test.py")]
        self._tests = test_files(names, tests)
        self._files: list[TestFile] = []

    def mutants(self) -> list[Mutant]:
        return [m for name in self._names
                for m in mutants_of(name, (self._root / name).read_bytes())]

    def draw(self, ranked: dict[str, list[Mutant]], count: int) -> list[Mutant]:
        """The first `count` mutants of each folder."""
        return [m for mutants in ranked.values() for m in mutants[:count]]

    def prepare(self, deadline: float, jobs: int) -> None:
        """Finds what each case reaches."""
        self._code = Instrumented(self._root, self._names, self._work / "instrumented")
        self._files = find_all(self._root, self._tests, self._ring, self._code,
                               self._work / "reach", deadline, jobs)

    def judge(self, mutant: Mutant) -> Result:
        """Runs the test files that reach a mutant, those that take the least time first."""
        begun = time.monotonic()
        block = self._code.block_of(mutant.path, mutant.start)
        with tempfile.TemporaryDirectory() as overlay:
            target = Path(overlay) / mutant.path[mutant.path.index("mace_tools/"):]
            target.parent.mkdir(parents=True)
            target.write_bytes(mutated((self._root / mutant.path).read_bytes(), mutant))
            by = failing_case(self._root, self._files, block, self._ring, Path(overlay))
        return Result.of(by, time.monotonic() - begun)
