"""The ABIs that a library can be built for, and the programs that build for each.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from mace_tools.exit_codes import MissingToolError

NDK = "ANDROID_NDK_HOME"


@dataclass(frozen=True)
class Abi:
    name: str
    triple: str  # before the names of the compiler's programs; empty: this machine's
    bazel: tuple[str, ...]  # the flags of its engine
    package: str  # of Debian, which has the compiler
    flags: tuple[str, ...] = ()  # of the compiler
    sysroot: str = ""  # Debian's libraries for it
    processors: tuple[str, ...] = ()  # as CMAKE_SYSTEM_PROCESSOR has them
    is_64_bit: bool = True

    def tool(self, name: str) -> str:
        """The path of g++, ld, ar, strip, ... Errors: MissingToolError."""
        full = f"{self.triple}-{name}" if self.triple else name
        path = shutil.which(full)
        if path is None:
            raise MissingToolError(f"{full}, which builds for {self.name}, is not installed: "
                                   f"`apt-get install {self.package}`, or `tools/setup.sh "
                                   "--for test`")
        return path

    @property
    def library_folders(self) -> tuple[Path, ...]:
        """Where the linker finds Debian's libraries besides its own."""
        if not self.sysroot:
            return ()
        return tuple(Path(self.sysroot) / place / self.triple for place in ("usr/lib", "lib"))


ARM = ("--config=library",)
ABIS = {abi.name: abi for abi in (
    Abi("host", "", (), "g++", processors=(platform.machine(),)),
    Abi("arm64", "aarch64-linux-gnu", ("--config=aarch64", *ARM), "g++-aarch64-linux-gnu",
        ("-march=armv8-a",), "/opt/mace-sysroot/arm64", ("aarch64", "arm64")),
    Abi("armhf", "arm-linux-gnueabihf", ("--config=armv7", *ARM), "g++-arm-linux-gnueabihf",
        ("-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=hard"), "/opt/mace-sysroot/armhf",
        ("arm", "armv7l", "armv7-a", "armhf"), is_64_bit=False),
)}  # fmt: skip
# Those of Android, whose compiler is the NDK's.
ANDROID = ("arm64-v8a", "armeabi-v7a", "x86_64")
ALL = (*ABIS, *ANDROID)


def find(names: tuple[str, ...]) -> list[Abi]:
    """Errors: MissingToolError, before anything is built, for the first that cannot be built."""
    android = [name for name in names if name in ANDROID]
    if android:
        _check_ndk(android)
    found = [ABIS[name] for name in names]
    for abi in found:
        for tool in ("g++", "ar", "objcopy", "strip"):
            abi.tool(tool)
    return found


def _check_ndk(names: list[str]) -> None:
    """What is missing to build for Android. Errors: MissingToolError, always."""
    wanted = ", ".join(names)
    home = os.environ.get(NDK, "")
    others = "; `--target_abis=host,arm64,armhf` builds for Linux without it"
    if not home:
        raise MissingToolError(f"{wanted}: libraries for Android need the Android NDK, and {NDK} "
                               "is not set: install the NDK and write `export "
                               f"{NDK}=/path/to/ndk`{others}")
    if not (Path(home) / "toolchains" / "llvm").is_dir():
        raise MissingToolError(f"{wanted}: {NDK}={home} is no Android NDK: there is no "
                               f"{home}/toolchains/llvm{others}")
    raise MissingToolError(f"{wanted}: this release builds libraries for Linux only; packages for "
                           f"Android come later{others}")
