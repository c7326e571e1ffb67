"""Tests that files are written as a whole, and pairs of them together.

SPDX-License-Identifier: Apache-2.0
"""

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mace_tools.support import atomic
from mace_tools.support.atomic import atomic_files
from mace_tools.support.errors import MaceError


def write(folder, text):
    with atomic_files(folder / "m.data", folder / "m.pb") as files:
        for file in files:
            file.write(text)


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def no_links(*_):
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("failing", range(4))
def test_no_new_file_is_left_beside_an_old_one(tmp_path, monkeypatch, before, failing):
    """Each rename fails once, and so does the copy that keeps the old file where links fail."""
    if before:
        write(tmp_path, b"old")
    calls = []

    def fail(real):
        def call(*args):
            calls.append(args)
            if len(calls) == failing + 1:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*args)
        return call

    monkeypatch.setattr(os, "replace", fail(os.replace))
    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(shutil, "copy2", fail(shutil.copy2))
    total = 3 if before else 2
    if failing < total:
        with pytest.raises(MaceError, match="m.(data|pb): No space left"):
            write(tmp_path, b"new")
        assert contents(tmp_path) == ({"m.data": b"old", "m.pb": b"old"} if before else {})
    else:
        write(tmp_path, b"new")
        assert contents(tmp_path) == {"m.data": b"new", "m.pb": b"new"}


def test_what_a_killed_process_left_is_removed(tmp_path, monkeypatch):
    code = ("import os, signal, sys\nfrom pathlib import Path\n"
            "from mace_tools.support.atomic import atomic_files\n"
            "with atomic_files(Path(sys.argv[1]), Path(sys.argv[2])) as files:\n"
            "    files[0].write(b'x' * 100_000); os.kill(os.getpid(), signal.SIGKILL)\n")
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "m.data", tmp_path / "m.pb"],
                          cwd=Path(atomic.__file__).parents[2])
    assert done.returncode == -signal.SIGKILL
    assert len(contents(tmp_path)) == 2
    write(tmp_path, b"new")
    assert len(contents(tmp_path)) == 4  # they are too young
    monkeypatch.setattr(atomic, "OLD_SECONDS", 0)
    with atomic_files(tmp_path / "m.pb") as (file,):
        (tmp_path / ".m.pb.something").write_bytes(b"")
        write(tmp_path, b"newer")  # beside a process that writes
        file.write(b"newest")
    assert contents(tmp_path) == {
        "m.data": b"newer", "m.pb": b"newest", ".m.pb.something": b""}
