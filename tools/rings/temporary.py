"""Where tests put their temporary files.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Memory, where no call waits for a disk: beside other processes the calibration of a model of 10
# ops takes 4.0 s with its files on a disk, and 0.5 s here.
MEMORY = Path("/dev/shm")
ENOUGH = 6 << 30  # bytes: tests hold 1.1 GB at once, and programs need memory, too


@contextmanager
def files() -> Iterator[dict[str, str]]:
    """The environment of a program that makes many. What lies in memory is removed at the end."""
    if "TMPDIR" in os.environ or not is_large_enough():
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="mace_tests.", dir=MEMORY,
                                     ignore_cleanup_errors=True) as folder:
        yield {"TMPDIR": folder}


def is_large_enough() -> bool:
    try:
        found = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        available = int(found["MemAvailable"].split()[0]) << 10
        return (os.access(MEMORY, os.W_OK)
                and min(available, shutil.disk_usage(MEMORY).free) >= ENOUGH)
    except (OSError, KeyError, ValueError):
        return False
