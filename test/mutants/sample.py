"""Draws a sample of mutants by a seed, and runs each by the tests that reach it until one fails.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import hashlib
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from cpp_sample import CppSample
from mutant_list import Mutant
from mutant_report import numbered_key, read_equivalent
from mutant_runs import BrokenTest
from python_runs import RINGS
from python_sample import PythonSample
from sample_report import BadReport, Report, Result, Stopped, compare, summary

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SEED = 38


class Sample(Protocol):
    """The code of a language, and the tests that may notice its mutants."""

    folders: Sequence[str]

    def mutants(self) -> list[Mutant]: ...

    def draw(self, ranked: dict[str, list[Mutant]], count: int) -> list[Mutant]: ...

    def prepare(self, deadline: float, jobs: int) -> None: ...

    def judge(self, mutant: Mutant) -> Result: ...


def ranked(mutants: list[Mutant], folders: Sequence[str], seed: int) -> (
        dict[str, dict[str, Mutant]]):
    """The mutants of each folder by their keys, in an order that depends on these and the seed."""
    seen: Counter[str] = Counter()
    keyed = [(numbered_key(m, seen), m) for m in mutants]
    keyed.sort(key=lambda k: hashlib.sha256(f"{seed} {k[0]}".encode()).digest())
    return {f: {key: m for key, m in keyed if m.path.startswith(f + "/")} for f in folders}


def run(sample: Sample, count: int, seed: int, report: Report, hours: float, jobs: int) -> None:
    """Adds the results that the report lacks. Raises Stopped when the time is up."""
    deadline = time.monotonic() + 3600 * hours
    equivalent = read_equivalent(HERE / "equivalent.txt")
    order = ranked(sample.mutants(), sample.folders, seed)
    names = {m: key for mutants in order.values() for key, m in mutants.items()}
    drawn = sample.draw({f: [m for key, m in mutants.items()
                             if key.rpartition(" | ")[0] not in equivalent]
                         for f, mutants in order.items()}, count // len(sample.folders))
    missing = [m for m in drawn if names[m] not in report.results]
    if not missing:
        return
    sample.prepare(deadline, jobs)

    def judge(mutant: Mutant) -> None:
        if time.monotonic() < deadline:
            report.add(names[mutant], sample.judge(mutant))

    with ThreadPoolExecutor(jobs) as pool:
        for i, _ in enumerate(pool.map(judge, missing), 1):
            print(f"mutants: {i} of {len(missing)}", file=sys.stderr)
    if len(report.results) < len(drawn):
        raise Stopped(f"{len(report.results)} of {len(drawn)} mutants were run")


def _state_of_tree() -> str:
    def git(*args: str) -> bytes:
        return subprocess.run(["git", *args], cwd=ROOT, capture_output=True, check=True).stdout

    changes = git("diff", "HEAD")
    commit = git("rev-parse", "--short=12", "HEAD").decode().strip()
    return f"{commit}+{hashlib.sha256(changes).hexdigest()[:8]}" if changes else commit


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="test/mutants/run.sh", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("sample", help="runs a sample, or goes on with a stopped run")
    language = command.add_mutually_exclusive_group(required=True)
    language.add_argument("--python", action="store_true",
                          help="the importers and passes, run by the Python tests")
    language.add_argument("--cpp", action="store_true",
                          help="mace/plan, memory, ops and cpu, run by their tests")
    command.add_argument("--sample", type=int, default=100, metavar="N",
                         help="so many in all, equally many of each folder (default: 100)")
    command.add_argument("--seed", type=int, default=SEED, help="(default: %(default)s)")
    command.add_argument("--ring", choices=RINGS, default=RINGS[-1],
                         help="only cases of this ring and of those inside it (default: deep)")
    command.add_argument("--tests", metavar="TESTS",
                         help="by commas: targets of Bazel, and folders and files of Python")
    command.add_argument("--report", type=Path, required=True, metavar="FILE")
    command.add_argument("--inner", type=Path, metavar="REPORT",
                         help="of some of the tests, on the same tree: what they caught is caught")
    command.add_argument("--hours", type=float, default=3, help="stops after them (default: 3)")
    command.add_argument("--jobs", type=int, default=1, help="mutants at a time (default: 1)")
    command = commands.add_parser("compare", help="fails if the second report catches fewer")
    command.add_argument("before", type=Path)
    command.add_argument("after", type=Path)
    args = parser.parse_args(arguments)
    if args.command == "sample" and args.sample < 4:
        parser.error(f"--sample={args.sample} has no mutant of some folder; take at least 4")
    return args


def _sample(args: argparse.Namespace) -> int:
    kind = PythonSample if args.python else CppSample
    tests = args.tests.split(",") if args.tests else list(kind.tests)
    sample = kind(ROOT, ROOT / "build/mutants", args.ring, tests)
    language = "python" if args.python else "cpp"
    report = Report.resume(args.report, f"{language} sample={args.sample} seed={args.seed}",
                           f"ring={args.ring} tests={','.join(tests)} tree={_state_of_tree()}")
    if args.inner:
        report.take_caught(Report.read(args.inner))
    try:
        run(sample, args.sample, args.seed, report, args.hours, args.jobs)
    except Stopped as e:
        print(f"mutants: stopped after {args.hours:g} hours: {e}; the same command goes on",
              file=sys.stderr)
        return 1
    print(summary(report))
    return 0


def main(arguments: list[str]) -> int:
    args = _arguments(arguments)
    try:
        if args.command == "sample":
            return _sample(args)
        text, enough = compare(Report.read(args.before), Report.read(args.after))
    except (BadReport, BrokenTest) as e:
        print(f"mutants: {e}", file=sys.stderr)
        return 1
    print(text)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
