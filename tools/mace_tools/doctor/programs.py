"""Checks of programs that build MACE, and what they are for.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import re
import subprocess

from mace_tools.doctor.finding import Check, Finding, Machine, State
from mace_tools.run import runner
from mace_tools.support import ndk
from mace_tools.support.exit_codes import MissingToolError

# The program, what it is for, and what installs it.
PROGRAMS = (
    ("bazel", "builds mace_run and libraries", "tools/setup.sh"),
    ("g++", "compiles for this machine", "tools/setup.sh"),
    ("aarch64-linux-gnu-g++", "compiles for arm64", "apt-get install g++-aarch64-linux-gnu"),
    ("arm-linux-gnueabihf-g++", "compiles for armhf", "apt-get install g++-arm-linux-gnueabihf"),
    ("qemu-aarch64", "runs programs for arm64 in tests", "apt-get install qemu-user"),
    ("java", "builds and tests the Java package", "apt-get install default-jdk-headless"),
    ("adb", "reaches phones", "apt-get install adb"),
    ("ssh", "reaches boards", "apt-get install openssh-client"),
)
TIMEOUT = 20


def programs(machine: Machine) -> list[Finding]:
    found = []
    for name, purpose, cure in PROGRAMS:
        path = machine.which(name)
        what = f"{name} ({purpose})"
        if path is None:
            found.append(Finding(what, State.MISSING, "not installed",
                                 f"`{cure}`, if you need it"))
        else:
            found.append(Finding(what, State.OK, f"{path}{version(path)}"))
    return found


def version(path: str) -> str:
    """What a program says of its version; empty if it says nothing soon."""
    flag = "-V" if path.endswith("ssh") else "-version" if path.endswith("java") else "--version"
    if path.endswith("bazel"):  # which would start its server
        return ""
    try:
        done = subprocess.run([path, flag], capture_output=True, text=True, errors="replace",
                              timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    number = re.search(r"\d+\.\d+[\w.+-]*", done.stdout + done.stderr)
    return f", {number[0]}" if number else ""


def android_ndk(machine: Machine) -> Finding:
    what = "Android NDK (compiles for phones)"
    try:
        found = ndk.find(("libraries for phones",))
    except MissingToolError as e:
        return Finding(what, State.MISSING, str(e).partition(": install")[0], "install the NDK, "
                       f"r{ndk.FOR_LARGE_PAGES} or later, and set {ndk.HOME} (docs/library.md), if "
                       "you build libraries for phones, or run models on their GPU or DSP")
    return Finding(what, State.OK, f"{found.home}, {found.version}")


def built(machine: Machine) -> list[Finding]:
    """The programs of this checkout."""
    found = []
    tools = [runner.MACE_RUN, runner.MACE_PLAN]
    for abi in runner.DEVICE_FLAGS:
        with contextlib.suppress(MissingToolError):  # of an NDK, of which android_ndk() tells
            tools.append(runner.for_abi(abi))
    for tool in tools:
        is_there = runner.is_built(tool)
        found.append(Finding(tool.title, State.OK if is_there else State.ABSENT,
                             str(runner.kept(tool)) if is_there else
                             "not built from these sources yet: the first command that needs it "
                             "builds it"))
    return found


CHECKS: tuple[Check, ...] = (programs, android_ndk, built)
