"""A library without the parts that apps may do without says so where an app calls them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
from pathlib import Path

import consumers
import pytest
import small_models

from mace_tools.library.part_names import PARTS, QUIET_PARTS
from mace_tools.protos import mace
from mace_tools.testing.needed import need_tools

OK, UNSUPPORTED = 0, 3  # MaceStatus::Code
SOURCE = Path(__file__).parent / "parts" / "absent.cc"

SHOWN_BY_THE_APP = [p for p in PARTS if p not in QUIET_PARTS]

pytestmark = pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                                reason="covered elsewhere: tools/test.sh library")


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """By library what the app prints: the code and the message of each part."""
    need_tools("bazel", "pkg-config")
    place = consumers.Place(tmp_path_factory.mktemp("parts"))
    waiting = small_models.waiting(tmp_path_factory.mktemp("waiting"))
    net = mace().NetDef.FromString(waiting.read_bytes())
    extra_ops = f"extra_ops: [{', '.join(sorted({op.type for op in net.op}))}]\n"
    found = {}
    for name, keys in (("whole", "parts: [all, sealed]\n"), ("bare", "parts: none\n"),
                       ("some", "parts: [dumps, pictures]\n")):
        assert place.build(place.config(name, keys + extra_ops)) == 0
        package = place.unpacked(name)
        app = consumers.compile_app(package, place.folder / f"app_{name}", source=SOURCE)
        model = [package / "model" / f"digits.{end}" for end in ("pb", "data")]
        model += [waiting, waiting.with_suffix(".data")]
        folder = place.folder / f"stored_{name}"
        folder.mkdir()
        lines = consumers.run([str(app), *map(str, model), str(folder)]).splitlines()
        found[name] = {line.split()[0]: line.split(maxsplit=2)[1:] for line in lines}
        found[name]["log"] = [line for line in lines if line.startswith("log ")]
    return found


def test_a_library_without_parts_runs_models(answers):
    assert {int(answers[name]["run"][0]) for name in answers} == {OK}


@pytest.mark.parametrize("part", SHOWN_BY_THE_APP)
def test_what_is_absent_is_named_with_its_cure(answers, part):
    assert int(answers["whole"][part][0]) == OK
    code, *message = answers["bare"][part]
    said = message[0] if message else " ".join(answers["bare"]["log"])
    assert int(code) == UNSUPPORTED
    assert f"this library was built without the part '{part}'" in said
    assert "add it to `parts` at the top of the deployment file" in said


@pytest.mark.parametrize("part", SHOWN_BY_THE_APP)
def test_a_library_has_the_parts_that_its_file_lists(answers, part):
    expected = OK if part in ("dumps", "pictures") else UNSUPPORTED
    assert int(answers["some"][part][0]) == expected
