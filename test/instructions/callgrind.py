"""Executed x86-64 instructions of a model's inference, counted by callgrind.

SPDX-License-Identifier: Apache-2.0

The same program and model give the same count on any machine, so that a budget can be kept in the
repository. Valgrind's CPU has AVX2 and no AVX-512; it knows neither pipelines nor caches.
"""

import os
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent


# Blocks follow the caches, which differ between machines: these are the defaults.
CACHES = {"MACE_CPU_CACHES": "32768,8,1048576,33554432"}


def _total(command: list[str]) -> int:
    """Those of the process itself: the children that test kernels have totals of their own."""
    process = subprocess.Popen(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=os.environ | CACHES)
    _, errors = process.communicate()
    found = re.search(rf"=={process.pid}== Collected : (\d+)", errors)
    if process.returncode or not found:
        raise RuntimeError(f"{command[0]} under valgrind: {errors[-500:]}")
    return int(found[1])


def count(mace_run: Path, model: Path, options: tuple[str, ...] = ()) -> dict[str, int]:
    """Instructions of a start (load, checksum, packing, plan, first run) and of a later run.

    `model` is a path without suffix."""
    command = [str(mace_run), f"--model_file={model}.pb", f"--model_data_file={model}.data",
               "--num_threads=1", "--warmup=0", *options]
    one, three = (_total([*command, f"--round={n}"]) for n in (1, 3))
    run = (three - one) // 2
    return {"start": one - run, "run": run}
