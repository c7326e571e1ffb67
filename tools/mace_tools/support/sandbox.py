"""Runs a framework on a file of unknown origin, in a process that reaches nothing else.

SPDX-License-Identifier: Apache-2.0

sandboxed.py takes away the network, other processes and all files but those of a private folder;
this module gives it limits, watches it, and checks what it leaves.
"""

import functools
import json
import os
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mace_tools.support.console import Console
from mace_tools.support.exit_codes import RunFailedError
from mace_tools.support.limits import memory_limit

STARTER = Path(__file__).with_name("sandboxed.py")
SECONDS = 600.0  # and one more for each MB of the model
MEMORY_BYTES, OUTPUT_BYTES = 8 << 30, 2 << 30  # and as a multiple of the model:
MEMORY_TIMES, OUTPUT_TIMES = 16, 8
PRINTED_BYTES = 1 << 16  # of what it prints, the end
POLL_S = 0.05


@dataclass(frozen=True)
class Limits:
    """What a framework may take: bytes of memory, seconds, bytes of what it writes."""

    memory: int
    seconds: float
    output: int


@dataclass(frozen=True)
class Finished:
    """How a process ended, and what it printed to stderr."""

    returncode: int
    printed: str

    def reason(self) -> str:
        lines = [s for s in self.printed.strip().splitlines() if s.strip()]
        return lines[-1] if lines else f"it ended with status {self.returncode}"


def limits_for(model: Path) -> Limits:
    """Limits that a file of this size does not reach."""
    size = _size(model)
    return Limits(min(memory_limit(), MEMORY_BYTES + MEMORY_TIMES * size),
                  SECONDS + size / 1e6, OUTPUT_BYTES + OUTPUT_TIMES * size)


def run(what: str, command: Sequence[str], folder: Path, environment: Mapping[str, str],
        limits: Limits) -> Finished:
    """Runs a command of Python that may write to `folder` only. `what` is it for messages.

    Errors: OSError if it cannot be started; RunFailedError if it exceeds a limit or leaves
    anything but files."""
    given = {"folder": str(folder.resolve()), "memory": limits.memory, "file": limits.output}
    environment = {**environment, "HOME": str(folder), "TMPDIR": str(folder), "USER": "mace",
                   "XDG_CACHE_HOME": str(folder / "cache")}
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as missing:
        given["report"] = missing.fileno()
        child = subprocess.Popen(
            [command[0], str(STARTER), json.dumps(given), *command], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=printed,
            pass_fds=(missing.fileno(),), start_new_session=True)
        try:
            exceeded = _watch(child, folder, limits)
        finally:
            _end(child)
        _report(_text(missing))
        finished = Finished(child.returncode, _text(printed))
    exceeded = exceeded or _exceeded(finished)
    if exceeded:
        raise RunFailedError(f"{what} was stopped, because it takes more than "
                             f"{_shown(limits)[exceeded]}")
    _check_files(what, folder)
    return finished


def _watch(child: subprocess.Popen[bytes], folder: Path, limits: Limits) -> str:
    """Waits; the limit that the process exceeds, if it does."""
    began = looked = time.monotonic()
    while True:
        try:
            child.wait(POLL_S)
            return ""
        except subprocess.TimeoutExpired:
            now = time.monotonic()
            if now - began > limits.seconds:
                return "seconds"
            if now - looked > 1:
                looked = now
                if _size(folder) > limits.output:
                    return "output"


def _end(child: subprocess.Popen[bytes]) -> None:
    """Ends the process and those that it started; they are a session of their own."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    child.wait()


def _exceeded(finished: Finished) -> str:
    if finished.returncode == 128 + signal.SIGXFSZ:
        return "output"
    out = finished.returncode and ("MemoryError" in finished.reason()
                                   or "bad_alloc" in finished.reason())
    return "memory" if out else ""


def _shown(limits: Limits) -> dict[str, str]:
    return {"seconds": f"{limits.seconds:.0f} seconds", "memory": f"{limits.memory >> 20} MB of "
            "memory", "output": f"{limits.output >> 20} MB of files"}


def _text(file: object) -> str:
    size = file.seek(0, os.SEEK_END)  # type: ignore[attr-defined]
    file.seek(max(0, size - PRINTED_BYTES))  # type: ignore[attr-defined]
    return file.read().decode(errors="replace")  # type: ignore[attr-defined]


def _report(text: str) -> None:
    """Warns about what the system does not grant."""
    if text and (missing := json.loads(text)):
        _warn(f"the framework is isolated less than it could be: {'; '.join(missing)}. It keeps "
              "its limits and its own folder; give it only files that you trust "
              "(docs/untrusted_files.md)")


@functools.cache
def _warn(text: str) -> None:
    Console().warn(text)


def _size(path: Path) -> int:
    """The bytes of a file, or of all files below a folder."""
    if not path.is_dir():
        return path.stat().st_size if path.exists() else 0
    total = 0
    for root, _, files in os.walk(path):
        for name in files:
            try:
                total += os.lstat(os.path.join(root, name)).st_size
            except OSError:
                continue  # it was removed meanwhile
    return total


def _check_files(what: str, folder: Path) -> None:
    """Refuses what would lead its reader elsewhere or wait for ever."""
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(root, name)
            mode = os.lstat(path).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise RunFailedError(f"{what} left something that is neither a file nor a folder: "
                                     f"'{name}'")
