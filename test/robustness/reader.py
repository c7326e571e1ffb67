"""Reads mutants in a process of its own, and prints what each came to.

SPDX-License-Identifier: Apache-2.0

`python test/robustness/reader.py NAME FOLDER FIRST COUNT PROGRAM`: mutants of the format NAME,
from the seed in FOLDER/seed, one after the other in FOLDER/mutant. A line for each: its number, and
`ok`, `wrong`, `hung`, `memory` or `crashed`. One that ends this process has no line.
"""

import contextlib
import io
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools")]

from format_seeds import FORMATS, GPU, Format  # noqa: E402
from mutated_bytes import mutated  # noqa: E402

from mace_tools import cli  # noqa: E402
from mace_tools.support.exit_codes import ExitCode  # noqa: E402

SECONDS = 10  # of processor time
MEGABYTES = 512  # of resident memory, besides that of the reader itself
EXPECTED = {ExitCode.OK, ExitCode.ERROR, ExitCode.USAGE, ExitCode.BAD_MODEL,
            ExitCode.UNSUPPORTED_OPS}
_ASAN = "allocator_may_return_null=1:handle_abort=1:quarantine_size_mb=16:detect_leaks=1"
# Of a driver and the libraries that it is made of.
LEAKS = {"LSAN_OPTIONS": "print_suppressions=0:suppressions="
                         + str(Path(__file__).with_name("lsan_suppressions.txt"))}
_SANITIZERS = {"ASAN_OPTIONS": _ASAN, "UBSAN_OPTIONS": "print_stacktrace=1", **LEAKS}
_KEPT = {name: os.environ[name] for name in (*GPU, "HOME", "PATH", "LLVM_PROFILE_FILE")
         if name in os.environ}
_REPORTS = ("AddressSanitizer", "runtime error:", "LeakSanitizer", "internal error")


class HungError(BaseException):  # which no handler of errors takes
    """The time is over."""


def _hung(*_: object) -> None:
    raise HungError


def write(name: str, seed: Path, mutant: Path, number: int) -> Format:
    """Makes the mutant of this number."""
    rng = random.Random(f"{name} {number}")
    kind = FORMATS[name]
    shutil.rmtree(mutant, ignore_errors=True)
    shutil.copytree(seed, mutant)
    file, _, entry = rng.choice(kind.mutated).partition("!")
    path = mutant / file
    if entry:
        change_entry(path, entry, rng)
    else:
        path.write_bytes(mutated(path.read_bytes(), rng))
    return kind


def change_entry(path: Path, name: str, rng: random.Random) -> None:
    """In an archive, which fits to the changed entry."""
    with zipfile.ZipFile(path) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in entries.items():
            archive.writestr(entry, mutated(data, rng) if entry == name else data)


def convert(words: list[str], before: int, statuses: frozenset[int] = frozenset()) -> str:
    """What a command of converter.py, in this process, comes to."""
    printed = io.StringIO()
    signal.signal(signal.SIGVTALRM, _hung)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = cli.main(words)
    except HungError:
        return "hung"
    except (Exception, SystemExit) as e:
        return f"wrong {type(e).__name__}: {e}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    if peak() - before > MEGABYTES:
        return "memory"
    if code in EXPECTED or code in statuses:
        return "ok"
    last = [line for line in printed.getvalue().splitlines() if line.strip()][-1:]
    return f"wrong exit code {code}: {' '.join(last)[:200]}"


def run(program: str, words: list[str]) -> str:
    """What mace_run, under the sanitizers, comes to."""
    try:
        done = subprocess.run([program, *words], capture_output=True, text=True, errors="replace",
                              timeout=6 * SECONDS, check=False, env={**_KEPT, **_SANITIZERS})
    except subprocess.TimeoutExpired:
        return "hung"
    if done.returncode < 0 or any(report in done.stderr for report in _REPORTS):
        report = next((w for w in done.stderr.splitlines() if any(r in w for r in _REPORTS)), "")
        return f"crashed {done.returncode} {report[:200]}"
    if done.returncode != 0 and not done.stderr.strip():
        return "wrong: no message"
    return "ok"


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def main() -> int:
    name, place, first, count, program = sys.argv[1:]
    folder = Path(place)
    before = peak()
    for number in range(int(first), int(first) + int(count)):
        kind = write(name, folder / "seed", folder / "mutant", number)
        words = [w.replace("FOLDER", str(folder / "mutant")).replace("PROGRAM", program)
                 for w in kind.arguments]
        print(number, end=" ", flush=True)
        print(run(program, words) if kind.runs_program() else
              convert(words, before, kind.statuses), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
