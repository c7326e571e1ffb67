"""Finding and building mace_run, with a fake of bazel.

SPDX-License-Identifier: Apache-2.0
"""

import os
from dataclasses import replace

import pytest

from mace_tools.run import runner
from mace_tools.support import bazel
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import MissingToolError, RunFailedError

BAZEL = """#!/bin/sh
echo "$@" >> {log}
if [ "$1" = info ]; then echo {bin}; exit 0; fi
if [ -e {broken} ]; then echo "the compiler says no" >&2; exit 1; fi
mkdir -p {bin}/tools/mace_run && echo "#!/bin/sh" > {bin}/tools/mace_run/mace_run
"""


class Place:
    """A checkout with one source file, a cache, and a bazel on the path."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.log, self.broken = folder, folder / "log", folder / "broken"
        self.source = folder / "repo" / "mace" / "a.cc"
        self.source.parent.mkdir(parents=True)
        self.source.write_text("int a;")
        (folder / "repo" / "WORKSPACE").touch()
        self.bazel = folder / "path" / "bazel"
        self.bazel.parent.mkdir()
        self.bazel.write_text(BAZEL.format(log=self.log, bin=folder / "bin", broken=self.broken))
        self.bazel.chmod(0o755)
        monkeypatch.setenv("PATH", f"{self.bazel.parent}:{os.environ['PATH']}")
        monkeypatch.setenv("MACE_CACHE", str(folder / "cache"))
        monkeypatch.setattr(runner, "REPO", folder / "repo")
        monkeypatch.setattr(bazel, "REPO", folder / "repo")

    def find(self):
        return runner.find(Console(), None)

    def builds(self):
        return self.log.read_text().count("build //tools:mace_run") if self.log.exists() else 0


@pytest.fixture
def place(tmp_path, monkeypatch):
    return Place(tmp_path, monkeypatch)


def test_it_is_built_once_and_again_when_a_source_changes(place):
    first = place.find()
    assert os.access(first, os.X_OK) and place.find() == first and place.builds() == 1
    place.source.write_text("int b;")
    second = place.find()
    assert second != first and place.builds() == 2
    place.source.write_text("int a;")
    assert place.find() == first and place.builds() == 2


def test_the_text_of_gpu_kernels_is_part_of_it(place):
    place.find()
    (place.source.parent / "a.cl").write_text("__kernel void a() {}")
    place.find()
    assert place.builds() == 2


def test_tests_are_not_part_of_it(place):
    place.find()
    (place.source.parent / "a_test.cc").write_text("int c;")
    place.find()
    assert place.builds() == 1


def test_old_ones_are_forgotten(place):
    for k in range(8):
        place.source.write_text(f"int a{k};")
        place.find()
    assert len(list((place.folder / "cache" / "mace_run").iterdir())) == 5


def test_a_failing_build_is_reported_and_leaves_nothing(place):
    place.broken.write_text("")
    with pytest.raises(RunFailedError, match="`bazel build .*` failed:\nthe compiler says no"):
        place.find()
    assert not [p for p in (place.folder / "cache").rglob("*") if p.is_file()]


def test_sources_that_change_during_a_build_are_noticed(place, monkeypatch):
    run = bazel.run

    def edit(arguments, console):
        place.source.write_text("int b;")
        return run(arguments, console)

    monkeypatch.setattr(bazel, "run", edit)
    with pytest.raises(RunFailedError, match="the sources changed while mace_run was built"):
        place.find()
    assert not [p for p in (place.folder / "cache").rglob("*") if p.is_file()]


def test_a_program_is_kept_by_the_flags_of_its_build(place):
    """Two ABIs may have the same sources and folder of Bazel's, as arm64 and arm64-v8a have."""
    tool = replace(runner.MACE_RUN, flags=("--linkopt=-s",))
    static = replace(runner.MACE_RUN, flags=("--linkopt=-static",))
    assert len({runner.kept(t) for t in (runner.MACE_RUN, tool, static)}) == 3


def test_a_cache_that_cannot_be_written_is_reported_before_anything_is_built(place):
    (place.folder / "cache").write_text("a file")
    with pytest.raises(MaceError, match="cannot write the cache .*or set MACE_CACHE to another"):
        place.find()
    assert place.builds() == 0


def test_without_bazel_the_cure_is_reported(place, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingToolError, match="run `tools/setup.sh`.*`bazel build //tools:mace_"):
        place.find()


def test_a_given_program_must_be_one(place):
    with pytest.raises(MissingToolError, match="is not a program"):
        runner.find(Console(), place.source)
    assert runner.find(Console(), place.bazel) == place.bazel


def test_a_foreign_program_is_reported(tmp_path):
    program = tmp_path / "other_machine"
    program.write_bytes(b"\x7fELF not really")
    program.chmod(0o755)
    with pytest.raises(RunFailedError, match="cannot start .*build it again"):
        runner.call(program, [], Console())


def test_flags_and_file_names():
    given = {"round": 3, "benchmark": True, "trace": None, "allow_nan": False, "x": 0}
    assert runner.flags(given) == ["--round=3", "--benchmark", "--x=0"]
    assert runner.files_of(["a/b:0 c"]) == {"a/b:0 c": "a_b_0_c.npy"}
    assert runner.files_of(["café", "a" * 300]) == {"café": "caf__.npy", "a" * 300: "a" * 200 +
                                                    ".npy"}
    assert runner.files_of(["a:b", "a/b", "a_b", "a_b_2"]) == {
        "a_b": "a_b.npy", "a_b_2": "a_b_2.npy", "a/b": "a_b_3.npy", "a:b": "a_b_4.npy"}
