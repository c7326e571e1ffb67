"""Licences, banned words and sizes over the tree, and that each check can fail.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from lint import source
from lint.tree import ROOT

HEAD = f"// A file.\n// {source.LICENSE_LINE}\n"


def test_every_file_names_its_license():
    found = source.missing_licenses(ROOT)
    assert not found, "\n".join(found)


def test_no_banned_word_in_the_library():
    found = source.banned_words(ROOT)
    assert not found, "\n".join(found)


def test_no_file_is_too_long():
    found = source.oversized(ROOT)
    assert not found, "\n".join(found)


def test_bazelrc_knows_no_files():
    found = source.bazelrc(ROOT)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("line, count", [
    ("# mace/cpu/ops/softmax.cc", 0), ("build:android --per_file_copt=.*@-Wno-error", 0),
    ("build --copt=-O2", 0), ("build --per_file_copt=mace/cpu/.*@-O2", 1),
    (r"build --copt=-O2 --host_per_file_copt=softmax\.cc@-O2", 1), ("# " + "a" * 119, 1),
])
def test_a_flag_of_a_file_and_a_long_line_are_found(tmp_path, line, count):
    write(tmp_path, ".bazelrc", line + "\n")
    assert len(source.bazelrc(tmp_path)) == count


def write(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize("line", [
    "std::abort();", "exit(1);", "_exit(1);", "std::terminate();", "CHECK(x);", "DCHECK_EQ(a, b);",
    "assert(x);", "throw 1;", "try {", "} catch (...) {", "auto* k = dynamic_cast<A*>(b);",
    'printf("x");', 'std::cout << "x";',
])
def test_a_banned_word_is_found(tmp_path, line):
    write(tmp_path, "mace/ops/a.cc", HEAD + line + "\n")
    found = source.banned_words(tmp_path)
    assert len(found) == 1
    assert found[0].startswith("mace/ops/a.cc:3: ")


@pytest.mark.parametrize("line", [
    "// never throws or aborts: abort()", 'Error("abort() and throw");', "static_assert(true);",
    "int on_exit = 0;", "snprintf(s, 3, x);", "MACE_TESTING_CHECK_OP_H_", "/* CHECK(x)\n try */",
    "char c = '\"'; int catcher;",
])
def test_an_innocent_line_is_silent(tmp_path, line):
    write(tmp_path, "mace/ops/a.cc", HEAD + line + "\n")
    assert source.banned_words(tmp_path) == []


@pytest.mark.parametrize("path", ["mace/testing/a.cc", "mace/ops/a_test.cc", "tools/a.cc"])
def test_banned_words_bind_the_library_only(tmp_path, path):
    write(tmp_path, path, HEAD + "abort();\n")
    assert source.banned_words(tmp_path) == []


def test_a_missing_license_is_found(tmp_path):
    write(tmp_path, "mace/ops/a.cc", "// A file.\n")
    write(tmp_path, "tools/a.py", '"""A file."""\n')
    write(tmp_path, "mace/ops/b.cc", HEAD)
    write(tmp_path, "mace/ops/c.cc", f"// A file. {source.LICENSE_LINE}\n")
    assert [v.split(":")[0] for v in source.missing_licenses(tmp_path)] == [
        "mace/ops/a.cc", "mace/ops/c.cc", "tools/a.py"]


def test_a_long_or_large_file_is_found(tmp_path):
    write(tmp_path, "mace/ops/long.h", "\n" * (source.MAX_LINES[".h"] + 1))
    write(tmp_path, "mace/ops/fits.h", "\n" * source.MAX_LINES[".h"])
    write(tmp_path, "models/large.pb", "x" * (source.MAX_BYTES + 1))
    assert [v.split(":")[0] for v in source.oversized(tmp_path)] == [
        "mace/ops/long.h", "models/large.pb"]
