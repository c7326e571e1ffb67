"""A machine on which programs run: a phone, a board, or this one. Shells and files, with timeouts.

SPDX-License-Identifier: Apache-2.0

A subclass says which program of this machine starts a shell there and copies files, and what the
messages of that program mean. All that comes back is checked: a script ends with a line that says
so, and a file has the size and the checksum that the device reports.
"""

import hashlib
import os
import re
import shlex
import subprocess
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mace_tools.support.exit_codes import RunFailedError

QUICK = 30.0  # seconds for a script that only looks
SLOWEST = 256 * 1024  # bytes a second, to which a copy may fall
ENDED = "MACE_ENDED"
_END = re.compile(rf"\n?{ENDED} (\d+)\s*\Z")


class DeviceError(RunFailedError):
    """What a device, or the way to it, does not do: which device, why, and the cure."""

    def __init__(self, device: str, why: str, cure: str) -> None:
        super().__init__(f"{device}: {why}: {cure}")
        self.device, self.why, self.cure = device, why, cure


@dataclass(frozen=True)
class Done:
    """What a script on a device left: its exit status, and its texts."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Fault:
    """A text that the program which reaches a device writes, and what it means."""

    pattern: str
    why: str
    cure: str


# Of any shell and any way of copying.
FAULTS = (
    Fault("No space left on device|not enough space|Disk quota exceeded", "its storage is full",
          "remove files there, or run `tools/converter.py devices --clear`, which removes what "
          "MACE keeps there"),
    Fault("Read-only file system", "its storage is read-only",
          "restart it, and check its file system"),
)


class Device(ABC):
    """Not safe for use by several threads at once."""

    kind = ""
    faults: tuple[Fault, ...] = ()
    lost = ("the connection ended", "connect it again")  # why and cure where no fault fits

    def __init__(self, name: str, folder: str) -> None:
        """name: a serial number, or what the device yml calls it. folder: where MACE keeps files
        on the device, an absolute path."""
        self.name, self.folder = name, folder

    @property
    def title(self) -> str:
        """As messages name it."""
        return f"{self.kind} '{self.name}'"

    @property
    def lock_name(self) -> str:
        """The same for everything that is the same machine."""
        return f"{self.kind}.{self.name}"

    @abstractmethod
    def shell_command(self, script: str) -> list[str]:
        """The program of this machine, with its arguments, that runs a script there."""

    @abstractmethod
    def push_command(self, local: Path, remote: str) -> list[str]:
        """The same to copy a file to the device."""

    @abstractmethod
    def pull_command(self, remote: str, local: Path) -> list[str]:
        """The same to copy a file from it."""

    @property
    def environment(self) -> dict[str, str]:
        """Of these programs."""
        return dict(os.environ)

    def error(self, why: str, cure: str) -> DeviceError:
        return DeviceError(self.title, why, cure)

    def shell(self, script: str, timeout: float = QUICK,
              on_line: Callable[[str], None] | None = None) -> Done:
        """Runs a script of a POSIX shell. `on_line` takes each line of stdout as it comes.

        Errors: DeviceError if the device cannot be reached, takes longer than `timeout` seconds,
        or the answer is cut off. That the script fails is in Done."""
        whole = f"( {script}\n); mace_rc=$?; echo; echo {ENDED} $mace_rc"
        shown = on_line and (lambda line: None if line.startswith(ENDED) else on_line(line))
        code, out, err = self._call(self.shell_command(whole), timeout, shown)
        end = _END.search(out)
        if end is None:
            raise self._fault(f"{err}\n{out}" if code else err, "its answer was cut off")
        return Done(int(end[1]), out[: end.start()], err)

    def check(self, script: str, what: str, timeout: float = QUICK) -> str:
        """The stdout of a script that must succeed. `what` it does, for the message. Errors:
        DeviceError."""
        done = self.shell(script, timeout)
        if done.code != 0:
            raise self._fault(f"{done.err}\n{done.out}", f"{what} failed")
        return done.out

    def push(self, local: Path, remote: str) -> None:
        """Copies a file to where it appears complete or not at all. Errors: DeviceError."""
        part, size = f"{remote}.part", local.stat().st_size
        code, out, err = self._call(self.push_command(local, part), QUICK + size / SLOWEST)
        if code != 0:
            raise self._fault(f"{err}\n{out}", f"copying {local.name} to it failed")
        # Some devices have no program for checksums.
        p, r, digest = shlex.quote(part), shlex.quote(remote), sha256_of(local)
        there = self.check(
            f"n=$(wc -c < {p}); h=$(sha256sum 2>/dev/null < {p}); h=${{h%% *}}\n"
            f'if [ $n -eq {size} ] && [ "${{h:-{digest}}}" = {digest} ]; then mv -f {p} {r}; '
            f"else rm -f {p}; fi; echo $n $h", f"taking {local.name}", QUICK + size / SLOWEST)
        words = there.split()
        if words[:1] != [str(size)]:
            raise self.error(f"of the {size} bytes of {local.name}, {''.join(words[:1]) or 'none'} "
                             "arrived", "try again; if it happens again, free storage on it or use "
                             "another cable")
        if words[1:2] not in ([], [digest]):
            raise self.error(f"{local.name} arrived with other bytes",
                             "try again, with another cable if it happens again")

    def pull(self, remote: str, local: Path, size: int) -> None:
        """Copies a file of `size` bytes from the device; `local` appears complete or not at all.

        Errors: DeviceError."""
        part = local.with_name(f".{local.name}.{os.getpid()}.part")
        try:
            limit = QUICK + size / SLOWEST
            code, out, err = self._call(self.pull_command(remote, part), limit)
            if code != 0:
                raise self._fault(f"{err}\n{out}", f"copying {remote} from it failed")
            found = part.stat().st_size if part.is_file() else 0
            if found != size:
                raise self.error(f"of the {size} bytes of {remote}, {found} arrived",
                                 "check the cable or the network, and run the command again")
            os.replace(part, local)
        finally:
            part.unlink(missing_ok=True)

    def _fault(self, text: str, otherwise: str) -> DeviceError:
        """The error that a message of a program stands for."""
        for fault in (*self.faults, *FAULTS):
            if re.search(fault.pattern, text):
                return self.error(fault.why, fault.cure.format(name=self.name))
        message = " ".join(text.split())[-300:]
        why, cure = self.lost
        return self.error(f"{otherwise}; {why}" + (f" ({message})" if message else ""), cure)

    def _call(self, command: Sequence[str], timeout: float,
              on_line: Callable[[str], None] | None = None) -> tuple[int, str, str]:
        """Its exit status, stdout and stderr."""
        try:
            # A session of its own: Ctrl-C is for the caller, which then tidies the device up.
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, errors="replace",
                                     env=self.environment, start_new_session=True)
        except OSError as e:
            raise self.error(f"cannot start {command[0]}: {e.strerror}",
                             f"install {command[0]}") from e
        errors: list[str] = []
        reader = threading.Thread(target=lambda: errors.append(child.stderr.read()), daemon=True)
        late = threading.Event()
        timer = threading.Timer(min(timeout, threading.TIMEOUT_MAX),
                                lambda: (late.set(), child.kill()))
        LIVE.add(child)
        reader.start()
        timer.start()
        lines = []
        try:
            for line in child.stdout or ():
                plain = line.replace("\r", "")
                lines.append(plain)
                if on_line is not None:
                    on_line(plain.rstrip("\n"))
            code = child.wait()
        finally:
            timer.cancel()
            LIVE.discard(child)
            if child.poll() is None:
                child.kill()
                child.wait()
            reader.join(1)
            child.stdout.close()
        if late.is_set():
            raise self.error(f"no answer within {timeout:.0f} s",
                             "see whether it is busy or asleep; --device_timeout=SECONDS waits "
                             "longer for models that are slow")
        return code, "".join(lines), "".join(errors)


def sha256_of(path: Path) -> str:
    """Errors: OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Live:
    """The programs that are running, so that an interruption can end them."""

    def __init__(self) -> None:
        self._all: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()

    def add(self, child: subprocess.Popen[str]) -> None:
        with self._lock:
            self._all.add(child)

    def discard(self, child: subprocess.Popen[str]) -> None:
        with self._lock:
            self._all.discard(child)

    def stop(self) -> None:
        """Those that run now; what waits for them gets an error."""
        with self._lock:
            for child in self._all:
                child.kill()


LIVE = Live()


class Here(Device):
    """This machine, for what is asked of every device."""

    kind = "machine"

    def __init__(self) -> None:
        super().__init__("host", "")

    @property
    def title(self) -> str:
        return "this machine"

    def shell_command(self, script: str) -> list[str]:
        return ["sh", "-c", script]

    def push_command(self, local: Path, remote: str) -> list[str]:
        return ["cp", str(local), remote]

    def pull_command(self, remote: str, local: Path) -> list[str]:
        return ["cp", remote, str(local)]
