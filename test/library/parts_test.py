"""A library without the parts that apps may do without says so where an app calls them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import consumers
import pytest
import small_models
import xxhash

from mace_tools.config.part_names import PARTS, QUIET_PARTS
from mace_tools.support.protos import mace
from mace_tools.testing.needed import need_tools

OK, UNSUPPORTED = 0, 3  # MaceStatus::Code
SOURCE = Path(__file__).parent / "parts" / "absent.cc"

SHOWN_BY_THE_APP = [p for p in PARTS if p not in QUIET_PARTS]

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                       reason="covered elsewhere: tools/test.sh library"),
]


def leave_open(net):
    """Any batch."""
    net.input_info[0].dims[0] = -1


def plan_memory(net):
    """A plan for other records, which engines replace by one of their own."""
    net.memory_plan.version = 1
    net.memory_plan.records_hash = 1


def pack(net):
    """Weights packed as no release does: engines pack them again."""
    packed = net.packed_weights
    packed.version = 2**32 - 1
    packed.head_bytes = net.data_bytes
    packed.head_xxh3 = net.data_xxh3
    packed.tail_xxh3 = xxhash.xxh3_64_intdigest(b"")


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """By library what the app prints: the code and the message of each part."""
    need_tools("bazel", "pkg-config")
    place = consumers.Place(tmp_path_factory.mktemp("parts"))
    models = tmp_path_factory.mktemp("models")
    waiting = small_models.waiting(models)
    shutil.copytree(waiting.parent, models, dirs_exist_ok=True)
    digits = small_models.digits(models)
    for name, change in (("open", leave_open), ("planned", plan_memory), ("packed", pack)):
        copy = small_models.like(digits, name, change)
        for suffix in (".pb", ".data"):
            shutil.move(copy.with_suffix(suffix), models)
    net = mace().NetDef.FromString(waiting.read_bytes())
    extra_ops = f"extra_ops: [{', '.join(sorted({op.type for op in net.op}))}]\n"
    found = {}
    for name, keys in (("whole", "parts: [all, sealed]\n"), ("bare", "parts: none\n"),
                       ("some", "parts: [dumps, pictures]\n")):
        assert place.build(place.config(name, keys + extra_ops)) == 0
        package = place.unpacked(name)
        app = consumers.compile_app(package, place.folder / f"app_{name}", source=SOURCE)
        for end in ("pb", "data"):
            shutil.copyfile(package / "model" / f"digits.{end}", models / f"digits.{end}")
        folder = place.folder / f"stored_{name}"
        folder.mkdir()
        lines = consumers.run([str(app), str(models), str(folder)]).splitlines()
        found[name] = {line.split()[0]: line.split(maxsplit=2)[1:] for line in lines}
        found[name]["log"] = [line for line in lines if line.startswith("log ")]
    return found


def test_a_library_without_parts_runs_models(answers):
    assert {int(answers[name]["run"][0]) for name in answers} == {OK}


@pytest.mark.parametrize("call, part", [
    *((part, part) for part in SHOWN_BY_THE_APP), ("set_arena", "arena"),
    ("set_plan", "memory_plans"), ("set_guard", "check_numerics"),
])
def test_what_is_absent_is_named_with_its_cure(answers, call, part):
    assert int(answers["whole"][call][0]) == OK
    code, *message = answers["bare"][call]
    said = message[0] if message else " ".join(answers["bare"]["log"])
    assert int(code) == UNSUPPORTED
    assert f"this library was built without the part '{part}'" in said
    assert "add it to `parts` at the top of the deployment file" in said


@pytest.mark.parametrize("part", SHOWN_BY_THE_APP)
def test_a_library_has_the_parts_that_its_file_lists(answers, part):
    expected = OK if part in ("dumps", "pictures") else UNSUPPORTED
    assert int(answers["some"][part][0]) == expected
