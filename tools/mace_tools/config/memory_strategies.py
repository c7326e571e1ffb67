"""Which planners each memory strategy stands for: tools/memory_strategies.json.

SPDX-License-Identifier: Apache-2.0

The file is what `mace_plan --list_strategies` prints; generate/memory_strategies.py writes it.
"""

import functools
import json
from typing import Any

from mace_tools.support.protos import REPO

LIST = REPO / "tools" / "memory_strategies.json"


@functools.cache
def listed() -> list[dict[str, Any]]:
    """{"name", "arena", "images"}: the planners for which a name stands; images may be None."""
    return json.loads(LIST.read_text())
