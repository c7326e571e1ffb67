"""Executed Arm instructions, counted by a qemu plugin between a program's lines of output.

SPDX-License-Identifier: Apache-2.0

The same program and input give the same count: a count can be compared across machines, but knows
neither pipelines nor caches.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from mace_tools.testing.built import build_all  # noqa: E402

SYSROOT = Path(os.environ.get("MACE_SYSROOT", "/opt/mace-sysroot")) / "arm64"
LIBRARIES = ":".join(str(SYSROOT / d / "aarch64-linux-gnu") for d in ("usr/lib", "lib"))
# Blocks follow the caches: those of the Cortex-A76 that qemu takes the place of (64 KiB of 4 ways,
# 512 KiB, 2 MiB), and not the host's.
CACHES = {"MACE_CPU_CACHES": "65536,4,524288,2097152"}
TOOLS = ("bazel", "gcc", "qemu-aarch64", "aarch64-linux-gnu-g++", "aarch64-linux-gnu-objdump",
         "llvm-mca-19")


def missing_tools(tools: tuple[str, ...] = TOOLS) -> list[str]:
    return [tool for tool in tools if shutil.which(tool) is None]


def build(*targets: str, files: Sequence[str] = ()) -> Path:
    """Cross-builds the targets and returns a folder with them, as they lie in bazel-bin, and with
    other files that are built for them."""
    return build_all(targets, ["--config=aarch64"], files)


def build_plugin(folder: Path) -> Path:
    plugin = folder / "libcount.so"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC",
                    str(HERE / "count_plugin.c"), "-o", str(plugin)], check=True)
    return plugin


@dataclass
class Interval:
    """The instructions between two writes to stdout."""

    instructions: int
    functions: dict[str, int]  # by mangled name, if asked for


def count(command: list[str], plugin: Path, stdin: str = "", cpu: str = "cortex-a76",
          functions: bool = False) -> tuple[str, list[Interval]]:
    """Runs an aarch64 program to its end. Returns its output and the intervals."""
    log = plugin.with_suffix(".log")
    option = f"{plugin},functions=on" if functions else str(plugin)
    done = subprocess.run(
        ["qemu-aarch64", "-cpu", cpu, "-L", "/usr/aarch64-linux-gnu", "-E",
         f"LD_LIBRARY_PATH={LIBRARIES}", "-plugin", option, "-d", "plugin", "-D", str(log),
         *command], input=stdin, capture_output=True, text=True, check=False,
        env=os.environ | CACHES)
    if done.returncode:
        sys.exit(f"'{command[0]}' failed under qemu: {done.stderr.strip()[-500:]}")
    intervals, by_name = [], {}
    for line in log.read_text().splitlines():
        if found := re.fullmatch(r"function (\d+) (.+)", line):
            by_name[found[2]] = int(found[1])
        elif found := re.fullmatch(r"write (\d+)", line):
            intervals.append(Interval(int(found[1]), by_name))
            by_name = {}
    return done.stdout, intervals


def count_ukernels(program: Path, plugin: Path, cpu: str = "max") -> dict[str, float]:
    """Instructions per multiply-add of each micro-kernel that the program calls."""
    output, intervals = count([str(program)], plugin, cpu=cpu)
    calls = [line.split() for line in output.splitlines()]
    costs = [interval.instructions for interval in intervals[1:]]  # of call i: up to line i + 1
    empty = costs[0]
    return {name: (cost - empty) / int(macs)
            for (name, macs), cost in zip(calls, costs) if int(macs)}


def count_net(mace_run: Path, plugin: Path, model: Path, cpu: str = "cortex-a76",
              options: tuple[str, ...] = (), functions: bool = False) -> Interval:
    """Counts the third run of a model on one thread. `model` is a path without suffix."""
    _, intervals = count(
        [str(mace_run), "--model_file", f"{model}.pb", "--model_data_file", f"{model}.data",
         "--num_threads", "1", "--interactive", *options], plugin, stdin="\n" * 3, cpu=cpu,
        functions=functions)
    return intervals[3]  # the first is loading
