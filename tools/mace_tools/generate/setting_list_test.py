"""What follows from the list of settings: keys, flags, and what a model carries.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess

import pytest

from mace_tools.config.schema import Model
from mace_tools.config.setting_keys import reader
from mace_tools.convert import emit
from mace_tools.generate import setting_list
from mace_tools.graph.settings import LIST, all_settings, flags, of_model
from mace_tools.run import runner
from mace_tools.support import protos
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO
from mace_tools.testing.graphs import small_graph

ALL = list(all_settings().values())
BY_YAML = [s for s in ALL if s.yaml]


def test_the_page_has_a_place_for_the_table():
    assert setting_list.BEGIN in setting_list.PAGE.read_text()


@pytest.mark.parametrize("setting", BY_YAML, ids=lambda s: s.name)
def test_a_key_takes_its_own_example_and_default(setting):
    field = Model.model_fields[setting.yaml]
    assert field.description == setting.doc and field.examples == [setting.example]
    default = setting.default
    if default not in (None, "", ()):
        value = list(default) if isinstance(default, tuple) else default
        assert reader(setting)(value) == default


@pytest.mark.parametrize("setting", ALL, ids=lambda s: s.name)
def test_mace_run_has_the_flag_and_refuses_wrong_values(setting):
    """Flags and keys are read by different code: both refuse the same."""
    mace_run = runner.find(Console(), None)
    wrong = {"switch": "2", "number": "x", "list": "a,a", "text": "nonsense",
             "shares": "gpu=2"}[setting.type]
    if setting.type == "text" and not setting.choices:
        return
    done = subprocess.run([mace_run, f"--{setting.flag}={wrong}", "--list_ops"], text=True,
                          capture_output=True, check=False)
    assert done.returncode == 2 and setting.flag in done.stderr, done.stderr
    assert "is no flag" not in done.stderr
    with pytest.raises(ValueError):
        reader(setting)(wrong.split(",") if setting.type in ("list", "shares") else wrong)


def test_a_converted_model_carries_settings(tmp_path):
    chosen = {"winograd": 0, "float32_nodes": ("h",), "memory_savings": (), "num_threads": 3,
              "memory_strategy": "NAIVE", "gpu_data_type": None}
    emit.write_model(small_graph(), tmp_path / "m.pb", tmp_path / "m.data", chosen)
    net = protos.mace().NetDef.FromString((tmp_path / "m.pb").read_bytes())
    found = {s.name: (s.WhichOneof("value"), s.changes_results) for s in net.settings}
    assert found == {"float32_nodes": ("strings", True), "winograd": ("i", True),
                     "memory_strategy": ("s", False), "memory_savings": ("strings", False)}
    assert [s.i for s in net.settings if s.name == "winograd"] == [0]
    assert list(of_model(chosen)) == [s.name for s in net.settings]


def test_flags_are_of_what_the_model_does_not_carry():
    chosen = {"winograd": 0, "num_threads": 3, "gpu_queue_window": 4, "memory_limit": None}
    assert flags(chosen, "cpu") == ["--num_threads=3"]
    assert flags(chosen, "gpu") == ["--num_threads=3", "--gpu_queue_window=4"]


def test_the_list_is_one_line_a_setting():
    lines = LIST.read_text().splitlines()
    assert len(lines) == len(ALL) + 2 and json.loads(lines[1].rstrip(","))["name"]
    assert LIST == REPO / "tools" / "settings.json"
