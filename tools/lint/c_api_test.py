"""mace_c.h declares what the library exports for C, says who may call it, and is C.

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess

import pytest

from lint.tree import ROOT, bare_code

PUBLIC = ROOT / "mace" / "public"
HEADERS = ["mace_c.h", *sorted(path.name for path in PUBLIC.glob("mace_c_*.h"))]
# What calls the functions: the tests, in C.
TESTS = sorted((ROOT / "mace" / "capi" / "testing").glob("*.c"))
WARNINGS = ("-pedantic", "-Wall", "-Wextra", "-Werror")
COMPILERS = [
    ("gcc", "-std=c99", "-Wstrict-prototypes"), ("gcc", "-std=c17", "-Wstrict-prototypes"),
    ("clang-19", "-std=c99", "-Wstrict-prototypes"), ("g++", "-std=c++11"),
    ("clang++-19", "-std=c++11"), ("g++", "-std=c++20"),
]  # fmt: skip


def declared():
    """The functions, and the comment before each or before the group in which it stands."""
    found = {}
    for header in HEADERS:
        text = (PUBLIC / header).read_text()
        for paragraph in re.split(r"\n\s*\n", text):
            comment = " ".join(line.lstrip("/ ") for line in paragraph.splitlines()
                               if line.startswith("//"))
            for name in re.findall(r"MACE_API[^;]*?\b(mace_\w+)\s*\(", bare_code(paragraph)):
                found[name] = comment
    return found


def exported():
    lines = (PUBLIC / "exports.txt").read_text().splitlines()
    return [line for line in lines if line.startswith("mace_")]


def test_what_is_exported_is_declared():
    assert len(exported()) > 100
    assert sorted(exported()) == sorted(declared())


def test_every_function_says_which_threads_may_call_it():
    silent = [name for name, comment in declared().items() if "Threads: " not in comment]
    assert not silent


def test_every_function_is_called_by_a_test():
    code = "\n".join(bare_code(path.read_text()) for path in TESTS)
    calls = set(re.findall(r"\b(mace_\w+)\s*\(", code))
    assert TESTS
    assert not sorted(set(exported()) - calls)


@pytest.mark.parametrize("compiler", COMPILERS, ids=" ".join)
def test_each_header_compiles_alone(compiler, tmp_path):
    is_cpp = compiler[0].endswith(("++", "++-19"))
    for header in HEADERS:
        source = tmp_path / f"{header[:-2]}{'.cc' if is_cpp else '.c'}"
        source.write_text(f'#include "mace/public/{header}"\n')
        done = subprocess.run([*compiler, *WARNINGS, "-fsyntax-only", f"-I{ROOT}", source],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_headers_of_both_languages_go_together(tmp_path):
    source = tmp_path / "both.cc"
    source.write_text('#include "mace/public/mace_c.h"\n#include "mace/public/mace.h"\n'
                      '#include "mace/public/mace_image.h"\nusing namespace mace;\n'
                      "mace_status_t a = MACE_SUCCESS;\nDeviceType b = CPU;\n")
    done = subprocess.run(["g++", "-std=c++11", *WARNINGS, "-fsyntax-only", f"-I{ROOT}", source],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
