"""Programs for machines with addresses of 32 bits, for mutants that overflow only there.

SPDX-License-Identifier: Apache-2.0

`i686` is built by clang under the sanitizers, and runs on this machine with Debian's libraries of
i386, which are unpacked into the cache on first use. `armhf` is built by Debian's cross compiler
without sanitizers, which do not work in qemu-arm, and runs there.
"""

import os
import platform
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLCHAINS = ROOT / "third_party/toolchains"
CACHE = Path(os.environ.get("MACE_CACHE") or Path.home() / ".cache/mace") / "i386"
CLANG = "clang_i686.sh"
# By release of Debian.
_OF_RELEASE = {
    "bookworm": ("libgcc-12-dev", "libprotobuf32", "libstdc++-12-dev", "libyaml-cpp0.7"),
    "trixie": ("libgcc-14-dev", "libprotobuf32t64", "libstdc++-14-dev", "libyaml-cpp0.8"),
}
_PACKAGES = ("libc6", "libc6-dev", "libcli11-dev", "libcrypt-dev", "libgcc-s1", "libgmock-dev",
             "libgtest-dev", "libprotobuf-dev", "libstdc++6", "libxxhash-dev", "libxxhash0",
             "libyaml-cpp-dev", "linux-libc-dev", "nlohmann-json3-dev", "zlib1g", "zlib1g-dev")
# Micro-kernels of 64-bit CPUs, which no table of others names, are not compiled to the end.
_I686 = (f"--repo_env=CC={CACHE / CLANG}", "--config=asan", "--platform_suffix=-i686",
         "--define=opencl=false", "--linkopt=-fuse-ld=lld", "--copt=-Wno-unknown-warning-option",
         r"--per_file_copt=.*__(avx|amx).*\.cc@-flto")
FLAGS = {"i686": _I686, "armhf": ("--config=armv7",)}


def prepare(abi: str | None) -> None:
    """Unpacks what the compiler of this ABI needs."""
    if abi == "i686":
        release = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
        if release not in _OF_RELEASE:
            raise SystemExit(f"robustness: --abi=i686 needs Debian {' or '.join(_OF_RELEASE)}; "
                             f"this is '{release}': use the image of docker/Dockerfile")
        packages = sorted([*_PACKAGES, *_OF_RELEASE[release]])
        listed = CACHE / "packages.txt"
        if not listed.exists() or listed.read_text().split() != packages:
            done = subprocess.run([TOOLCHAINS / "fetch_sysroot.sh", release, "i386", CACHE,
                                   *packages], check=False)
            if done.returncode:
                raise SystemExit("robustness: --abi=i686 needs Debian's libraries of i386, which"
                                 " could not be fetched (see above): check the network")
        resolve_links(CACHE)
        shutil.copy(Path(__file__).with_name(CLANG), CACHE)


def resolve_links(folder: Path) -> None:
    """Links to absolute paths mean those in the folder."""
    for path in folder.rglob("*"):
        if path.is_symlink() and (to := os.readlink(path)).startswith("/"):
            path.unlink()
            path.symlink_to(os.path.relpath(folder / to[1:], path.parent))


def startable(abi: str, targets: Iterable[str], programs: Path, out: Path) -> Path:
    """A folder as `programs` is, bazel-bin of this ABI, with what this machine can start."""
    if abi != "armhf":
        return programs
    for target in targets:
        name = target.removeprefix("//").replace(":", "/")
        script = out / "under_qemu" / name
        script.parent.mkdir(parents=True, exist_ok=True)
        words = shlex.join([str(TOOLCHAINS / "qemu_armv7.sh"), str(programs / name)])
        script.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        script.chmod(0o755)
    return out / "under_qemu"
