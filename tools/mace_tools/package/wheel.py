"""The Python package of the engine: its sources (mace/python), libmace.so, and the functions of
the C API as the headers declare them.

SPDX-License-Identifier: Apache-2.0

It calls the library by cffi without compiled code of its own, so that one wheel serves every
Python 3. The tag is that of the oldest systems which have the library's symbols, those of the C++
library among them.
"""

import importlib
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mace_tools.package.library import bundle, link, old_glibc
from mace_tools.package.library.abis import Abi
from mace_tools.package.library.engine import Engine
from mace_tools.support.exit_codes import MissingToolError, RunFailedError
from mace_tools.support.protos import REPO

SOURCES = REPO / "mace" / "python" / "mace"
# ABI -> the machine in the tag, its names in `uname -m`, and the width of its addresses.
MACHINES = {
    "arm64": ("aarch64", ("aarch64",), 64),
    "armhf": ("armv7l", ("armv7l", "armv8l", "aarch64"), 32),
}
# What systems of a manylinux_2_<row> tag have at most, by PEP 600's policies (of auditwheel 6).
POLICIES = (
    (17, {"GLIBCXX": (3, 4, 19), "CXXABI": (1, 3, 7), "GCC": (4, 7, 0)}),
    (24, {"GLIBCXX": (3, 4, 22), "CXXABI": (1, 3, 10), "GCC": (4, 7, 0)}),
    (27, {"GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7, 0, 0)}),
    (31, {"GLIBCXX": (3, 4, 28), "CXXABI": (1, 3, 12), "GCC": (7, 0, 0)}),
    (34, {"GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (7, 0, 0)}),
    (35, {"GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (7, 0, 0)}),
    (39, {"GLIBCXX": (3, 4, 33), "CXXABI": (1, 3, 15), "GCC": (14, 0, 0)}),
)
_IMPORT = re.compile(r"^( *)from mace(?=[. ])", re.MULTILINE)
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


@dataclass(frozen=True)
class Distribution:
    """The names of a package. `glibc`: the oldest that it is linked for; None: this system's."""

    name: str
    module: str
    glibc: tuple[int, int] | None = None


OWN = Distribution("mace", "mace")
# Of releases: other packages of PyPI are called `mace`, or import as such.
RELEASED = Distribution("mace-engine", "mace_engine", (2, 28))


def declarations() -> str:
    """The C API for cffi, which knows no directives."""
    order = re.findall(r'#include "mace/public/(mace_c_\w+\.h)"',
                       (bundle.HEADERS / "mace_c.h").read_text())
    # What the others include.
    first = ["mace_c_status.h", "mace_c_tensor.h", "mace_c_runtime.h", "mace_c_op.h",
             "mace_c_config.h"]
    names = [*first, *[n for n in order if n not in first], "mace_c.h",
             "mace_c_generator.h"]
    text = "\n".join((bundle.HEADERS / name).read_text() for name in names)
    text = _INLINE.sub("", text)
    text = _DIRECTIVE.sub("", _FOR_CPP.sub("", _COMMENT.sub("", text)))
    return re.sub(r"\n\s*\n+", "\n", text.replace("MACE_API ", ""))


def build(abi: Abi, engine: Engine, folder: Path, kind: Distribution = OWN) -> Path:
    """Writes the wheel. Errors: MissingToolError, RunFailedError."""
    machine, machines, bits = _target(abi)
    with tempfile.TemporaryDirectory(prefix="mace.wheel.") as temporary:
        work = Path(temporary)
        module = work / kind.module
        _functions(work, kind.module)
        library = module / link.SONAME
        merged = link.merge(abi, engine.archives, work)
        if kind.glibc is None:
            link.shared(abi, merged, library, work / "debug")
            glibc = oldest_glibc(abi, library)
        else:
            old_glibc.shared(abi, merged, kind.glibc, library, work / "debug")
            glibc = max(kind.glibc, oldest_glibc(abi, library))
        (module / "_built.py").write_text(BUILT.format(
            version=bundle.version(), headers=_header_version(), machine=machine,
            machines=machines, bits=bits, glibc=glibc))
        for path in SOURCES.iterdir():
            if path.suffix == ".py" or path.name == "py.typed":
                text = _IMPORT.sub(rf"\1from {kind.module}", path.read_text(encoding="utf-8"))
                (module / path.name).write_text(text, encoding="utf-8")
        for source, target in bundle.DOCUMENTS.items():
            shutil.copyfile(REPO / source, work / target)
        folder.mkdir(parents=True, exist_ok=True)
        tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{machine}"
        return _write(work, kind, tag, folder)


def _write(root: Path, kind: Distribution, tag: str, folder: Path) -> Path:
    """The wheel of the package below `root`; the same files make the same bytes."""
    builder = _needed("hatchling.builders.wheel").WheelBuilder

    class Builder(builder):  # type: ignore[misc, valid-type]
        def get_default_build_data(self) -> dict[str, Any]:
            return {**super().get_default_build_data(), "tag": tag, "pure_python": False}

    made = Builder(str(root), config={
        "project": {"name": kind.name, "version": bundle.version(), "requires-python": ">=3.9",
                    "description": "Runs neural networks on CPUs and GPUs",
                    "license": "Apache-2.0", "license-files": ["LICENSE", "NOTICES.txt"],
                    "dependencies": ["cffi>=1.15", "numpy>=1.23"]},
        "tool": {"hatch": {"build": {"ignore-vcs": True, "targets": {"wheel": {
            "packages": [kind.module], "core-metadata-version": "2.1"}}}}}})
    return Path(next(made.build(directory=str(folder))))


def oldest_glibc(abi: Abi, library: Path) -> tuple[int, int]:
    """The one that has every symbol which the library takes from the system, or that comes with a
    C++ library which has. Errors: RunFailedError."""
    text = link.run([abi.tool("objdump"), "-p", library])
    needed: dict[str, tuple[int, ...]] = {}
    for name, version in re.findall(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)\s*$", text,
                                    re.MULTILINE):
        found = tuple(int(part) for part in version.split("."))
        needed[name] = max(needed.get(name, ()), found)
    major, minor = (*needed.pop("GLIBC"), 0)[:2]
    for row, having in POLICIES:
        if all(version <= having[name] for name, version in needed.items()):
            return major, max(minor, row)
    raise RunFailedError(f"{library.name} needs {needed}, which no manylinux tag stands for; add a "
                         "newer row to POLICIES of tools/mace_tools/package/wheel.py")


def _target(abi: Abi) -> tuple[str, tuple[str, ...], int]:
    if abi.name in MACHINES:
        return MACHINES[abi.name]
    (machine,) = abi.processors
    return machine, (machine,), 64 if abi.is_64_bit else 32


def _header_version() -> int:
    major, minor, patch = (int(n) for n in bundle.version().split("."))
    return major * 1_000_000 + minor * 1000 + patch


def _functions(work: Path, module: str) -> None:
    """Writes the module of Python that cffi makes from the declarations."""
    builder = _needed("cffi").FFI()
    builder.cdef(declarations())
    builder.set_source(f"{module}._c", None)
    builder.compile(tmpdir=str(work))
    made = work / module / "_c.py"
    made.write_text(f"# SPDX-License-Identifier: Apache-2.0\n{made.read_text()}")


def _needed(name: str) -> Any:
    """Errors: MissingToolError."""
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise MissingToolError(f"the Python package needs {name.partition('.')[0]} to be made, "
                               "which is not installed: run `tools/setup.sh`") from e
