"""Locks between processes and threads.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
import sys
import threading
import time

import pytest

from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.locks import alone, locked
from mace_tools.support.protos import REPO

HOLD = """
import sys
from pathlib import Path
from mace_tools.support.console import Console
from mace_tools.support.locks import locked
file = locked(Path(sys.argv[1]), Console(), "nobody")
print("locked", flush=True)
sys.stdin.read()
"""


class Told(Console):
    """Knows when there is a message."""

    def __init__(self):
        super().__init__()
        self.texts, self.event = [], threading.Event()

    def info(self, text):
        self.texts.append(text)
        self.event.set()


def test_the_next_one_says_that_it_waits_and_a_killed_process_holds_nothing(tmp_path):
    path, console, taken = tmp_path / "lock", Told(), []
    child = subprocess.Popen([sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, text=True,
                             stdout=subprocess.PIPE,
                             env={**os.environ, "PYTHONPATH": str(REPO / "tools")})
    assert child.stdout.readline() == "locked\n"
    thread = threading.Thread(target=lambda: taken.append(locked(path, console, "another build")))
    thread.start()
    assert console.event.wait(30) and console.texts == ["waiting for another build"] and not taken
    child.kill()
    thread.join(30)
    assert len(taken) == 1
    child.communicate()
    taken[0].close()


def test_threads_exclude_each_other(tmp_path):
    path, console, taken = tmp_path / "lock", Told(), []
    with locked(path, console, "nobody"):
        thread = threading.Thread(target=lambda: taken.append(locked(path, console, "a thread")))
        thread.start()
        assert console.event.wait(30) and console.texts == ["waiting for a thread"] and not taken
    thread.join(30)
    taken[0].close()
    with locked(path, console, "nobody"):
        assert len(console.texts) == 1


def test_blocks_run_one_after_the_other_and_leave_no_file(tmp_path):
    """Each removes the file on which the others wait."""
    path, inside, most, done = tmp_path / "folder" / "lock", [], [], []

    def work():
        with alone(path, Console(), "the others"):
            inside.append(1)
            time.sleep(0.01)
            most.append(len(inside))
            inside.pop()
        done.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert most == [1] * 8 and done == [1] * 8 and not path.exists()


def test_a_lock_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(MaceError, match="cannot write .*file is a file, so nothing can lie below"):
        with alone(tmp_path / "file" / "lock", Console(), "nobody"):
            pass
