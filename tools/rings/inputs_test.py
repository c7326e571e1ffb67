"""Hashes of inputs: alike in every clone, and changed by what a slice depends on, nothing else.

SPDX-License-Identifier: Apache-2.0
"""

import dataclasses
import subprocess

import pytest

from rings import inputs, results
from rings.errors import RingsError
from rings.runner import ROOT
from rings.slices import SLICES
from rings.steps import Script
from rings.testing.clone import LOW, Clone, make_clone


@pytest.fixture
def clone(tmp_path, monkeypatch):
    (tmp_path / "one").mkdir()
    return make_clone(tmp_path / "one", monkeypatch)


def hash_of(clone, part=LOW):
    return inputs.slice_hash(part, inputs.working_tree(clone.root))


def test_another_clone_has_the_same_hash(clone, tmp_path):
    subprocess.run(["git", "clone", "-q", "one", "two"], cwd=tmp_path, check=True)
    assert hash_of(Clone(tmp_path / "two")) == hash_of(clone)
    head = inputs.commit_tree(clone.root, "HEAD")
    assert head is not None and inputs.slice_hash(LOW, head) == hash_of(clone)


@pytest.mark.parametrize("change", [
    lambda clone: clone.write("mace/base/a.cc", "int c;\n"),
    lambda clone: clone.write("mace/base/new.cc", ""),
    lambda clone: clone.write("BUILD", "cc_test()\n"),
    lambda clone: (clone.root / "mace/base/a.cc").unlink(),
    lambda clone: (clone.root / "mace/base/a.cc").chmod(0o755),
    lambda clone: (clone.root / "mace/base/link.h").symlink_to("a.cc"),
    lambda clone: (clone.root / "mace/base/a.cc").rename(clone.root / "mace/base/d.cc"),
], ids=["edit", "add", "edit a file named alone", "delete", "mode", "link", "rename"])
def test_a_change_counts_before_and_after_its_commit_alike(clone, change):
    before = hash_of(clone)
    change(clone)
    uncommitted = hash_of(clone)
    clone.git("add", "-A")
    staged = hash_of(clone)
    clone.commit()
    assert before != uncommitted == staged == hash_of(clone)
    assert uncommitted.startswith(before[:9])  # the definition is the same


@pytest.mark.parametrize("path", ["mace/base/page.md", "mace/ops/b.cc", "test/deep_results.txt",
                                  "build/x.cc", "mace/base/__pycache__/x.cc", "mace/based.cc"])
def test_other_files_do_not_count(clone, path):
    before = hash_of(clone)
    clone.write(path, "other\n")
    assert hash_of(clone) == before


@pytest.mark.parametrize("code, alike, others", [
    ("int a;  // one\n", ["int a;  // two words\n", "int a;\n", "// A.\n  // B.\nint a;\n"],
     ["int b;  // one\n", "int a;\n\n", "// int a;\n"]),
    ('f("// one");\n', ['f("// one");  // but this\n'], ['f("// two");\n', 'f("/ one");\n']),
    ('f(R"x(\n// )"one\n)x");\n', ['// it\'s "new"\nf(R"x(\n// )"one\n)x");\n'],
     ['f(R"x(\n// )"two\n)x");\n', 'f(R"x(\n)x");\n']),
    ("f('\"', 10'000, \"//\");\n", ["f('\"', 10'000, \"//\");  // don't\n"],
     ["f('\"', 10'000, \"/\");\n", "f('\"', 10'001, \"//\");\n"]),
])
def test_comments_of_code_do_not_count(clone, code, alike, others):
    clone.write("mace/base/a.cc", code)
    before = hash_of(clone)
    for text in (*alike, *others):
        clone.write("mace/base/a.cc", text)
        uncommitted = hash_of(clone)
        assert (uncommitted == before) == (text in alike), text
        clone.commit()
        head = inputs.commit_tree(clone.root, "HEAD")
        assert head is not None and inputs.slice_hash(LOW, head) == uncommitted, text


def test_comments_of_other_files_count(clone):
    before = hash_of(clone)
    clone.write("BUILD", "// no code\n")
    assert hash_of(clone) != before


def test_touching_a_file_changes_nothing(clone):
    before = hash_of(clone)
    clone.write("mace/base/a.cc", "int a;\n")
    assert hash_of(clone) == before


def test_the_definition_counts(clone):
    before = hash_of(clone)
    other = dataclasses.replace(LOW, steps=(Script(("other.sh",)),))
    assert hash_of(clone, other)[:8] != before[:8]
    assert hash_of(clone, other)[8:] == before[8:]


def test_a_merge_conflict_is_refused(clone):
    clone.git("checkout", "-q", "-b", "side")
    clone.write("mace/base/a.cc", "int side;\n")
    clone.commit()
    clone.git("checkout", "-q", "main")
    clone.write("mace/base/a.cc", "int main;\n")
    clone.commit()
    with pytest.raises(subprocess.CalledProcessError):
        clone.git("merge", "-q", "side")
    with pytest.raises(RingsError, match="mace/base/a.cc has an unresolved merge conflict"):
        inputs.working_tree(clone.root)


def test_a_folder_that_is_no_clone_is_refused(tmp_path):
    with pytest.raises(RingsError, match="git ls-files failed: .*not a git repository"):
        inputs.working_tree(tmp_path)


def test_a_commit_that_this_clone_lacks_has_no_tree(clone):
    assert inputs.commit_tree(clone.root, "0123456789ab") is None


@pytest.mark.parametrize("part", SLICES, ids=lambda part: part.label)
def test_every_pattern_of_the_table_matches(part):
    tree = inputs.working_tree(ROOT)
    for pattern in part.inputs:
        assert any(map(inputs.Matcher((pattern.lstrip("!"),)), tree)), pattern


def test_pages_the_table_and_its_results_make_nothing_stale():
    others = [results.FILE, "tools/test.sh", "CONTRIBUTING.md", "docs/gpu.md",
              "third_party/README.md", "tools/rings/main.py", "tools/lint/tree.py"]
    for part in SLICES:
        assert not list(filter(inputs.Matcher(part.inputs), others)), part.label


def test_cpp_slices_depend_on_no_python_but_that_of_their_folders():
    for part in SLICES:
        if part.suite in ("asan", "tsan", "aarch64", "armv7", "pocl", "rusticl", "oclgrind"):
            assert not inputs.Matcher(part.inputs)("tools/mace_tools/graph/ir.py"), part.label
        if part.name in ("low", "cpu", "ops"):
            assert not inputs.Matcher(part.inputs)("mace/runtime/engine.cc"), part.label


def test_no_two_slices_are_alike():
    assert len({part.label for part in SLICES}) == len(SLICES)
    assert len({part.steps for part in SLICES}) == len(SLICES)
