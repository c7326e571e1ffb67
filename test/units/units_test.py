"""A file means the same in a translation unit with others (mace/unity.bzl) as alone.

SPDX-License-Identifier: Apache-2.0

A name in an anonymous namespace can hide one that a neighbour in its unit calls, without a message.
Compiled without optimization, each function refers to the same symbols in both.
"""

import json
import re
import subprocess
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mace_tools.support import bazel
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO

pytestmark = pytest.mark.deep
TARGET = "//tools:mace_run"
# Of the compiler's own names, which are numbered within a file.
LOCAL = re.compile(r"_ZGR|^\.L|^\.rodata|^\.data|\.\d+$")
UNNAMED = re.compile(r"\d+\._anon_\d+")
OURS = re.compile(r"^\.text\.(?!_ZNK?St|_ZSt).*4mace")  # functions that are not the library's


def commands() -> dict[str, list[str]]:
    """The units of a program -> how Bazel compiles them."""
    answer = json.loads(bazel.run(["aquery", f'mnemonic("CppCompile", deps({TARGET}))',
                                   "--output=jsonproto"], Console()))
    found = {}
    for action in answer["actions"]:
        words = action["arguments"]
        source = words[words.index("-c") + 1]
        if re.search(r"_unit_\d+\.cc$", source) and words[-1].endswith(".pic.o"):
            found[source] = words
    return found


def references(words: list[str], source: str, out: Path, root: Path) -> dict[str, set[str]]:
    """The symbols to which each function of a compiled file refers."""
    given = [*words]
    given[given.index("-c") + 1], given[-1] = source, str(out)
    at = given.index("-MF")
    del given[at:at + 2]
    given = [w for w in given if w != "-MD" and not w.startswith("-frandom-seed")]
    subprocess.run([*given, "-O0", "-w", "-iquote", str(REPO)], cwd=root, check=True)
    text = subprocess.run(["objdump", "-r", out], check=True, capture_output=True, text=True).stdout
    out.unlink()
    found: dict[str, set[str]] = defaultdict(set)
    section = ""
    for line in text.splitlines():
        if line.startswith("RELOCATION RECORDS FOR"):
            section = line.split("[")[1].rstrip("]:")
        elif OURS.match(section) and len(line.split()) == 3:
            name = re.sub(r"[-+]0x[0-9a-f]+$", "", line.split()[2])
            if not LOCAL.search(name):
                found[UNNAMED.sub("_anon", section)].add(UNNAMED.sub("_anon", name))
    return found


def differences(unit: str, words: list[str], root: Path, folder: Path) -> list[str]:
    files = re.findall(r'^#line 1 "(.+)"$', (root / unit).read_text(), re.MULTILINE)
    stem = folder / Path(unit).stem
    together = references(words, unit, stem.with_suffix(".o"), root)
    wrong = []
    for file in files:
        alone = references(words, file, stem.with_suffix(".alone.o"), root)
        wrong += [f"{file}: {section}: {sorted(names ^ together[section])}"
                  for section, names in alone.items()
                  if section in together and names != together[section]]
    return wrong


def test_a_file_means_the_same_in_its_unit(tmp_path):
    console = Console()
    bazel.run(["build", TARGET], console)
    root = Path(bazel.run(["info", "execution_root"], console).strip().splitlines()[-1])
    units = commands()
    assert len(units) > 20
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda item: differences(*item, root, tmp_path), units.items())
        wrong = [line for lines in found for line in lines]
    assert not wrong, "\n".join(wrong)
