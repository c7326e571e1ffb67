"""Which parts a deployment file asks for, and that all lists of them agree.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re

import pytest

from mace_tools.config.load import load
from mace_tools.library.part_names import PARTS
from mace_tools.library.parts import parts_of
from mace_tools.protos import REPO

DIGITS = REPO / "models" / "digits" / "digits_onnx.yml"


def listed(tmp_path, keys="", model_keys=""):
    text = DIGITS.read_text().replace("library_name: digits_onnx", f"library_name: lib\n{keys}")
    text = text.replace("    runtime: cpu", f"    runtime: cpu\n{model_keys}")
    path = tmp_path / "lib.yml"
    path.write_text(text.replace("models/digits/", f"{DIGITS.parent}/"))
    return parts_of(load(path).library)


@pytest.mark.parametrize("keys, model_keys, parts", [
    ("", "", PARTS),
    ("parts: all\n", "", PARTS),
    ("parts: none\n", "", ()),
    ("parts: [tuning, dumps]\n", "", ("dumps", "tuning")),
    # what other keys need
    ("parts: none\ntarget_socs: [host]\n", "", ("tuning",)),
    ("parts: none\n", "    tuning_ms: 5\n", ("tuning",)),
    ("parts: none\n", "    memory_strategy: SKYLINE\n", ("strategies",)),
    ("parts: [dumps]\n", "    memory_strategy: GREEDY_BY_SIZE\n", ("dumps",)),
])
def test_a_library_has_the_parts_that_its_file_needs(tmp_path, keys, model_keys, parts):
    assert listed(tmp_path, keys, model_keys) == parts


def test_bazel_cmake_the_header_and_the_page_have_the_same_parts():
    bazel = (REPO / "mace" / "build_defs.bzl").read_text()
    assert f"PARTS = {list(PARTS)}".replace("'", '"') in bazel
    cmake = REPO / "tools" / "mace_tools" / "library" / "cmake" / "mace_functions.cmake"
    assert f"set(_mace_parts {' '.join(PARTS)})" in cmake.read_text()
    header = (REPO / "mace" / "base" / "parts.h").read_text()
    assert {n.lower() for n in re.findall(r"ifdef MACE_WITHOUT_(\w+)", header)} == set(PARTS)
    page = (REPO / "docs" / "library.md").read_text()
    assert all(f"| `{part}` |" in page for part in PARTS)
