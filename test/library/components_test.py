"""A library without components names the missing one where an app calls what it does.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
from pathlib import Path

import consumers
import pytest
import small_models
import xxhash

from mace_tools.config.component_names import FORMER
from mace_tools.support.protos import mace
from mace_tools.testing.needed import need_tools

OK, UNSUPPORTED = 0, 3  # MaceStatus::Code
SOURCE = Path(__file__).parent / "components" / "absent.cc"

# What the app calls: all that a former name stands for, but for kernels, the C API, and searches,
# without which nothing fails.
CALLS = {name: component for name, component in FORMER.items()
         if component is not None and name not in ("c_api", "search")}
MORE_CALLS = {"set_arena": "memory_tools", "set_plan": "memory_tools", "set_guard": "diagnostics",
              "tracing": "diagnostics", "async": "interfaces", "tokenizers": "language"}

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
    """By library what the app prints: the code and the message of each call."""
    need_tools("bazel", "pkg-config")
    place = consumers.Place(tmp_path_factory.mktemp("components"))
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
    for name, keys in (("whole", "components: [all, encryption, language]\n"),
                       ("bare", "components: none\n"),
                       ("some", "components: [diagnostics, interfaces]\n")):
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


def test_a_library_without_components_runs_models(answers):
    assert {int(answers[name]["run"][0]) for name in answers} == {OK}


@pytest.mark.parametrize("call, component", {**CALLS, **MORE_CALLS}.items())
def test_what_is_absent_is_named_with_its_cure(answers, call, component):
    assert int(answers["whole"][call][0]) == OK
    code, *message = answers["bare"][call]
    text = message[0] if message else " ".join(answers["bare"]["log"])
    assert int(code) == UNSUPPORTED
    assert f"this library was built without the component '{component}'" in text
    assert "add it to `components` at the top of the deployment file" in text


@pytest.mark.parametrize("call, component", CALLS.items())
def test_a_library_has_the_components_that_its_file_lists(answers, call, component):
    expected = OK if component in ("diagnostics", "interfaces") else UNSUPPORTED
    assert int(answers["some"][call][0]) == expected


def test_the_c_api_is_there_without_what_it_would_call(answers):
    assert int(answers["whole"]["tokenizers_in_c"][0]) == OK
    code, message = answers["some"]["tokenizers_in_c"]
    assert int(code) == UNSUPPORTED
    assert "this library was built without the component 'language'" in message
