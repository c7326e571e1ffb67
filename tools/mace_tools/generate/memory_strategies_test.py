"""tools/memory_strategies.json is what the planners say today.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re

from mace_tools.config.memory_strategies import LIST, listed
from mace_tools.generate import memory_strategies
from mace_tools.graph.settings import all_settings
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO
from mace_tools.testing.needed import need_tools

AGAIN = "out of date: run `python -m mace_tools.generate.memory_strategies` in tools/"


def test_the_list_is_the_engines():
    need_tools("bazel")
    strategies = memory_strategies.from_engine(Console())
    assert memory_strategies.as_text(strategies) == LIST.read_text(), AGAIN


def test_every_planner_is_a_strategy():
    table = (REPO / "mace" / "memory" / "planners.cc").read_text()
    planners = set(re.findall(r'"((?:offsets|objects)/\w+)"', table))
    names = {strategy["name"] for strategy in listed()}
    assert names == set(all_settings()["memory_strategy"].choices)
    assert planners <= names and "PRESERVE_ALL" in names
    assert {planner.split("/")[1] for planner in planners} <= names
