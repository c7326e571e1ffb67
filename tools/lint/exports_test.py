"""Every public symbol is exported, and the check finds one that is not.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess

import pytest

from lint import exports
from lint.tree import ROOT, bare_code


def test_every_public_symbol_is_exported():
    found = exports.unmarked(ROOT)
    assert not found, "\n".join(found)


def found_in(text):
    return list(exports.not_exported(bare_code(text)))


@pytest.mark.parametrize(("text", "name"), [
    ("const char* Version();", "Version()"),
    ('extern "C" {\nint mace_get(void);\n}', "mace_get()"),
    ("namespace mace {\nMaceStatus Get(std::vector<int>* a,\n  int b = 1);\n}", "Get()"),
    ("class A {\n public:\n  A();\n};", "class A, which has A()"),
    ("class A {\n  int a() const { return 1; }\n  int b() const;\n};", "class A, which has b()"),
    ("class A : public B {\n  virtual int Load() = 0;\n};", "class A, which has Load()"),
    ("struct [[nodiscard]] A { ~A(); };", "class A, which has ~A()"),
])
def test_a_symbol_that_is_not_is_found(text, name):
    assert found_in(text) == [name]


@pytest.mark.parametrize("text", [
    "MACE_API const char* Version();",
    "inline int Two() { return 2; }",
    'extern "C" {\ntypedef int (*mace_read_t)(void* user);\nMACE_API int mace_get(void);\n}',
    "#define F(x) \\\n  g(x);\nclass A;\nusing B = void(int);\nenum C { D = 0 };",
    "struct A {\n  int a = 0;\n  std::function<void(int)> f;\n  std::vector<int> v = {1, 2};\n};",
    "class A {\n  A() = default;\n  A(const A&) = delete;\n  int a() const { return f(1); }\n};",
    "class MACE_NODISCARD A {\n  MACE_API A(int b);\n  bool c() const { return d_; }\n};",
    "class MACE_API A : public B {\n  A();\n  class Impl;\n};",
    "// int Old();\nnamespace mace {\nclass MACE_API A { void F(); };\n}  // namespace mace",
])
def test_what_needs_no_mark_is_silent(text):
    assert found_in(text) == []


@pytest.mark.parametrize("compiler", [
    pytest.param(compiler, id=" ".join(compiler), marks=marks) for compiler, marks in (
        (("g++", "-std=c++11"), ()), (("clang++-19", "-std=c++11"), pytest.mark.full),
        (("g++", "-std=c++20"), pytest.mark.full))
])
def test_each_header_compiles_alone_without_a_warning(compiler, tmp_path):
    headers = sorted((ROOT / "mace" / "public").glob("*.h"))
    assert len(headers) > 10
    for header in headers:
        source = tmp_path / f"{header.stem}.cc"
        source.write_text(f'#include "mace/public/{header.name}"\n')
        done = subprocess.run(
            [*compiler, "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only",
             f"-I{ROOT}", source], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
