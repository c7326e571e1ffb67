"""tools/memory_strategies.json has every planner.

SPDX-License-Identifier: Apache-2.0
"""

import re

from mace_tools.config.memory_strategies import listed
from mace_tools.graph.settings import all_settings
from mace_tools.support.protos import REPO


def test_every_planner_is_a_strategy():
    table = (REPO / "mace" / "memory" / "planner_table.cc").read_text()
    planners = set(re.findall(r'"((?:offsets|objects)/\w+)"', table))
    names = {strategy["name"] for strategy in listed()}
    assert names == set(all_settings()["memory_strategy"].choices)
    assert planners and planners <= names and "PRESERVE_ALL" in names
    assert {planner.split("/")[1] for planner in planners} <= names
