"""Debian packages, without Debian's tools: an ar archive of two tar archives (deb(5)).

SPDX-License-Identifier: Apache-2.0
"""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from mace_tools.support.atomic import atomic_files

# By our names of ABIs: Debian's architecture, and the folder of its libraries.
ARCHITECTURES = {"x86_64": ("amd64", "x86_64-linux-gnu"), "arm64": ("arm64", "aarch64-linux-gnu"),
                 "armhf": ("armhf", "arm-linux-gnueabihf")}
_CONTROL = """\
Package: {package}
Version: {version}
Architecture: {architecture}
Maintainer: The MACE authors <mace@example.invalid>
Installed-Size: {kilobytes}
Depends: {depends}
Section: libs
Priority: optional
Description: Runs neural networks on CPUs, GPUs and DSPs
 The library of MACE with its headers for C++ and C, and files for CMake and
 pkg-config.
"""


def write(out: Path, package: str, version: str, architecture: str, depends: str,
          files: Mapping[str, bytes]) -> None:
    """`files`: by their paths without the leading slash."""
    control = _CONTROL.format(package=package, version=version, architecture=architecture,
                              depends=depends,
                              kilobytes=-(-sum(map(len, files.values())) // 1024))
    sums = "".join(f"{hashlib.md5(data, usedforsecurity=False).hexdigest()}  {name}\n"
                   for name, data in sorted(files.items()))
    members = {"debian-binary": b"2.0\n",
               "control.tar.gz": _tar({"control": control.encode(), "md5sums": sums.encode()}),
               "data.tar.gz": _tar(files)}
    with atomic_files(out) as (file,):
        file.write(b"!<arch>\n")
        for name, data in members.items():
            file.write(f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode())
            file.write(data + b"\n" * (len(data) % 2))


def _tar(files: Mapping[str, bytes]) -> bytes:
    """With the folders above each file; the same files make the same bytes."""
    folders = {str(parent) for name in files for parent in PurePosixPath(name).parents}
    raw = io.BytesIO()
    with (gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
          tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar):  # fmt: skip
        for name in sorted({*folders, *files}):
            entry = tarfile.TarInfo("./" if name == "." else f"./{name}")
            entry.uname = entry.gname = "root"
            if name in files:
                entry.mode, entry.size = 0o644, len(files[name])
                tar.addfile(entry, io.BytesIO(files[name]))
            else:
                entry.mode, entry.type = 0o755, tarfile.DIRTYPE
                tar.addfile(entry)
    return raw.getvalue()
