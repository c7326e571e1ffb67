"""Which planners each memory strategy stands for: tools/memory_strategies.json.

SPDX-License-Identifier: Apache-2.0

The file is what `mace_plan --list_strategies` prints; memory_strategies_test.py fails when it is
out of date. To write it again, in tools/:

    ~/.cache/mace/venv/bin/python -m mace_tools.config.memory_strategies
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from mace_tools.support.protos import REPO

if TYPE_CHECKING:
    from mace_tools.support.console import Console

LIST = REPO / "tools" / "memory_strategies.json"


@functools.cache
def listed() -> list[dict[str, Any]]:
    """{"name", "arena", "images"}: the planners for which a name stands; images may be None."""
    return json.loads(LIST.read_text())


def from_engine(console: Console) -> list[dict[str, Any]]:
    """The list of the mace_plan of this checkout. Errors: as runner.find."""
    from mace_tools.run import (
        runner,  # takes long, and reading a deployment file needs `listed` alone
    )

    mace_plan = runner.find(console, None, runner.MACE_PLAN)
    return json.loads(runner.output(mace_plan, ["--list_strategies"]))


def as_text(strategies: list[dict[str, Any]]) -> str:
    """tools/memory_strategies.json: one strategy a line."""
    return "[\n" + ",\n".join(json.dumps(s) for s in strategies) + "\n]\n"


if __name__ == "__main__":
    from mace_tools.support.console import Console

    LIST.write_text(as_text(from_engine(Console())))
