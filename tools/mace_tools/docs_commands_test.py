"""The commands that the documentation shows exist, and some of them are run.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys

import pytest

from mace_tools import cli, runner
from mace_tools.cli_console import Console
from mace_tools.protos import REPO, cache_dir

PAGES = sorted([*REPO.glob("*.md"), *REPO.glob("docs/*.md"), *REPO.glob("models/*/*.md")])
TEXTS = {str(page.relative_to(REPO)): page.read_text() for page in PAGES}
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(bazel|bazel-bin/\S+|(?:python3 )?tools/\S+) ")
needs_bazel = pytest.mark.skipif(shutil.which("bazel") is None, reason="bazel is not installed")


def commands(text, language=None):
    """The command lines in the blocks of a page, each as its words."""
    for kind, block in BLOCK.findall(text):
        if language is not None and kind != language:
            continue
        for line in re.sub(r"\s*\\\n\s*", " ", block).splitlines():
            line = re.split(r"\s{3,}(?![\s-])|\s#|\|", line.strip())[0]
            if COMMAND.match(line + " "):
                yield shlex.split(line)


def everywhere():
    return [(page, words) for page, text in TEXTS.items() for words in commands(text)]


def test_there_are_commands():
    assert len(everywhere()) > 30


@pytest.mark.parametrize("page, words", everywhere(), ids=lambda v: v if isinstance(v, str) else
                         " ".join(v)[:60])
def test_what_a_command_names_is_there(page, words):
    words = words[words[0] == "python3":]
    if words[0].startswith("tools/"):
        assert (REPO / words[0]).is_file(), words
    if words[0] == "tools/converter.py" and len(words) > 1:
        assert not flags(words) - flags(help_of(words[1])), words
    for word in words[1:]:
        if words[0] == "bazel" and word.startswith("//"):
            folder, _, target = word[2:].partition(":")
            assert list((REPO / folder.removesuffix("...")).glob("**/BUILD.bazel")), words
            # Rules may make a target of a file's name.
            names = (REPO / folder / "BUILD.bazel").read_text() if target else ""
            assert target in ("", "all") or f'"{target}"' in names or target.endswith("_test")
        if re.fullmatch(r"(models|tools|test|docs)/[\w./-]+", word):
            assert (REPO / word).exists(), words


def flags(words):
    return set(re.findall(r"(?<![\w-])--[a-z]\w*", " ".join(words)))


def help_of(command):
    done = subprocess.run([sys.executable, REPO / "tools" / "converter.py", command, "-h"],
                          capture_output=True, text=True, check=True)
    return done.stdout.split()


@needs_bazel
def test_every_flag_of_mace_run_is_one():
    binary = runner.find(Console(), None)
    known = flags(subprocess.run([binary, "--help"], capture_output=True, text=True,
                                 check=True).stdout.split())
    shown = {}
    for page, text in TEXTS.items():
        for call in re.findall(r"mace_run((?:\s+(?:\\\n)?\s*--\w+(?:=[^\s`)]*)?)+)", text):
            shown |= {flag: page for flag in flags(call.split())}
    assert len(shown) > 10 and {f: p for f, p in shown.items() if f not in known} == {}


@needs_bazel
def test_the_commands_of_the_gpu_page_work_when_pasted(tmp_path, monkeypatch, capfd):
    """In a folder that looks like a checkout, so that nothing is written to this one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").symlink_to(REPO / "models")
    ran = []
    for words in commands(TEXTS["docs/gpu.md"], "sh"):
        ran.append(words[0])
        if words[0] == "tools/converter.py":
            assert cli.main(words[1:]) == 0
        elif words[0] == "bazel":
            subprocess.run([*words, f"--disk_cache={cache_dir() / 'bazel'}"], cwd=REPO, check=True)
            (tmp_path / "bazel-bin").symlink_to(REPO / "bazel-bin")
        else:
            capfd.readouterr()
            subprocess.run(words, check=True)
            assert "Softmax" in capfd.readouterr()[0]
    assert ran == ["tools/converter.py", "bazel", "bazel-bin/tools/mace_run/mace_run"]
