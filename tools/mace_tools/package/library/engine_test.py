"""Engines of the cache: two builds at once, and entries that are not what they should be, with a
fake of Bazel.

SPDX-License-Identifier: Apache-2.0
"""

import errno
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from mace_tools.graph.op_schema import all_ops
from mace_tools.package.library import abis, engine, op_tables
from mace_tools.run import runner
from mace_tools.support import bazel
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import RunFailedError
from mace_tools.support.protos import REPO

HOST = abis.ABIS["host"]
# Like Bazel, it runs one command after the other, and all builds write the same files. The file
# `between` makes a user's build of other ops come between a build and what follows it.
BAZEL = r"""#!/bin/sh
if [ "$1" = info ] && [ -e {folder}/between ]; then
  rm {folder}/between 2>/dev/null
  "$0" build --//mace/ops:selected=Conv2d //mace:library
fi
exec 9> {folder}/server.lock
flock 9
echo "$*" >> {folder}/log
if [ "$1" = info ]; then echo {bin}; exit; fi
if [ "$2" = --check_up_to_date ]; then
  shift 2
  [ "$*" = "$(cat {bin}/built)" ]
  exit
fi
shift
sleep 0.1
if [ -e {folder}/broken ]; then echo "no space left on device" >&2; exit 1; fi
ops=$(cat {folder}/other 2>/dev/null || echo "$*" | sed 's/.*selected=\([^ ]*\).*/\1/')
for op in $(echo "$ops" | tr , ' '); do
  echo ".quad _ZN4mace3ops${{#op}}${{op}}Ev"
done > {bin}/op_table.s
(cd {bin} && as op_table.s -o op_table.pic.o && rm -f libops.a && ar rc libops.a op_table.pic.o)
echo bazel-out/bin/libops.a > {bin}/mace/library.txt
echo "$*" > {bin}/built
"""
CHILD = """
import sys
from pathlib import Path
from mace_tools.package.library import abis, engine, op_tables
from mace_tools.run import runner
from mace_tools.support import bazel
from mace_tools.support.console import Console
bazel.REPO = runner.REPO = Path(sys.argv[1])
host = abis.ABIS["host"]
made = engine.build(Console(), host, (sys.argv[2],), False)
print(*op_tables.ops_of(host, made.archives))
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A checkout, an empty cache, and the fake on the path."""
    (tmp_path / "repo" / "mace").mkdir(parents=True)
    (tmp_path / "repo" / "WORKSPACE").touch()
    output = tmp_path / "bazel-out" / "bin"
    (output / "mace").mkdir(parents=True)
    program = tmp_path / "path" / "bazel"
    program.parent.mkdir()
    program.write_text(BAZEL.format(folder=tmp_path, bin=output))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("MACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(runner, "REPO", tmp_path / "repo")
    monkeypatch.setattr(bazel, "REPO", tmp_path / "repo")
    yield tmp_path


def build(*ops):
    return engine.build(Console(), HOST, ops, False)


def entries(place):
    return sorted(p.name for p in (place / "cache" / "engine").iterdir())


def test_two_builds_at_once_get_their_own_engines(place):
    """Without the lock, one builds between the other's build and copy."""
    children = {op: subprocess.Popen(
        [sys.executable, "-c", CHILD, str(place / "repo"), op], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(REPO / "tools")}) for op in ("Softmax", "Conv2d")}
    results = {op: child.communicate(timeout=60) for op, child in children.items()}
    assert {op: out.strip() for op, (out, _) in results.items()} == {op: op for op in children}
    assert "replaced" not in "".join(log for _, log in results.values())
    assert len(entries(place)) == 2


def test_the_lock_is_held_from_the_build_to_the_copy(place, monkeypatch):
    found, run, copy = [], bazel.run, engine._copy

    def note(what):
        with (place / "repo" / "WORKSPACE").open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                found.append((what, "free"))
            except BlockingIOError:
                found.append((what, "locked"))

    monkeypatch.setattr(bazel, "run", lambda a, console: (note(a[0]), run(a, console))[1])
    monkeypatch.setattr(engine, "_copy", lambda *a: (note("copy"), copy(*a))[1])
    build("Softmax")
    note("after")
    assert found == [("build", "locked"), ("info", "locked"), ("copy", "locked"), ("after", "free")]


def test_a_build_that_a_user_starts_in_between_is_noticed(place, capfd):
    (place / "between").touch()
    made = build("Softmax")
    assert op_tables.ops_of(HOST, made.archives) == {"Softmax"}
    assert capfd.readouterr().err.count("another `bazel build` replaced what was built") == 1
    (place / "between").mkdir()  # which stays, so that there is one each time
    with pytest.raises(RunFailedError, match="other builds replaced what `bazel build .*selected="):
        build("Pad")
    assert len(entries(place)) == 1


def test_an_engine_with_other_ops_is_not_kept(place):
    (place / "other").write_text("Conv2d,Softmax")
    with pytest.raises(RunFailedError, match=r"host with 2 ops, and 1 were asked .* in Conv2d\)"):
        build("Softmax")
    assert entries(place) == []


def test_an_engine_of_an_earlier_version_is_built_again(place):
    """Those were not checked: this one has the ops of another build."""
    wrong, right = build("Conv2d").archives, build("Softmax").archives
    kept = right[0].parent
    shutil.copyfile(wrong[0], kept / "00-libcpu.a")
    (kept / engine.ENTRY).unlink()
    (kept / "list.json").write_text(json.dumps(["00-libcpu.a"]))
    again = build("Softmax")
    assert again.was_built and op_tables.ops_of(HOST, again.archives) == {"Softmax"}
    assert sorted(p.name for p in kept.iterdir()) == ["00-libops.a", engine.ENTRY]
    assert not build("Softmax").was_built and len(entries(place)) == 2


@pytest.mark.parametrize("damage", [
    lambda kept: (kept / "00-libops.a").write_bytes(b"!<arch>\n"),
    lambda kept: (kept / "00-libops.a").unlink(),
    lambda kept: (kept / engine.ENTRY).write_text("{"),
])
def test_a_damaged_engine_is_built_again(place, damage):
    damage(build("Softmax").archives[0].parent)
    again = build("Softmax")
    assert again.was_built and op_tables.ops_of(HOST, again.archives) == {"Softmax"}


def test_a_build_that_fails_or_is_killed_leaves_no_engine(place):
    (place / "broken").touch()
    with pytest.raises(RunFailedError, match="failed:\nno space left on device"):
        build("Softmax")
    assert entries(place) == []
    (place / "cache" / "engine" / ".new.killed").mkdir()
    (place / "broken").unlink()
    assert build("Softmax").was_built and not build("Softmax").was_built


def test_sources_that_change_during_a_build_are_noticed(place, monkeypatch):
    source = place / "repo" / "mace" / "a.cc"
    run = bazel.run

    def edit(arguments, console):
        source.write_text("int a;")
        return run(arguments, console)

    monkeypatch.setattr(bazel, "run", edit)
    with pytest.raises(RunFailedError, match="the sources changed while the engine was compiled"):
        build("Softmax")
    assert entries(place) == []


def test_a_cache_that_cannot_be_written_is_reported_before_anything_is_built(place):
    (place / "cache").write_text("a file")
    with pytest.raises(MaceError, match=r"cannot write the cache .*or set MACE_CACHE to another"):
        build("Softmax")
    assert not (place / "log").exists()


def test_a_full_disk_is_reported_and_leaves_no_engine(place, monkeypatch):
    def full(source, target):
        raise OSError(errno.ENOSPC, "No space left on device", str(source), None, str(target))

    monkeypatch.setattr(engine.shutil, "copyfile", full)
    with pytest.raises(MaceError, match="cannot write the cache .*/cache/engine/.*: No space left "
                       "on device; free some space; or set MACE_CACHE to another folder"):
        build("Softmax")
    assert entries(place) == []


def test_an_engine_is_compiled_once_for_its_sources_ops_and_devices(place, monkeypatch):
    calls = []

    def output(console, flags, targets, take):
        calls.append([*flags, *targets])
        (place / "bazel-out/bin/libops.a").write_bytes(b"!<arch>\n")
        (place / "bazel-out/bin/mace/library.txt").write_text("bazel-out/bin/libops.a\n")
        return take(place / "bazel-out" / "bin")

    def ops_of(abi, archives):
        (asked,) = re.findall(r"selected=(\S+)", " ".join(calls[-1]))
        return {"all": set(all_ops()), "none": set()}.get(asked, set(asked.split(",")))

    monkeypatch.setattr(bazel, "output", output)
    monkeypatch.setattr(op_tables, "ops_of", ops_of)
    first = build("Softmax", "Conv2d")
    assert first.was_built and [a.read_bytes() for a in first.archives] == [b"!<arch>\n"]
    assert calls[0] == ["--//mace/ops:selected=Conv2d,Softmax", "--define=opencl=false",
                        "--define=hexagon=false", "--define=encryption=false",
                        "--define=language=false", engine.TARGET]
    again = build("Conv2d", "Softmax")
    assert not again.was_built and again.key == first.key and len(calls) == 1
    keys = {engine.build(Console(), HOST, ops, gpu).key
            for ops in (None, (), tuple(all_ops())[:1]) for gpu in (False, True)}
    with_dsp = engine.build(Console(), HOST, ("Softmax", "Conv2d"), False, dsp=True)
    assert "--define=hexagon=true" in calls[-1]
    arm64 = abis.ABIS["arm64"]
    far, near = (engine.build(Console(), arm64, (), False, near=near) for near in (False, True))
    assert "--config=library_near" in calls[-1] and "--config=library_near" not in calls[-2]
    assert len({first.key, with_dsp.key, far.key, near.key, *keys}) == 10
    assert engine.selection(None) == "all" and engine.selection(()) == "none"
