"""clang-format over the C++, ruff over the Python, bash -n over the scripts.

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
import sys

import pytest

from lint.tree import ROOT, files

CPP = [p for p in files(ROOT, ".h", ".cc", ".c") if p.parts[0] in ("mace", "tools", "test")]
SCRIPTS = list(files(ROOT, ".sh")) + [p for p in files(ROOT, "run") if p.parts[0] == ".ci"]


def clang_format_complaints(root, paths):
    """The places where clang-format would change a file, without repeating each file's lines."""
    style = f"--style=file:{ROOT / '.clang-format'}"
    done = subprocess.run(["clang-format-19", "--dry-run", style, *map(str, paths)], cwd=root,
                          capture_output=True, text=True, check=False)
    places = re.findall(r"^(\S+?):(\d+):\d+: (?:warning|error)", done.stderr, re.MULTILINE)
    if done.returncode and not places:
        return [done.stderr]
    return [f"{file}:{line}: clang-format-19 -i would change this" for file, line in places]


def test_cpp_is_formatted():
    assert CPP
    found = clang_format_complaints(ROOT, CPP)
    assert not found, "\n".join(found)


def test_an_unformatted_line_is_found(tmp_path):
    (tmp_path / "a.cc").write_text("int  f( int x){return x;}\n")
    found = clang_format_complaints(tmp_path, ["a.cc"])
    assert found
    assert found[0].startswith("a.cc:1: ")


def test_python_is_clean():
    done = subprocess.run([sys.executable, "-m", "ruff", "check", "--no-cache",
                           "--output-format=concise", "."], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_script_parses(script):
    done = subprocess.run(["bash", "-n", ROOT / script], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
