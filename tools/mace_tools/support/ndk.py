"""The Android NDK that ANDROID_NDK_HOME names, and what it needs to be.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mace_tools.support.console import Console
from mace_tools.support.exit_codes import MissingToolError

HOME = "ANDROID_NDK_HOME"
# The first and the last major version with the layout that is known here. A newer one is tried.
OLDEST, NEWEST = 25, 29
# From here on the C++ library, too, fits pages of 16 KB. One of them, as sdkmanager calls it.
FOR_LARGE_PAGES, RECOMMENDED = 28, "28.2.13676358"
# The programs, by the names that they have in GCC's and binutils' toolchains.
PROGRAMS = {"gcc": "clang", "g++": "clang++", "ld": "ld.lld", "ar": "llvm-ar", "nm": "llvm-nm",
            "objcopy": "llvm-objcopy", "strip": "llvm-strip",
            "c++filt": "llvm-cxxfilt"}  # fmt: skip
_OTHERS = {"libraries": "; `--target_abis=host,arm64,armhf` builds for Linux without it",
           "mace_run": f"; without {HOME}, phones get a static program of Linux, which runs models "
                       "on the CPU only"}  # fmt: skip
_CURE = (f"install the Android NDK (r{FOR_LARGE_PAGES} or later: `sdkmanager "
         f"\"ndk;{RECOMMENDED}\"`, or https://developer.android.com/ndk/downloads) and write "
         f"`export {HOME}=/path/to/ndk`")


@dataclass(frozen=True)
class Ndk:
    home: Path
    version: str  # as 28.2.13676358

    @property
    def major(self) -> int:
        return int(self.version.partition(".")[0])

    @property
    def bin(self) -> Path:
        return self.home / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64" / "bin"

    def tool(self, name: str) -> str:
        return str(self.bin / PROGRAMS[name])


def find(abis: Sequence[str], of: str = "libraries") -> Ndk:
    """The NDK for these ABIs of `libraries` or of `mace_run`. Errors: MissingToolError, which says
    what to install and to set."""
    needs = "need" if of == "libraries" else "needs"
    what = f"{', '.join(abis)}: {of} for Android {needs} the Android NDK, and "
    cure = _CURE + _OTHERS[of]
    given = os.environ.get(HOME, "")
    if not given:
        raise MissingToolError(f"{what}{HOME} is not set: {cure}")
    home = Path(given)
    named = f"{what}{HOME}={given}"
    if not home.is_dir():
        raise MissingToolError(f"{named} is no folder: {cure}")
    if not home.is_absolute():
        raise MissingToolError(f"{named} is no absolute path: write `export {HOME}="
                               f"{home.resolve()}`")
    ndk = Ndk(home, _version(home, named, cure))
    if ndk.major < OLDEST:
        raise MissingToolError(f"{named} is of version {ndk.version}, and MACE is built with r"
                               f"{OLDEST} or later: {cure}")
    if ndk.major > NEWEST:
        _warn(f"{HOME}={given} is of version {ndk.version}, and r{NEWEST} is the last one that "
              f"MACE knows: it is tried; if it fails, `sdkmanager \"ndk;{RECOMMENDED}\"`")
    missing = [name for name in PROGRAMS.values() if not os.access(ndk.bin / name, os.X_OK)]
    if missing:
        raise MissingToolError(f"{named} has no {ndk.bin / missing[0]}: this machine needs the NDK "
                               "for Linux on x86-64, unpacked as a whole")
    return ndk


@cache
def _warn(text: str) -> None:
    """Once, although several steps of a command look for the NDK."""
    Console().warn(text)


def _version(home: Path, named: str, cure: str) -> str:
    """As source.properties has it."""
    try:
        text = (home / "source.properties").read_text(errors="replace")
    except OSError as e:
        raise MissingToolError(f"{named} is no Android NDK: {home}/source.properties cannot be "
                               f"read ({e.strerror}): {cure}") from e
    found = re.search(r"^\s*Pkg\.Revision\s*=\s*(\d+(\.[\w.-]+)?)\s*$", text, re.MULTILINE)
    if found is None or "NDK" not in text:
        raise MissingToolError(f"{named} is no Android NDK: {home}/source.properties names no "
                               f"version of one (Pkg.Desc, Pkg.Revision): {cure}")
    return found[1]
