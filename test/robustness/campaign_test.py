"""What the campaign of mutants finds, by planted faults; and 2,000 mutants of source files.

SPDX-License-Identifier: Apache-2.0
"""

import random
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import campaign
import reader
from mutated_bytes import mutated

from mace_tools import cli
from mace_tools.support.protos import REPO

NAME = "deployment file"


@pytest.mark.parametrize("command, outcome", [
    (lambda words: 0, "ok"), (lambda words: 3, "ok"),
    (lambda words: 70, "wrong exit code 70"), (lambda words: [][1], "wrong IndexError"),
    (lambda words: sys.exit("x"), "wrong SystemExit"),
])
def test_outcomes_of_commands(monkeypatch, command, outcome):
    monkeypatch.setattr(cli, "main", command)
    assert reader.convert([], reader.peak()).startswith(outcome)


def test_a_command_that_hangs_or_fills_memory_is_found(monkeypatch):
    def hang(_):
        while True:
            try:
                sum(range(1000))
            except Exception:
                raise AssertionError from None

    monkeypatch.setattr(reader, "SECONDS", 0.2)
    monkeypatch.setattr(cli, "main", hang)
    assert reader.convert([], reader.peak()) == "hung"
    monkeypatch.setattr(cli, "main", lambda words: 0)
    assert reader.convert([], reader.peak() - reader.MEGABYTES - 1) == "memory"


@pytest.mark.parametrize("script, outcome", [
    ("exit 0", "ok"), ("echo wrong >&2; exit 1", "ok"), ("exit 1", "wrong"),
    ("kill -SEGV $$", "crashed"), ("echo 'x.cc:1: runtime error: y' >&2", "crashed"),
])
def test_outcomes_of_programs(tmp_path, script, outcome):
    program = tmp_path / "run"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    assert reader.run(str(program), []).split()[0].rstrip(":") == outcome


def test_a_reader_that_dies_is_counted_and_passed_over(tmp_path, capsys):
    fake = tmp_path / "fake.py"
    fake.write_text("import os, sys\n"
                    "for n in range(int(sys.argv[3]), int(sys.argv[3]) + int(sys.argv[4])):\n"
                    "    print(n, end=' ', flush=True)\n"
                    "    if n % 3 == 1: os.abort()\n"
                    "    print('wrong exit code 70' if n == 5 else 'ok', flush=True)\n")
    found = campaign.Campaign(tmp_path / "out", None, fake)
    found.batch(NAME, 7)
    counts = {"next": 7, "ok": 4, "crashed": 2, "hung": 0, "memory": 0, "wrong": 1}
    assert found.state == {NAME: counts}
    assert found.failed == 3
    printed = capsys.readouterr().out
    assert f"{NAME} 5: wrong exit code 70\n  kept in " in printed
    assert (tmp_path / "out/failures/deployment_file_4/m.yml").exists()
    again = campaign.Campaign(tmp_path / "out", None, fake)
    assert again.state == {NAME: counts}  # it goes on there
    assert f"| {NAME} | 7 | 2 | 0 | 0 | 1 |" in campaign.table(again.state)


def test_mutants_are_the_same_again():
    data = bytes(range(256)) * 4
    assert [mutated(data, random.Random(k)) for k in range(50)] == [
        mutated(data, random.Random(k)) for k in range(50)]
    assert sum(mutated(data, random.Random(k)) != data for k in range(50)) > 45
    assert mutated(b"", random.Random(1)) is not None


@pytest.mark.full
def test_mutated_source_files_end_in_a_message(tmp_path):
    done = subprocess.run(
        [REPO / "tools/robustness.sh", "0", "--no_engine", "--count=250", f"--out={tmp_path}"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert done.stdout.count("| 250 | 0 | 0 | 0 | 0 |") == 8
