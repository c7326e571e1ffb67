"""What a library can do without, as mace/base/parts.h has it, and what a deployment file asks for.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.config.schema import Library
from mace_tools.library.part_names import PARTS, STRATEGIES_OF_ALL


def parts_of(library: Library) -> tuple[str, ...]:
    """Those that the file lists, and those that its other keys need."""
    asked = library.parts
    if asked is None or "all" in asked:
        return PARTS
    needed = set(asked) - {"none"}
    models = library.models.values()
    if library.target_socs or any(model.tuning_ms for model in models):
        needed.add("tuning")
    strategies = {model.settings.get("memory_strategy", "AUTO") for model in models}
    if not strategies <= set(STRATEGIES_OF_ALL):
        needed.add("strategies")
    return tuple(part for part in PARTS if part in needed)
