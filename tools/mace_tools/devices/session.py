"""A device while mace_run runs on it: one process of this user at a time, and nothing left behind.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import getpass
import hashlib
import re
import shlex
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from mace_tools.devices.device import Device, DeviceError
from mace_tools.devices.files import KeptFiles, clear
from mace_tools.support.console import Console
from mace_tools.support.locks import locked
from mace_tools.support.protos import cache_folder

# Flags of mace_run whose values are files that it reads; that it writes; and folders.
READ = ("model_file", "model_data_file", "opencl_binary_file", "offline_memory_plan", "tokenizer",
        "generate", "restore_sequence")
# The path of a file of this machine; or one on the phone, or a name that its linker knows.
LIBRARY_FLAG = "dsp_library"
WRITTEN = ("json", "trace", "save_sequence")
FOLDER_FLAG = "output_dir"
TUNING_FLAG = "tuning_file"  # which it reads and writes
ENVIRONMENT = ("MACE_CPP_MIN_VLOG_LEVEL", "COLUMNS")


class MaceRunError(DeviceError):
    """mace_run did not end well on a device that is still there."""


class Session:
    """Takes the device for this process and prepares its folders; `with` gives it back.

    Errors: DeviceError."""

    def __init__(self, device: Device, console: Console, timeout: float) -> None:
        """timeout: seconds for a call of mace_run."""
        self.device, self._console, self._timeout = device, console, timeout
        who = f"{socket.gethostname()}/{getpass.getuser()}"
        self.folder = f"{device.folder}/run.{hashlib.sha256(who.encode()).hexdigest()[:12]}"

    def __enter__(self) -> Session:
        self._lock = _lock(self.device, self._console)
        try:
            self.files = KeptFiles(self.device, self._tidy_script)
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        try:
            self.device.check(self._tidy_script, f"removing {self.folder}")
        except DeviceError as e:
            if error is None:
                self._console.warn(f"{e}. {self.folder} stays there until the next run")
        finally:
            self._lock.close()

    @property
    def _tidy_script(self) -> str:
        """Ends what an earlier run left running, and removes its folder."""
        at = shlex.quote(self.folder)
        # A number that another program has by now is left alone.
        return (f"p=$(cat {at}/pid 2>/dev/null) && grep -q mace_run /proc/$p/cmdline 2>/dev/null "
                f"&& kill -9 $p; rm -rf {at}")

    def run(self, program: Path, arguments: Sequence[str], environment: Mapping[str, str],
            on_line: Callable[[str], None]) -> str:
        """Runs mace_run with the flags that it would have on this machine: files are copied there
        first, and what it wrote comes back at the end. Returns its stderr.

        Errors: DeviceError."""
        device, at = self.device, shlex.quote(self.folder)
        used, before, written = [self.files.put(program)], [], []
        words = [used[0]]
        for argument in arguments:
            words.append(self._flag(argument, used, before, written))
        own = " ".join(f"{k}={shlex.quote(environment[k])}" for k in ENVIRONMENT
                       if k in environment)
        inner = f"echo $$ > pid; {own} exec {' '.join(map(shlex.quote, words))}"
        done = device.shell(
            f"rm -rf {at} && mkdir -p {at}/out/{FOLDER_FLAG} && cd {at} && "
            f"touch {' '.join(map(shlex.quote, used))} && chmod 755 {shlex.quote(used[0])} && "
            f"{''.join(before)}sh -c {shlex.quote(inner)}", self._timeout, on_line)
        if done.code != 0:
            raise self._failure(done.code, done.err)
        if written:
            self._fetch(written)
        return done.err

    def _flag(self, argument: str, used: list[str], before: list[str],
              written: list[tuple[str, Path]]) -> str:
        """The flag as it is on the device. Adds the kept files that it names to `used`, commands
        that come before to `before`, and to `written` what comes back to where."""
        name, _, value = argument.removeprefix("--").partition("=")
        out = f"{self.folder}/out/{name}"
        if name in READ or (name == LIBRARY_FLAG and "/" in value and Path(value).is_file()):
            used.append(self.files.put(Path(value)))
            return f"--{name}={used[-1]}"
        if name == "input":
            tensor, _, file = value.rpartition("=")
            used.append(self.files.put(Path(file)))
            return f"--input={tensor}={used[-1]}"
        if name == "gpu_storage_path":
            before.append(f"mkdir -p {shlex.quote(self.device.folder)}/opencl && ")
            return f"--{name}={self.device.folder}/opencl"
        if name == TUNING_FLAG and Path(value).is_file():
            used.append(self.files.put(Path(value)))
            before.append(f"cp {shlex.quote(used[-1])} {shlex.quote(out)} && ")
        if name in (*WRITTEN, FOLDER_FLAG, TUNING_FLAG):
            written.append((name, Path(value)))
            return f"--{name}={out}"
        return argument

    def _fetch(self, written: Sequence[tuple[str, Path]]) -> None:
        """What mace_run wrote: by the names of flags, files and the files of a folder."""
        listed = self.device.check(
            f"cd {shlex.quote(self.folder)}/out && for f in * {FOLDER_FLAG}/*; do "
            "[ -f \"$f\" ] && echo \"$(wc -c < \"$f\") $f\"; done; true", "listing its results")
        for line in listed.splitlines():
            found = re.fullmatch(r"\s*(\d+) ([A-Za-z0-9_]+)(/[A-Za-z0-9_.-]+)?", line)
            if found is None:
                raise self.device.error(f"a result is '{line.strip()}', which mace_run does not "
                                        "write", f"look at {self.folder} there")
            for own, local in written:
                if own == found[2]:
                    target = local / found[3][1:] if found[3] else local
                    target.parent.mkdir(parents=True, exist_ok=True)  # as mace_run does here
                    self.device.pull(f"{self.folder}/out/{own}{found[3] or ''}", target,
                                     int(found[1]))

    def pull_kept(self, name: str, local: Path) -> bool:
        """Copies a file of the GPU's programs here, if it exists."""
        remote = f"{self.device.folder}/opencl/{name}"
        size = self.device.shell(f"wc -c < {shlex.quote(remote)} 2>/dev/null").out.strip()
        if size.isdigit():
            self.device.pull(remote, local, int(size))
        return size.isdigit()

    def _failure(self, code: int, err: str) -> MaceRunError:
        """Why a program that was started there did not end well."""
        message = err.strip()
        last = message.splitlines()[-1][:300] if message else ""
        if "GLIBC" in message and "not found" in message:
            return self._error(
                f"its C library is too old for mace_run ({last})", "update its system, or build "
                "mace_run on it: `bazel build //tools:mace_run`")
        if code in (126, 127) or re.search("Exec format error|not executable|syntax error",
                                           message):
            return self._error(
                f"it cannot execute mace_run ({last or f'status {code}'})", "see whether its ABI "
                "is in target_abis, and whether its file system allows programs (noexec)")
        if code == 128 + 4:
            return self._error("its CPU does not know an instruction of mace_run (SIGILL)",
                                     "name the ABI that it has: --target_abis")
        if code == 128 + 9:
            return self._error("its system ended mace_run (SIGKILL), usually because memory "
                                     "is short", "close apps on it, or use a smaller model; "
                                     "`memory_limit` makes the engine say what needs how much")
        if code > 128:
            return self._error(f"mace_run was ended by signal {code - 128}", "if you did not "
                                     f"end it, this is a bug, please report it: {last}")
        return self._error(f"mace_run failed with status {code}",
                                 message[-2000:] or "it gave no message")

    def _error(self, why: str, cure: str) -> MaceRunError:
        return MaceRunError(self.device.title, why, cure)


def clear_taken(device: Device, console: Console) -> None:
    """Removes what MACE keeps on a device, while no run uses it. Errors: DeviceError."""
    with _lock(device, console):
        clear(device)


def _lock(device: Device, console: Console) -> BinaryIO:
    """Waits until no other process of this machine uses the device."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", device.lock_name)
    return locked(cache_folder("devices") / f"{name}.lock", console,
                  f"{device.title}, which another process uses")


class DeviceProgram:
    """mace_run on a device, for what calls it on this machine (runner.Program)."""

    def __init__(self, session: Session, program: Path, console: Console) -> None:
        self._session, self._program, self._console = session, program, console

    @property
    def cure(self) -> str:
        return ""

    def lines(self, arguments: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
        """Its stdout, once it has ended. Its stderr goes to the console. Errors: DeviceError."""
        found: list[str] = []
        message = self._session.run(self._program, arguments, environment, found.append)
        if message.strip():
            self._console.passed(message.rstrip("\n"))
        yield from found
