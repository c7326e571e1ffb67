"""The tag of the Python package.

SPDX-License-Identifier: Apache-2.0
"""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from mace_tools.package import wheel
from mace_tools.package.library import bundle, link
from mace_tools.package.library.abis import ABIS
from mace_tools.support.exit_codes import MissingToolError, RunFailedError

HOST = ABIS["host"]
HEAD = "\nVersion References:\n  required from libc.so.6:\n"


def references(*names: str) -> str:
    """As `objdump -p` prints them."""
    return HEAD + "".join(f"    0x06969194 0x00 05 {name}\n" for name in names)


@pytest.mark.parametrize(("names", "glibc"), [
    (["GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.4", "GLIBCXX_3.4.29", "CXXABI_1.3.9", "GCC_3.4"],
     (2, 34)),
    (["GLIBC_2.34", "GLIBCXX_3.4.30"], (2, 35)),  # of the C++ library of GCC 12
    (["GLIBC_2.36", "GLIBCXX_3.4.21"], (2, 36)),
    (["GLIBC_2.14"], (2, 17)),
    (["GLIBC_2.17", "GLIBCXX_3.4.20"], (2, 24)),
    (["GLIBC_2.38", "CXXABI_1.3.15"], (2, 39)),
])
def test_the_tag_is_that_of_the_oldest_system_with_the_symbols(monkeypatch, names, glibc):
    monkeypatch.setattr(link, "run", lambda command: references(*names))
    assert wheel.oldest_glibc(HOST, Path("libmace.so")) == glibc


def test_symbols_that_no_tag_has_are_refused(monkeypatch):
    monkeypatch.setattr(link, "run", lambda command: references("GLIBC_2.50", "GLIBCXX_3.4.99"))
    with pytest.raises(RunFailedError, match=r"libmace.so needs .*\(3, 4, 99\)"):
        wheel.oldest_glibc(HOST, Path("libmace.so"))


def test_the_symbols_of_a_library_are_read(tmp_path):
    """Not the version of the machine: a function that has been there from the beginning."""
    if shutil.which("gcc") is None:
        pytest.fail("not installed: gcc")
    source, library = tmp_path / "a.c", tmp_path / "a.so"
    source.write_text("#include <string.h>\nint f(const char* x) { return strcmp(x, x + 1); }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
    assert wheel.oldest_glibc(HOST, library) == (2, 17)


def test_the_same_files_make_the_same_wheel(tmp_path):
    wheels = []
    for name, mode in (("first", 0o644), ("second", 0o600)):
        root = tmp_path / name
        (root / "mace").mkdir(parents=True)
        for file in ("LICENSE", "NOTICES.txt", "other.o", "mace/__init__.py", "mace/libmace.so"):
            (root / file).write_text(file)
            (root / file).chmod(mode)
        wheels.append(wheel._write(root, wheel.OWN, "py3-none-manylinux_2_34_x86_64", root / "out"))
    one, two = wheels
    assert one.name == f"mace-{bundle.version()}-py3-none-manylinux_2_34_x86_64.whl"
    assert one.read_bytes() == two.read_bytes()
    with zipfile.ZipFile(one) as archive:
        (info,) = {n.partition("/")[0] for n in archive.namelist()} - {"mace"}
        assert [n for n in archive.namelist() if n.startswith("mace/")] == [
            "mace/__init__.py", "mace/libmace.so"]
        record = archive.read(f"{info}/RECORD").decode()
        assert sorted(row.split(",")[0] for row in record.splitlines()) == sorted(
            archive.namelist())
        assert "mace/libmace.so,sha256=" in record and f"{info}/licenses/NOTICES.txt" in record
        about = archive.read(f"{info}/WHEEL").decode().splitlines()
        assert "Root-Is-Purelib: false" in about
        assert "Tag: py3-none-manylinux_2_34_x86_64" in about
        metadata = archive.read(f"{info}/METADATA").decode().splitlines()
    assert {"Name: mace", "License: Apache-2.0", "Requires-Python: >=3.9",
            "Requires-Dist: cffi>=1.15", "Requires-Dist: numpy>=1.23"} <= set(metadata)


def test_a_missing_package_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "hatchling", None)
    monkeypatch.setitem(sys.modules, "hatchling.builders.wheel", None)
    with pytest.raises(MissingToolError, match="needs hatchling to be made.*tools/setup.sh"):
        wheel._write(tmp_path, wheel.OWN, "py3-none-any", tmp_path)
