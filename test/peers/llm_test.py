"""test/peers/llm.sh refuses wrong arguments before it builds anything.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize("program, arguments, says", [
    ("llm.py", ["--threads", "x"], "--threads is 'x'; give numbers of threads, such as 1,2"),
    ("llm.py", ["--threads", "1,0"], "--threads is '1,0'"),
    ("llm.py", ["--rounds", "0"], "--rounds is 0; it must be at least 1"),
    ("llm.py", ["--models", "small,huge"], "no such model: huge; there are small, qwen3_0.6b"),
    ("llm_arm.py", ["--cpus", "m4"], "there is no m4; there are dotprod, i8mm"),
    ("llm_arm.py", ["--models", "huge"], "there is no huge; there are small, qwen3_0.6b"),
])
def test_wrong_arguments_are_refused(program: str, arguments: list[str], says: str) -> None:
    done = subprocess.run([sys.executable, str(HERE / program), "--check_arguments", *arguments],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and says in done.stderr
    assert not done.stdout


@pytest.mark.parametrize("program", ["llm.py", "llm_arm.py"])
def test_right_arguments_are_accepted(program: str) -> None:
    subprocess.run([sys.executable, str(HERE / program), "--check_arguments", "--models", "small"],
                   check=True)
