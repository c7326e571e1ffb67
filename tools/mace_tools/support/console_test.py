"""What goes to stdout, what to stderr, and bars only where a person watches.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pty
import subprocess
import sys

import pytest

from mace_tools.support.console import Console, boxed
from mace_tools.support.protos import REPO

USE = """
from mace_tools.support.console import Console
console = Console()
with console.steps("model", 2) as step:
    step("reading")
    step("writing")
with console.transfer("downloading", 10) as advance:
    advance(10)
console.warn("[red]brackets[/red] stay")
"""


def test_data_and_logs_are_apart(capfd):
    console = Console()
    console.data("a [b] result")
    console.info("message")
    console.warn("careful")
    console.error("wrong")
    console.banner("Title")
    out, err = capfd.readouterr()
    assert out == "a [b] result\n"
    assert err == "INFO: message\nWARNING: careful\nERROR: wrong\n" + boxed("Title") + "\n"


def test_long_lines_are_not_broken(capfd):
    Console().error("x " * 500)
    assert "x " * 500 in capfd.readouterr().err


@pytest.mark.parametrize("name, shown", [
    ("a\x1b[2Jb", r"a\x1b[2Jb"), ("\0\x7f\x9b", r"\x00\x7f\x9b"), ("\u202eab", r"\u202eab"),
    ("\rERROR", r"\x0dERROR"), ("\ud800", r"\ud800"), ("é 漢", "é 漢"), ("y" * 10_000_000,
                                                                         "y" * 196 + " ...")])
def test_names_of_files_control_no_terminal_and_fill_no_screen(capfd, name, shown):
    Console().error(f"tensor '{name}' is odd\nand {name}")
    assert capfd.readouterr().err == f"ERROR: tensor '{shown}' is odd\nand {shown}\n"


@pytest.mark.parametrize("watched, coloured", [(False, False), (True, True), (True, False)])
def test_bars_are_for_people(watched, coloured):
    environment = {**os.environ, "PYTHONPATH": str(REPO / "tools"), "TERM": "xterm",
                   "NO_COLOR": "" if coloured else "1"}
    command = [sys.executable, "-c", USE]
    if not watched:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stderr == "WARNING: [red]brackets[/red] stay\n" and done.stdout == ""
        return
    ours, theirs = pty.openpty()
    subprocess.run(command, env=environment, stderr=theirs, stdout=theirs, check=True)
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:  # the end, as Linux tells it
        pass
    os.close(ours)
    assert b"model: writing" in seen and b"downloading" in seen and b"[red]brackets" in seen
    assert (b"\x1b[33mWARNING: \x1b[0m" in seen) == coloured
