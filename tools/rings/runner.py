"""Runs the steps of a suite, and counts their cases.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rings import temporary
from rings.errors import Exit, RingsError
from rings.report import Report, add_bazel_events, add_junit
from rings.steps import Bazel, Pytest, Script, Step

ROOT = Path(__file__).resolve().parents[2]
QUIET = ("--show_result=0", "--noshow_progress")
NO_COMPILER_OUTPUT = "--ui_event_filters=-info"
PARALLEL = ("-n", "auto")  # pytest-xdist: a process for each core
WARNING = re.compile(r"^\S+:\d+:\d+: warning: ")  # of GCC and Clang
# The exit statuses where no case of the ring is left of what was named.
PYTEST_HAS_NO_CASES = 5
BAZEL_HAS_NO_TESTS = 4
SECONDS_TO_END = 20  # what an interrupted step may take until it is killed
FULL_DISK = 64 << 20  # with fewer bytes free a failure says nothing of the code


class Interrupted(BaseException):
    """The user, or who runs us, wants an end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = number


@dataclass(frozen=True)
class Runner:
    root: Path
    cache: Path
    data: Path
    anew: bool = False  # whether Bazel's tests run even if it has their results
    strict: bool = False  # whether warnings of compilers are failures

    @classmethod
    def of_environment(cls) -> Runner:
        cache = Path(os.environ.get("MACE_CACHE") or Path.home() / ".cache" / "mace")
        data = (ROOT / (os.environ.get("MACE_TEST_DATA") or "../shared")).resolve()
        return cls(ROOT, cache, data)

    @property
    def results(self) -> Path:
        return self.root / "build" / "test"

    def set_up(self) -> float:
        """Installs what tests need; returns the seconds that this took."""
        start = time.monotonic()
        # In our own session: sudo may ask for a password.
        if subprocess.call([self.root / "tools" / "setup.sh", "--for", "test"]):
            raise RingsError("the set-up failed, and without it no test runs",
                             "see the lines above; tools/setup.sh --for test repeats it")
        if not self.data.is_dir():
            say(f"no folder {self.data} (MACE_TEST_DATA): the tests that read it are skipped")
        shutil.rmtree(self.results, ignore_errors=True)
        self.results.mkdir(parents=True)
        (self.cache / "pocl").mkdir(parents=True, exist_ok=True)
        return time.monotonic() - start

    def run(self, name: str, steps: tuple[Step, ...],
            may_be_empty: bool = False) -> tuple[Report, float]:
        """What became of the cases of all steps, and the seconds that they took. No case at all is
        a failure, unless it `may_be_empty`."""
        report = Report()
        start = time.monotonic()
        bad = 0
        for number, step in enumerate(steps):
            out = self.results / f"{name.replace('/', '.')}.{number}"
            if isinstance(step, Bazel):
                bad = self._bazel(step, out, report) or bad
            elif isinstance(step, Pytest):
                bad = self._pytest(step, out, report) or bad
            else:
                bad = self._script(step, out, report) or bad
        if not report.failed and (bad or not (report.total or may_be_empty)):
            report.failed.append(f"ended with status {bad} after {report.total} cases")
        if report.failed:
            self._check_disk()
        return report, time.monotonic() - start

    def _bazel(self, step: Bazel, out: Path, report: Report) -> int:
        events = out.with_name(f"{out.name}.events.json")
        if step.driver and not Path(step.driver).exists():
            report.add_skip(step.driver, f"this distribution: it has no {step.driver}")
            return 0
        tags = [f"--test_tag_filters={step.tags}"] if step.tags else []
        anew = ["--nocache_test_results"] if self.anew else []
        status = self._compile([
            "bazel", "test", f"--disk_cache={self.cache / 'bazel'}", "--keep_going",
            "--build_tests_only", "--test_summary=none", *QUIET,
            f"--test_env=MACE_TEST_DATA={self.data}", f"--build_event_json_file={events}", *tags,
            *anew, *map(self._filled, step.flags), "--", *step.targets], out, report)
        if events.exists():
            add_bazel_events(report, events)
        return 0 if status == BAZEL_HAS_NO_TESTS else status

    def _compile(self, command: list[str | Path], out: Path, report: Report) -> int:
        """Runs Bazel. Where warnings are failures, its output goes to a file first: Bazel repeats
        what a compiler printed where the result is from its cache."""
        if not self.strict:
            return self._run([*command[:2], NO_COMPILER_OUTPUT, *command[2:]])
        log = out.with_name(f"{out.name}.bazel.log")
        with log.open("w") as output:
            status = self._run(command, output=output)
        lines = log.read_text(errors="replace").splitlines()
        report.failed += sorted({line for line in lines if WARNING.search(line)})
        if status:
            sys.stderr.write("".join(f"{line}\n" for line in lines if not line.startswith("INFO:")))
        return status

    def _pytest(self, step: Pytest, out: Path, report: Report) -> int:
        if step.build:
            status = self._compile(["bazel", "build", f"--disk_cache={self.cache / 'bazel'}",
                                    *QUIET, *step.build], out, report)
            if status:
                report.failed.append(f"{' '.join(step.build)} does not build")
                return status
        junit = out.with_name(f"{out.name}.xml")
        given = dict(word.split("=", 1) for word in step.environment)
        with temporary.files() as place:
            status = self._run(
                [self.cache / "venv" / "bin" / "python", "-m", "pytest", "-q", *PARALLEL,
                 f"--ring={step.ring}", f"--junitxml={junit}", *step.arguments],
                environment={"MACE_TEST_DATA": str(self.data), **place, **given})
        if junit.exists():
            add_junit(report, junit)
        return 0 if status == PYTEST_HAS_NO_CASES else status

    def _script(self, step: Script, out: Path, report: Report) -> int:
        log = out.with_name(f"{out.name}.log")
        with log.open("w") as output:
            status = self._run([self.root / step.command[0], *step.command[1:]],
                               environment={"MACE_TEST_DATA": str(self.data)}, output=output)
        if status:
            report.failed.append(f"{' '.join(step.command)} ended with status {status}")
            report.logs.append(log)
        else:
            report.passed += 1
        return status

    def _filled(self, flag: str) -> str:
        return flag.replace("{cache}", str(self.cache)).replace("{data}", str(self.data))

    def _run(self, command: list[str | Path], environment: dict[str, str] | None = None,
             output: TextIO | None = None) -> int:
        """Runs a command in a group of processes that ends when we are interrupted."""
        process: subprocess.Popen[bytes] | None = None
        try:
            with _interrupted_later():
                process = subprocess.Popen(
                    command, cwd=self.root, env={**os.environ, **(environment or {})},
                    stdout=output, stderr=subprocess.STDOUT if output else None,
                    start_new_session=True)
            return process.wait()
        except FileNotFoundError:
            raise RingsError(f"'{command[0]}' is not there",
                             "tools/setup.sh --for test installs what tests need") from None
        except Interrupted:
            if process:
                _end(process)
            raise

    def _check_disk(self) -> None:
        for folder in (self.root, self.cache):
            if shutil.disk_usage(folder).free < FULL_DISK:
                raise RingsError(f"the disk of {folder} is full, so that what failed says nothing",
                                 "free space, such as the caches in ~/.cache/bazel; then run this "
                                 "again")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Lets the step's processes end as by Ctrl-C, and kills what is left."""
    for number in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(SECONDS_TO_END)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


@contextmanager
def alone(root: Path) -> Iterator[None]:
    """Refuses to run beside another run in this checkout, whose results it would delete."""
    path = root / "build" / "test.lock"
    path.parent.mkdir(exist_ok=True)
    with path.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise RingsError(f"tests already run in this checkout (process {lock.read().strip()})",
                             "wait for their end, or use another checkout") from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGINT and SIGTERM raise Interrupted."""

    def stop(number: int, _: object) -> None:
        if _later is None:
            raise Interrupted(number)
        _later.append(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_later: list[int] | None = None  # signals that wait for the end of _interrupted_later


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """Signals raise Interrupted after this, so that a process that starts is not forgotten."""
    global _later
    _later = []
    try:
        yield
    finally:
        numbers, _later = _later, None
    if numbers:
        raise Interrupted(numbers[0])


def say(text: str) -> None:
    print(f"test: {text}", file=sys.stderr, flush=True)


def exit_code(interrupted: Interrupted) -> int:
    return Exit.INTERRUPTED if interrupted.signal == signal.SIGINT else 128 + interrupted.signal
