"""Micro-kernels and small networks execute no more Arm instructions than their stored budget.

SPDX-License-Identifier: Apache-2.0

If a count goes down, or up for a good reason, store it by test/arm/run.sh --models= --budget.
"""

import json
from pathlib import Path

import pytest
from counting import HERE, build, build_plugin, count_ukernels
from small_nets import count_small_nets

from mace_tools.testing.needed import need_tools

pytestmark = pytest.mark.deep
SLACK = 1.02  # another patch level of the compiler may change some instructions


def test_kernels_and_networks_keep_to_their_budget(tmp_path: Path) -> None:
    need_tools("gcc", "qemu-aarch64", "aarch64-linux-gnu-g++")
    budget = json.loads((HERE / "budget.json").read_text())
    built = build("//test/arm:ukernel_calls", "//tools:mace_run")
    plugin = build_plugin(tmp_path)
    counts = count_ukernels(built / "test/arm/ukernel_calls", plugin)
    counts |= count_small_nets(built / "tools/mace_run/mace_run", plugin, tmp_path)
    assert set(counts) == set(budget), "run test/arm/run.sh --models= --budget"
    over = {name: f"{each:.4f} instead of {budget[name]}" for name, each in counts.items()
            if each > SLACK * budget[name]}
    assert not over
