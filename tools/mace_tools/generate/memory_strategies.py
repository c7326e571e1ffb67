"""The list of memory strategies: tools/memory_strategies.json.

SPDX-License-Identifier: Apache-2.0

It is what mace_plan prints of its planners.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mace_tools.config.memory_strategies import LIST
from mace_tools.run import runner
from mace_tools.support.console import Console


def from_engine(console: Console) -> list[dict[str, Any]]:
    """The list of the mace_plan of this checkout. Errors: as runner.find."""
    mace_plan = runner.find(console, None, runner.MACE_PLAN)
    return json.loads(runner.output(mace_plan, ["--list_strategies"]))


def as_text(strategies: list[dict[str, Any]]) -> str:
    """tools/memory_strategies.json: one strategy a line."""
    return "[\n" + ",\n".join(json.dumps(s) for s in strategies) + "\n]\n"


def outputs(console: Console) -> Iterator[tuple[Path, str]]:
    yield LIST, as_text(from_engine(console))
