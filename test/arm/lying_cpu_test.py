"""CPUs that claim instructions which they lack: what needs these is switched off before it is used.

SPDX-License-Identifier: Apache-2.0

The program claims all features, and qemu emulates CPUs that have few.
"""

import re
import subprocess
from pathlib import Path

import pytest

from mace_tools.support import bazel
from mace_tools.support.console import Console
from mace_tools.testing.needed import need_tools

pytestmark = pytest.mark.deep
TARGET = "//mace/cpu:common/lying_cpu_test"
QEMU_ARM = Path(__file__).parents[2] / "third_party/toolchains/qemu_aarch64.sh"
# The emulated CPUs, and how many micro-kernels at least are switched off there.
CPUS = {
    "x86-64 without AVX": ([], ["qemu-x86_64", "-cpu", "Nehalem"], 30),
    "x86-64 without AVX-512": ([], ["qemu-x86_64", "-cpu", "max"], 20),
    "Arm without extensions": (["--config=aarch64"], ["env", "QEMU_CPU=cortex-a53", QEMU_ARM], 8),
    "Arm with dot products": (["--config=aarch64"], ["env", "QEMU_CPU=neoverse-n1", QEMU_ARM], 1),
}


@pytest.mark.parametrize("cpu", CPUS)
def test_what_a_cpu_lacks_is_switched_off(cpu):
    flags, emulator, least = CPUS[cpu]
    need_tools("qemu-x86_64", "qemu-aarch64", "aarch64-linux-gnu-g++")
    # In bazel-bin, where it finds its libraries.
    done = bazel.output(Console(), flags, [TARGET], lambda built: subprocess.run(
        [*emulator, built / "mace/cpu/common/lying_cpu_test"], capture_output=True, text=True,
        check=False, timeout=600))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    found = re.search(r"switched off: (\d+)", done.stdout)
    assert found and int(found[1]) >= least, done.stdout[-1000:]
