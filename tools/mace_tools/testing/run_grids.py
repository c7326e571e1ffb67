"""Runs the grids of models with a single operator, and prints what became of them.

SPDX-License-Identifier: Apache-2.0

In tools/:

    ~/.cache/mace/venv/bin/python -m mace_tools.testing.run_grids
"""

import sys
from collections import Counter

from mace_tools.generate.importers_table import formats
from mace_tools.testing.grid import INVALID, REFUSED, SAME, rows_of


def run_grids() -> int:
    """Prints what becomes of each platform's grid; returns how many models failed."""
    failures = 0
    for platform, registry in formats().items():
        accepted, rows = len(registry.supported()), rows_of(platform)
        if rows is None:
            print(f"{platform}: {accepted} operators accepted; no grid")
            continue
        count: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        for row in rows:
            result = row.run()
            kind = result.kind if result.kind in (SAME, REFUSED, INVALID) else "failed"
            count[kind] += 1
            reasons.update(f"{op}: {reason}" for op, reason in result.reasons)
            if kind == "failed":
                print(f"  failed: {row.name}: {result.kind}")
        print(f"{platform}: {accepted} operators accepted; models: {count[SAME]} passed, "
              f"{count[REFUSED]} refused with reason, {count[INVALID]} that the framework refuses, "
              f"failed = {count['failed']}")
        for reason, times in sorted(reasons.items()):
            print(f"  {times:4} refused: {reason}")
        failures += count["failed"]
    return failures


if __name__ == "__main__":
    sys.exit(min(run_grids(), 1))
