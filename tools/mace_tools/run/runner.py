"""Finds, builds if missing or stale, and calls the C++ programs of this repository.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from mace_tools.support import bazel, ndk, tables
from mace_tools.support.atomic import atomic_files
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import MissingToolError, RunFailedError
from mace_tools.support.protos import REPO, cache_dir, cache_folder

_MAX_OF_NAME = 200  # bytes; systems limit names of files to 255

@dataclass(frozen=True)
class Tool:
    name: str  # of the program, of its folder below tools/ and of its flag
    purpose: str
    sources: tuple[str, ...]  # the folders of its source files
    target: str  # of Bazel
    built: str  # the path below bazel-bin
    runs_here: bool = True  # or is run by another program, or on a device
    flags: tuple[str, ...] = ()  # of Bazel
    variant: str = ""  # after its name where it is kept: for which devices, by which compiler

    @property
    def title(self) -> str:
        return f"{self.name}{self.variant}"


MACE_RUN = Tool("mace_run", "runs models", ("mace", "tools/cli", "tools/mace_run", "third_party"),
                "//tools:mace_run", "tools/mace_run/mace_run")
# By ABI: Bazel's flags for a mace_run that needs little of a device. Without an NDK, phones get one
# that brings its own C library, and so has no way to their OpenCL and their DSP.
_LITTLE = ("--linkopt=-static-libstdc++", "--linkopt=-static-libgcc", "--linkopt=-s")
_IGNORE_LINKS = "--experimental_convenience_symlinks=ignore"
_ALONE = ("--linkopt=-static", "--linkopt=-s")
DEVICE_FLAGS = {"arm64": ("--config=aarch64", *_LITTLE), "armhf": ("--config=armv7", *_LITTLE),
                "arm64-v8a": ("--config=aarch64", *_ALONE),
                "armeabi-v7a": ("--config=armv7", *_ALONE),
                # A folder of its own, so that bazel-bin stays what was built for this machine.
                "x86_64": ("--platform_suffix=-phone", _IGNORE_LINKS, *_ALONE)}  # fmt: skip
# The same with an NDK: Android's own C library, by which it opens libOpenCL.so and the vendor's
# library for DSPs.
NDK_FLAGS = {abi: (f"--config={config}", "--platform_suffix=-android", "--define=hexagon=true",
                   "--linkopt=-s")
             for abi, config in (("arm64-v8a", "android_arm64"), ("armeabi-v7a", "android_arm"),
                                 ("x86_64", "android_x86_64"))}  # fmt: skip


def for_abi(abi: str) -> Tool:
    """mace_run for the devices of an ABI. Errors: MissingToolError if ANDROID_NDK_HOME is set for a
    phone's, but names no NDK."""
    if by_ndk(abi):
        found = ndk.find([abi], "mace_run")
        return replace(MACE_RUN, variant=f".{abi}.ndk{found.version}", flags=NDK_FLAGS[abi],
                       runs_here=False)
    return replace(MACE_RUN, variant=f".{abi}", flags=DEVICE_FLAGS[abi], runs_here=False)


def by_ndk(abi: str) -> bool:
    """Whether mace_run for an ABI is built by the Android NDK, which ANDROID_NDK_HOME names."""
    return abi in NDK_FLAGS and bool(os.environ.get(ndk.HOME))


MACE_PLAN = Tool("mace_plan", "plans memory",
                 ("mace/base", "mace/memory", "mace/public", "tools/cli", "tools/mace_plan",
                  "third_party"), "//tools:mace_plan", "tools/mace_plan/mace_plan")
MACE_DSP = Tool("mace_dsp", "is the DSP's executor for the emulator", ("mace/hexagon",),
                "//mace/hexagon:mace_dsp", "mace/hexagon/mace_dsp.elf", runs_here=False)


class Program(Protocol):
    """A mace_run that runs elsewhere."""

    def lines(self, arguments: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
        """Its stdout; flags name files of this machine. Errors: RunFailedError."""


SUFFIXES = (".S", ".cc", ".cl", ".h", ".json", ".proto", ".bzl", ".bazel", "BUILD")
FILES = ("WORKSPACE", ".bazelrc", "tools/BUILD.bazel")


def find(console: Console, given: Path | None, tool: Tool = MACE_RUN) -> Path:
    """`given`, or the program of this checkout. Errors: MissingToolError, RunFailedError."""
    if given is not None:
        if not given.is_file() or not os.access(given, os.X_OK if tool.runs_here else os.R_OK):
            raise MissingToolError(f"--{tool.name}={given} is not a program; "
                                   f"`bazel build {tool.target}` makes one")
        return given.resolve()
    built = kept(tool)
    if not built.is_file():
        _build(console, tool, built)
    return built


def is_built(tool: Tool) -> bool:
    """Whether the program of this checkout is there."""
    return kept(tool).is_file()


def kept(tool: Tool) -> Path:
    """Where the program of this checkout is, once it is built."""
    return cache_dir() / tool.title / source_hash(tool.sources, tool.flags)[:32] / tool.name


def call(
    binary: Path | Program,
    arguments: Sequence[str],
    console: Console,
    vlog_level: int = 0,
) -> dict[str, Any]:
    """Runs it with its stdout and stderr going to ours; returns what it writes with --json.

    Errors: RunFailedError; the program's own message is then on stderr."""
    environment = {**os.environ, "MACE_CPP_MIN_VLOG_LEVEL": str(vlog_level),
                   "COLUMNS": str(tables.output_width())}
    with tempfile.TemporaryDirectory(prefix="mace_run.") as folder:
        report = Path(folder) / "report.json"
        given = [*arguments]
        if not any(a.startswith("--dump") and a != "--dump=plan" for a in arguments):
            given.append(f"--json={report}")
        for line in _lines(binary, given, environment):
            console.data(line)
        return json.loads(report.read_text()) if report.is_file() else {}


def stream(
    binary: Path | Program, arguments: Sequence[str], console: Console
) -> dict[str, Any]:
    """The same, with what it writes to stdout as it comes if it runs here, by characters instead
    of lines."""
    sys.stdout.flush()
    with tempfile.TemporaryDirectory(prefix="mace_run.") as folder:
        report = Path(folder) / "report.json"
        for line in _lines(binary, [*arguments, f"--json={report}"], dict(os.environ), None):
            console.data(line)  # of a program elsewhere
        found: dict[str, Any] = json.loads(report.read_text())
        return found


def output(binary: Path | Program, arguments: Sequence[str]) -> str:
    """Runs it and returns its stdout; its stderr goes to ours. Errors: RunFailedError."""
    return "\n".join(_lines(binary, arguments, dict(os.environ)))


def flags(values: Mapping[str, Any]) -> list[str]:
    """--key=value for each option that has a value; True makes a bare flag."""
    given = {k: v for k, v in values.items() if v is not None and v is not False}
    return [f"--{k}" if v is True else f"--{k}={v}" for k, v in given.items()]


def files_of(tensors: Iterable[str]) -> dict[str, str]:
    """The names that mace_run gives to the files of a model's outputs, as FilesOf of
    tools/mace_run/run_model.h: letters and digits, and '_' for each other byte. Where that makes
    equal names of several, those that are plain already keep them, and others get a number."""
    plain = {t: re.sub(rb"[^A-Za-z0-9]", b"_", t.encode()[:_MAX_OF_NAME]).decode()
             for t in sorted(tensors, key=str.encode)}
    used: dict[str, str] = {}  # tensors by names
    for tensor in sorted(plain, key=lambda t: plain[t] != t):
        own, n = plain[tensor], 2
        while own in used:
            own, n = f"{plain[tensor]}_{n}", n + 1
        used[own] = tensor
    return {tensor: f"{own}.npy" for own, tensor in used.items()}


def _lines(
    binary: Path | Program, arguments: Sequence[str], environment: Mapping[str, str],
    stdout: int | None = subprocess.PIPE,
) -> Iterator[str]:
    """Of its stdout, if that is a pipe."""
    if not isinstance(binary, Path):
        yield from binary.lines(arguments, environment)
        return
    command = [str(binary), *arguments]
    child: subprocess.Popen[str] | None = None
    try:
        child = subprocess.Popen(command, stdout=stdout, env=environment, text=True,
                                 errors="replace")
        for line in child.stdout or ():
            yield line.rstrip("\n")
        code = child.wait()
    except OSError as e:
        if child is not None:
            raise
        raise RunFailedError(f"cannot start {command[0]}: {e.strerror}; it may be of another "
                             f"machine: build it again with `bazel build {MACE_RUN.target}`") from e
    finally:
        if child is not None and child.poll() is None:
            child.terminate()
            child.wait()
    if code < 0:
        raise RunFailedError(f"mace_run was ended by {signal.Signals(-code).name}; if you did not "
                             f"end it, this is a bug, please report it: {' '.join(command)}")
    if code > 0:
        raise RunFailedError(f"mace_run failed with status {code}; its message stands above")


def source_hash(folders: Sequence[str], flags: Sequence[str] = ()) -> str:
    """Returns a hash of the sources in these folders, and of how they are built: the files for
    Bazel, and its flags."""
    names = [*FILES]
    for folder in folders:
        for parent, _, files in os.walk(REPO / folder):
            below = os.path.relpath(parent, REPO)
            names += [f"{below}/{name}" for name in files if name.endswith(SUFFIXES)]
    digest = hashlib.sha256()
    for name in sorted(names):
        path = f"{REPO}/{name}"
        if os.path.isfile(path) and not name.endswith(("_test.cc", "_bench.cc")):
            at = os.stat(path)
            read = _hash_of(path, at.st_mtime_ns, at.st_size, at.st_ino)
            digest.update(name.encode() + b"\0" + read)
    digest.update("\0".join(flags).encode())
    return digest.hexdigest()


@functools.cache
def _hash_of(path: str, *_state: int) -> bytes:
    """Of a file's bytes, read once while its state stays."""
    return hashlib.sha256(Path(path).read_bytes()).digest()


def require_sources(what: str) -> None:
    """Errors: MissingToolError if this is not a checkout."""
    if not (REPO / "WORKSPACE").is_file():
        raise MissingToolError(f"{what} is made from the engine's sources, which this converter, "
                               "installed by pip, does not have: use tools/converter.py of a "
                               "checkout of MACE")


def _build(console: Console, tool: Tool, built: Path) -> None:
    require_sources(f"{tool.name}, which {tool.purpose},")
    if shutil.which("bazel") is None:
        raise MissingToolError(f"{tool.name}, which {tool.purpose}, is not built, and bazel is not "
                               "installed: run `tools/setup.sh`, or build it elsewhere with "
                               f"`bazel build {tool.target}` and name it with --{tool.name}=FILE "
                               "(converting needs neither)")
    words = " ".join(("bazel build", *tool.flags, tool.target))
    console.info(f"building {tool.title}: {words} (minutes the first time)")
    began = time.monotonic()
    cache_folder(tool.title)
    program = bazel.output(console, tool.flags, [tool.target],
                           lambda bin: (bin / tool.built).read_bytes())
    if kept(tool) != built:
        raise RunFailedError(f"the sources changed while {tool.title} was built from them; run the "
                             "command again")
    with atomic_files(built, mode=0o777) as (out,):
        out.write(program)
    forget_old(built.parent, 5)
    console.info(f"built {tool.title} in {time.monotonic() - began:.0f} s")


def forget_old(kept: Path, most: int) -> None:
    """Keeps the cache small. What a killed build left is removed when it is among the oldest."""
    for old in oldest_first(kept.parent)[:-most]:
        if old != kept:
            shutil.rmtree(old, ignore_errors=True)


def oldest_first(folder: Path) -> list[Path]:
    """What is in a folder from which others may remove things at the same time."""
    found = []
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found)]
