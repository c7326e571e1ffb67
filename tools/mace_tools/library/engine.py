"""The compiled engine for an ABI: archives that Bazel makes, kept by what they are made from.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from mace_tools import runner
from mace_tools.cli_console import Console
from mace_tools.exit_codes import MissingToolError
from mace_tools.library.abis import Abi
from mace_tools.library.part_names import ALL, KERNEL_PARTS, PARTS
from mace_tools.protos import cache_dir

SOURCES = ("mace", "third_party")
TARGET = "//mace:library"
KEPT = 24  # engines in the cache


@dataclass(frozen=True)
class Engine:
    key: str  # of what it is made from
    archives: tuple[Path, ...]  # those that need others first
    was_built: bool


def build(console: Console, abi: Abi, ops: tuple[str, ...] | None, gpu: bool,
          types_of_16_bits: bool = True, quantized: bool = True,
          parts: Collection[str] = ALL, dsp: bool = False, near: bool = False) -> Engine:
    """The engine with these ops (None: all), from the cache if nothing changed.

    types_of_16_bits: whether the CPU takes weights in fp16 and bf16. quantized: whether it takes
    quantized tensors. parts: those of PARTS that the library has. dsp: whether it runs models on
    a Hexagon DSP, by the vendor's library. near: for a shared library in which nothing is farther
    away than an instruction can name; linking a larger one fails (op_sizes.is_near says which).

    Errors: MissingToolError, RunFailedError."""
    runner.require_sources("the library")
    flags = [*abi.bazel, f"--//mace/ops:selected={selection(ops)}"]
    flags += [] if gpu else ["--define=opencl=false"]
    # Without it, the engine would have the emulator as well.
    flags += [f"--define=hexagon={'true' if dsp else 'false'}"]
    flags += [] if types_of_16_bits else ["--define=cpu_16bit=false"]
    flags += [] if quantized else ["--define=cpu_8bit=false"]
    flags += [f"--config={abi.near}"] if near else []
    absent = [part for part in PARTS if part not in parts]
    flags += [f"--define={part}=false" for part in absent]
    flags += [f"--config=without_{part}" for part in absent if part in KERNEL_PARTS]
    key = _key(abi, flags)
    folder = cache_dir() / "engine" / key
    if (folder / "list.json").is_file():
        os.utime(folder)
        return _read(folder, was_built=False)
    if shutil.which("bazel") is None:
        raise MissingToolError("building the library needs bazel, which is not installed: run "
                               "`tools/setup.sh`")
    console.info(f"compiling the engine for {abi.name} (minutes the first time)")
    began = time.monotonic()
    runner.bazel(["build", *flags, TARGET], console)
    output = Path(
        runner.bazel(["info", *abi.bazel, "bazel-bin"], console).strip().splitlines()[-1])
    _keep(output / "mace" / "library.txt", folder)
    console.info(f"compiled the engine for {abi.name} in {time.monotonic() - began:.0f} s")
    return _read(folder, was_built=True)


def selection(ops: tuple[str, ...] | None) -> str:
    """The value of Bazel's flag."""
    if ops is None:
        return "all"
    return ",".join(sorted(ops)) or "none"


def _key(abi: Abi, flags: list[str]) -> str:
    asked = json.dumps([source_hash(), abi.name, flags, _compiler(abi)])
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


@functools.cache
def source_hash() -> str:
    return runner.source_hash(SOURCES)


@functools.cache
def _compiler(abi: Abi) -> str:
    return abi.compiler()


def _keep(listing: Path, folder: Path) -> None:
    """Copies the listed archives, since the next build of Bazel may replace them."""
    root = next(p for p in listing.parents if p.name == "bazel-out").parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".new."))
    try:
        names = []
        for k, line in enumerate(listing.read_text().splitlines()):
            name = f"{k:02}-{Path(line).name}"
            shutil.copyfile(root / line, temporary / name)
            names.append(name)
        (temporary / "list.json").write_text(json.dumps(names))
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    engines = [p for p in folder.parent.iterdir() if not p.name.startswith(".")]
    for old in sorted(engines, key=lambda p: p.stat().st_mtime, reverse=True)[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def _read(folder: Path, was_built: bool) -> Engine:
    names = json.loads((folder / "list.json").read_text())
    return Engine(folder.name, tuple(folder / name for name in names), was_built)
