"""The Python package of the engine: its sources (mace/python), libmace.so, and the functions of
the C API as the headers declare them.

SPDX-License-Identifier: Apache-2.0

It calls the library by cffi without compiled code of its own, so that one wheel serves every
Python 3. The tag names the glibc of the machine that the library was built for, since it also needs
a C++ library that is as new.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from mace_tools import wheel_file
from mace_tools.exit_codes import MissingToolError
from mace_tools.library import link, package
from mace_tools.library.abis import Abi
from mace_tools.library.engine import Engine
from mace_tools.protos import REPO

SOURCES = REPO / "mace" / "python" / "mace"
MODULE = "mace"
# ABI -> the machine in the tag, its names in `uname -m`, and the width of its addresses.
MACHINES = {
    "arm64": ("aarch64", ("aarch64",), 64),
    "armhf": ("armv7l", ("armv7l", "armv8l", "aarch64"), 32),
}
_DIRECTIVE = re.compile(r"^[ \t]*#.*(?:\\\n.*)*$", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*")
_INLINE = re.compile(r"^static inline .*?^}", re.DOTALL | re.MULTILINE)
_FOR_CPP = re.compile(r"#ifdef __cplusplus\n.*?#endif", re.DOTALL)
BUILT = '''\
"""What the library of this package was built for.

SPDX-License-Identifier: Apache-2.0
"""

VERSION = "{version}"
HEADERS = {headers}
SYSTEM = "Linux"
MACHINE = "{machine}"
MACHINES = {machines}
BITS = {bits}
GLIBC = {glibc}
'''


def declarations() -> str:
    """The C API for cffi, which knows no directives."""
    order = re.findall(r'#include "mace/public/(mace_c_\w+\.h)"',
                       (package.HEADERS / "mace_c.h").read_text())
    # What the others include.
    first = ["mace_c_status.h", "mace_c_tensor.h", "mace_c_runtime.h", "mace_c_op.h",
             "mace_c_config.h"]
    names = [*first, *[n for n in order if n not in first], "mace_c.h"]
    text = "\n".join((package.HEADERS / name).read_text() for name in names)
    text = _INLINE.sub("", text)
    text = _DIRECTIVE.sub("", _FOR_CPP.sub("", _COMMENT.sub("", text)))
    return re.sub(r"\n\s*\n+", "\n", text.replace("MACE_API ", ""))


def build(abi: Abi, engine: Engine, folder: Path) -> Path:
    """Writes the wheel. Errors: MissingToolError, RunFailedError."""
    machine, machines, bits, glibc = _target(abi)
    with tempfile.TemporaryDirectory(prefix="mace.wheel.") as temporary:
        work = Path(temporary)
        library = work / link.SONAME
        link.shared(abi, link.merge(abi, engine.archives, work), library, work / "debug")
        files = {f"{MODULE}/{p.name}": p.read_bytes() for p in sorted(SOURCES.iterdir())
                 if p.suffix == ".py" or p.name == "py.typed"}
        files[f"{MODULE}/_built.py"] = BUILT.format(
            version=package.version(), headers=_header_version(), machine=machine,
            machines=machines, bits=bits, glibc=glibc).encode()
        files[f"{MODULE}/_c.py"] = _functions(work)
        files[f"{MODULE}/{link.SONAME}"] = library.read_bytes()
    licences = {target: (REPO / source).read_bytes()
                for source, target in package.DOCUMENTS.items() if target != "CHANGELOG.md"}
    wheel = wheel_file.Wheel(
        "mace", package.version(), f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{machine}",
        "Runs neural networks on CPUs and GPUs", ">=3.9", ("cffi>=1.15", "numpy>=1.23"),
        licences=licences)
    return wheel_file.write(wheel, files, folder)


def _target(abi: Abi) -> tuple[str, tuple[str, ...], int, tuple[int, int]]:
    if abi.name in MACHINES:
        header = Path(f"/usr/{abi.triple}/include/features.h").read_text()  # of the cross compiler
        major, minor = (re.search(rf"^#define\s+__GLIBC{part}__\s+(\d+)", header, re.MULTILINE)
                        for part in ("", "_MINOR"))
        assert major is not None and minor is not None
        return (*MACHINES[abi.name], (int(major[1]), int(minor[1])))
    version = link.run(["getconf", "GNU_LIBC_VERSION"]).split()[-1].split(".")
    (machine,) = abi.processors
    return machine, (machine,), 64 if abi.is_64_bit else 32, (int(version[0]), int(version[1]))


def _header_version() -> int:
    major, minor, patch = (int(n) for n in package.version().split("."))
    return major * 1_000_000 + minor * 1000 + patch


def _functions(work: Path) -> bytes:
    """A module of Python that cffi makes from the declarations."""
    try:
        import cffi
    except ImportError as e:
        raise MissingToolError("the Python package needs cffi to be made, which is not installed: "
                               "run `tools/setup.sh`") from e
    builder = cffi.FFI()
    builder.cdef(declarations())
    builder.set_source(f"{MODULE}._c", None)
    builder.compile(tmpdir=str(work))
    text = (work / MODULE / "_c.py").read_text()
    return f"# SPDX-License-Identifier: Apache-2.0\n{text}".encode()
