"""A fake of the Android NDK: its layout, with Debian's Clang and the headers of Debian's cross
compilers.

SPDX-License-Identifier: Apache-2.0

What it compiles has the branches of __ANDROID__ and the NDK's flags, but the C library of Debian;
what it links runs under qemu.
"""

import os
import subprocess
from pathlib import Path

from mace_tools.package import java
from mace_tools.package.library import link
from mace_tools.package.library.abis import ABIS
from mace_tools.support import ndk

LLVM = "19"
TRIPLES = {"aarch64": "aarch64-linux-gnu", "armv7a": "arm-linux-gnueabihf",
           "x86_64": "x86_64-linux-gnu"}  # fmt: skip
_CLANG = """\
#!/bin/bash
# Records its arguments in link.txt where it links.
here={llvm}
if [[ $# == 1 && $1 == @* ]]; then  # a file of arguments, one on each line, as Bazel writes it
  mapfile -t arguments <"${{1#@}}"
  set -- "${{arguments[@]}}"
fi
case " $* " in
  *" --target=aarch64-linux-android"*) triple=aarch64-linux-gnu ;;
  *" --target=armv7a-linux-androideabi"*) triple=arm-linux-gnueabihf ;;
  *" --target=x86_64-linux-android"*) triple=x86_64-linux-gnu ;;
  *) echo "no --target of Android: $*" >&2; exit 1 ;;
esac
[[ " $* " != *" --version "* ]] || {{ echo "Android clang version 17.0.2 ($triple)"; exit 0; }}
c=$here/sysroot/$triple
if [[ " $* " == *" -c "* ]]; then
  exec {name}-{version} "$@" -resource-dir "$here/lib/clang" -nostdinc++ -nostdlibinc \\
    -isystem "$here/sysroot/stubs" -isystem "$c/c++/12" -isystem "$c/bits" -isystem "$c/system" \\
    -isystem "$c"
fi
(printf '%s\\n' "$@" >"$here/link.txt") 2>/dev/null  # Bazel's sandbox cannot write it
exec {name}-{version} "${{@/--target=*/--target=$triple}}" --ld-path=/usr/bin/ld.lld-{version} \\
  -Wno-unused-command-line-argument
"""
_PROPERTIES = """\
// Of a system without properties.
#define PROP_VALUE_MAX 92
static inline int __system_property_get(const char* name, char* value) {
  (void)name;
  *value = 0;
  return 0;
}
"""


def make(folder: Path, version: str = "26.1.10909125") -> Path:
    """Makes it in a folder that does not exist yet, and returns that."""
    llvm = folder.resolve() / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64"
    (llvm / "bin").mkdir(parents=True)
    (folder / "source.properties").write_text(
        f"Pkg.Desc = Android NDK\nPkg.Revision = {version}\n")
    for name in (*ndk.PROGRAMS.values(), "llvm-objdump"):
        file = llvm / "bin" / name
        if name in ("clang", "clang++"):
            file.write_text(_CLANG.format(llvm=llvm, name=name, version=LLVM))
        else:
            file.write_text(f'#!/bin/sh\nexec {name}-{LLVM} "$@"\n')
        file.chmod(0o755)
    _headers(llvm)
    return folder


def _headers(llvm: Path) -> None:
    """Links to the headers, since Bazel allows those of the toolchain's folder only."""
    (llvm / "lib").mkdir()
    (llvm / "lib" / "clang").symlink_to(f"/usr/lib/llvm-{LLVM}/lib/clang/{LLVM}")
    stubs = llvm / "sysroot" / "stubs" / "gnu"
    stubs.mkdir(parents=True)
    (stubs / "stubs-soft.h").touch()  # which a C library for floats in registers has not
    (stubs.parent / "sys").mkdir()
    (stubs.parent / "sys" / "system_properties.h").write_text(_PROPERTIES)
    for triple in TRIPLES.values():
        folder = llvm / "sysroot" / triple
        folder.mkdir()
        include = Path("/usr") / triple / "include"
        if triple == TRIPLES["x86_64"]:
            include = Path("/usr/include")
            bits = include / triple / "c++" / "12"
        else:
            bits = include / "c++" / "12" / triple
        (folder / "bits").symlink_to(bits)
        (folder / "c++").symlink_to(include / "c++")
        (folder / "system").symlink_to(include / triple if (include / triple).is_dir() else include)
        for file in include.iterdir():
            if file.name != "c++" and not (folder / file.name).exists():
                (folder / file.name).symlink_to(file)


def add_for_java(folder: Path, page_bytes: int = link.PAGE_BYTES) -> None:
    """What only the Java package needs of an NDK: JNI's headers, and its C++ library, of which this
    one has the name alone, with segments for such pages."""
    llvm = folder.resolve() / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64"
    for header in ("jni.h", "linux/jni_md.h"):
        name = header.rpartition("/")[2]
        (llvm / "sysroot" / "stubs" / name).symlink_to(java.jdk() / "include" / header)
    source = llvm / "empty.c"
    source.touch()
    for name, triple in java.NDK_TRIPLES.items():
        out = llvm / "sysroot" / "usr" / "lib" / triple / java.CXX
        out.parent.mkdir(parents=True)
        subprocess.run([f"clang-{LLVM}", ABIS[name].flags[0], "-shared", "-nostdlib",
                        f"--ld-path=/usr/bin/ld.lld-{LLVM}", f"-Wl,-soname,{java.CXX}",
                        f"-Wl,-z,max-page-size={page_bytes}", "-o", out, source], check=True)


def arguments_of_linker(folder: Path) -> list[str]:
    """Those of the last link."""
    llvm = folder / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64"
    return (llvm / "link.txt").read_text().splitlines()


def use(folder: Path) -> None:
    os.environ[ndk.HOME] = str(folder)
