"""The ABIs that a library can be built for, and the programs that build for each.

SPDX-License-Identifier: Apache-2.0
"""

import platform
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from mace_tools.support import ndk
from mace_tools.support.exit_codes import MissingToolError
from mace_tools.support.ndk import Ndk

Software = tuple[str, str, str]  # its name, its version and its licence in SPDX's words


@dataclass(frozen=True)
class Abi:
    name: str
    triple: str  # before the names of the compiler's programs; empty: this machine's
    bazel: tuple[str, ...]  # the flags of its engine
    package: str  # of Debian, which has the compiler; empty: it is in the NDK
    flags: tuple[str, ...] = ()  # of the compiler
    sysroot: str = ""  # Debian's libraries for it
    processors: tuple[str, ...] = ()  # as CMAKE_SYSTEM_PROCESSOR has them
    is_64_bit: bool = True
    link_time: tuple[str, ...] = ()  # flags of its optimisation when shared libraries are linked
    layout: str = ""  # of its shared libraries, a linker script among the templates
    near: str = ""  # what Bazel calls the flags of shared libraries of less than 1 MB
    ndk: Ndk | None = None  # of an ABI of Android, once it is found

    @property
    def is_android(self) -> bool:
        return not self.package

    def tool(self, name: str) -> str:
        """The path of g++, ld, ar, strip, ... Errors: MissingToolError."""
        if self.ndk is not None:
            return self.ndk.tool(name)
        full = f"{self.triple}-{name}" if self.triple else name
        path = shutil.which(full)
        if path is None:
            raise MissingToolError(f"{full}, which builds for {self.name}, is not installed: "
                                   f"`apt-get install {self.package}`, or `tools/setup.sh "
                                   "--for test`")
        return path

    def compiler(self) -> str:
        """What it says of itself, which includes its version."""
        return subprocess.run([self.tool("g++"), *self.flags, "--version"], check=True,
                              capture_output=True, text=True).stdout

    def cxx(self) -> Software:
        """The C++ library that the compiler links statically."""
        if self.ndk is not None:
            return "libc++", f"NDK {self.ndk.version}", "Apache-2.0 WITH LLVM-exception"
        version = subprocess.run([self.tool("g++"), "-dumpfullversion"], check=True,
                                 capture_output=True, text=True).stdout.strip()
        return "libstdc++", version, "GPL-3.0-or-later WITH GCC-exception-3.1"

    @property
    def library_folders(self) -> tuple[Path, ...]:
        """Where the linker finds Debian's libraries besides its own."""
        if not self.sysroot:
            return ()
        return tuple(Path(self.sysroot) / place / self.triple for place in ("usr/lib", "lib"))


ARM = ("--config=library", "--config=library_lto")
# One partition: GCC drops and merges only what it sees at once. The other flags are those of
# .bazelrc which do not travel with the intermediate code.
LINK_TIME = ("-flto", "-flto-partition=one", "-Os", "-fPIC", "-g1", "-ffp-contract=off",
             "-ffunction-sections", "-fdata-sections", "-fno-exceptions", "-fomit-frame-pointer",
             "-fno-asynchronous-unwind-tables", "-fno-unwind-tables")  # fmt: skip
# The first version of Android that runs the library; third_party/toolchains/ndk_toolchain.bzl has
# it, too.
API = 21


def _android(name: str, config: str, triple: str, *flags: str, is_64_bit: bool = True) -> Abi:
    # The suffix keeps its results apart from those for Linux on the same CPU.
    bazel = (f"--config={config}", "--config=library", "--platform_suffix=-android-library")
    return Abi(name, triple, bazel, "", (f"--target={triple}{API}", *flags), is_64_bit=is_64_bit)


ABIS = {abi.name: abi for abi in (
    Abi("host", "", (), "g++", processors=(platform.machine(),)),
    Abi("arm64", "aarch64-linux-gnu", ("--config=aarch64", *ARM), "g++-aarch64-linux-gnu",
        ("-march=armv8-a",), "/opt/mace-sysroot/arm64", ("aarch64", "arm64"), link_time=LINK_TIME,
        layout="arm64.ld", near="library_near"),
    Abi("armhf", "arm-linux-gnueabihf", ("--config=armv7", *ARM), "g++-arm-linux-gnueabihf",
        ("-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=hard"), "/opt/mace-sysroot/armhf",
        ("arm", "armv7l", "armv7-a", "armhf"), is_64_bit=False, link_time=LINK_TIME),
    _android("arm64-v8a", "android_arm64", "aarch64-linux-android"),
    _android("armeabi-v7a", "android_arm", "armv7a-linux-androideabi", "-mfpu=neon-vfpv4",
             is_64_bit=False),
    _android("x86_64", "android_x86_64", "x86_64-linux-android"),
)}  # fmt: skip
ANDROID = tuple(name for name, abi in ABIS.items() if abi.is_android)


def find(names: tuple[str, ...]) -> list[Abi]:
    """Errors: MissingToolError, before anything is built, for the first that cannot be built."""
    android = [name for name in names if name in ANDROID]
    found_ndk = ndk.find(android) if android else None
    found = [replace(ABIS[name], ndk=found_ndk) if name in android else ABIS[name]
             for name in names]
    for abi in found:
        for tool in ("g++", "ar", "objcopy", "strip"):
            abi.tool(tool)
    return found
