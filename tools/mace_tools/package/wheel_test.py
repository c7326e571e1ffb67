"""The tag of the Python package.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from mace_tools.package import wheel
from mace_tools.package.library import link
from mace_tools.package.library.abis import ABIS
from mace_tools.support.exit_codes import RunFailedError

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
