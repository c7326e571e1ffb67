"""The compiled engine for an ABI: archives that Bazel makes, kept by what they are made from.

SPDX-License-Identifier: Apache-2.0

An engine of the cache is a folder with the archives and ENTRY, which says how large each is. A
folder without it, or with other sizes, is built again: earlier versions kept engines, with another
list, without checking that they have the ops that were asked for.
"""

import contextlib
import functools
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mace_tools.config.component_names import ALL, NAMES
from mace_tools.graph.op_schema import all_ops
from mace_tools.package.library import op_tables
from mace_tools.package.library.abis import Abi
from mace_tools.run import runner
from mace_tools.support import bazel
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import MissingToolError, RunFailedError
from mace_tools.support.protos import cache_dir, cache_error, cache_folder

SOURCES = ("mace", "third_party")
TARGET = "//mace:library"
KEPT = 24  # engines in the cache
ENTRY = "archives.json"  # in the folder of each
NEW = ".new."  # before the names of unfinished ones


@dataclass(frozen=True)
class Engine:
    key: str  # of what it is made from
    archives: tuple[Path, ...]  # those that need others first
    was_built: bool


def build(console: Console, abi: Abi, ops: tuple[str, ...] | None, gpu: bool,
          types_of_16_bits: bool = True, quantized: bool = True,
          components: Collection[str] = ALL, dsp: bool = False, near: bool = False,
          self_test: bool = True) -> Engine:
    """The engine with these ops (None: all), from the cache if nothing changed.

    types_of_16_bits: whether the CPU takes weights in fp16 and bf16. quantized: whether it takes
    quantized tensors. components: those of NAMES that the library has. dsp: whether it runs models
    on a Hexagon DSP, by the vendor's library. near: for a shared library in which nothing is
    farther away than an instruction can name; linking a larger one fails (op_sizes.is_near says
    which). self_test: whether it tests micro-kernels before it uses them.

    Errors: MissingToolError, RunFailedError."""
    runner.require_sources("the library")
    flags = [*abi.bazel, f"--//mace/ops:selected={selection(ops)}"]
    flags += [] if gpu else ["--define=opencl=false"]
    # Without it, the engine would have the emulator as well.
    flags += [f"--define=hexagon={'true' if dsp else 'false'}"]
    flags += [] if types_of_16_bits else ["--define=cpu_16bit=false"]
    flags += [] if quantized else ["--define=cpu_8bit=false"]
    flags += [] if self_test else ["--define=self_test=false"]
    flags += [f"--config={abi.near}"] if near else []
    flags += [f"--define={name}=false" for name in NAMES if name not in components]
    key = _key(abi, flags)
    folder = cache_dir() / "engine" / key
    kept = _kept(folder)
    if kept:
        os.utime(folder)
        return Engine(key, kept, was_built=False)
    if shutil.which("bazel") is None:
        raise MissingToolError("building the library needs bazel, which is not installed: run "
                               "`tools/setup.sh`")
    console.info(f"compiling the engine for {abi.name} (minutes the first time)")
    began = time.monotonic()
    with _beside(folder) as temporary:
        bazel.output(console, flags, [TARGET],
                     lambda bin: _copy(bin / "mace" / "library.txt", temporary))
        _check(abi, _kept(temporary), ops)
        if _key(abi, flags) != key:
            raise RunFailedError("the sources changed while the engine was compiled from them; run "
                                 "the command again")
        _replace(folder, temporary)
    runner.forget_old(folder, KEPT)
    console.info(f"compiled the engine for {abi.name} in {time.monotonic() - began:.0f} s")
    return Engine(key, _kept(folder), was_built=True)


def selection(ops: tuple[str, ...] | None) -> str:
    """The value of Bazel's flag."""
    if ops is None:
        return "all"
    return ",".join(sorted(ops)) or "none"


def _key(abi: Abi, flags: list[str]) -> str:
    asked = json.dumps([runner.source_hash(SOURCES), abi.name, flags, _compiler(abi)])
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


@functools.cache
def _compiler(abi: Abi) -> str:
    return abi.compiler()


@contextlib.contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """An empty folder in the cache, which is removed at the end. Errors: MaceError, before anything
    is built, if the cache cannot be written."""
    with tempfile.TemporaryDirectory(dir=cache_folder("engine"), prefix=NEW) as temporary:
        place = Path(temporary) / folder.name
        place.mkdir()
        yield place


def _copy(listing: Path, folder: Path) -> None:
    """Copies the listed archives, since the next build of Bazel may replace them."""
    root = next(p for p in listing.parents if p.name == "bazel-out").parent
    for old in folder.iterdir():
        old.unlink()
    sizes = {}
    try:
        for k, line in enumerate(listing.read_text().splitlines()):
            target = folder / f"{k:02}-{Path(line).name}"
            shutil.copyfile(root / line, target)
            sizes[target.name] = target.stat().st_size
        (folder / ENTRY).write_text(json.dumps(sizes))
    except OSError as e:
        raise cache_error(e, folder) from e


def _check(abi: Abi, archives: Sequence[Path], ops: tuple[str, ...] | None) -> None:
    """Errors: RunFailedError if the engine has other ops than those that were asked for."""
    found, wanted = op_tables.ops_of(abi, archives), {*(all_ops() if ops is None else ops)}
    if found != wanted:
        few = ", ".join(sorted(found ^ wanted)[:5])
        raise RunFailedError(f"Bazel made an engine for {abi.name} with {len(found)} ops, and "
                             f"{len(wanted)} were asked for (they differ in {few}); did another "
                             "build change bazel-bin? Run the command again")


def _kept(folder: Path) -> tuple[Path, ...]:
    """The archives of an engine; none if it is not complete."""
    try:
        sizes = json.loads((folder / ENTRY).read_text())
        complete = all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError):
        return ()
    return tuple(folder / name for name in sizes) if complete else ()


def _replace(folder: Path, made: Path) -> None:
    """Moves an engine to its place in the cache, unless one from another checkout with the same
    sources is there by now."""
    if _kept(folder):
        return
    with contextlib.suppress(FileNotFoundError):
        os.replace(folder, made.with_name("old"))
    try:
        os.replace(made, folder)
    except OSError:
        if not _kept(folder):
            raise
