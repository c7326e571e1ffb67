"""Counts instructions of the small networks by qemu; on x86-64, callgrind counts them.

SPDX-License-Identifier: Apache-2.0
"""

import sys
from pathlib import Path

from counting import ROOT, count_net

sys.path[:0] = [str(ROOT / "test/instructions"), str(ROOT / "tools")]

from small_networks import NETWORKS  # noqa: E402

from mace_tools.convert.emit import write_model  # noqa: E402


def count_small_nets(mace_run: Path, plugin: Path, folder: Path) -> dict[str, float]:
    """Millions of instructions of each network's third run."""
    counts = {}
    for name, make in NETWORKS.items():
        write_model(make(), folder / f"{name}.pb", folder / f"{name}.data")
        third = count_net(mace_run, plugin, folder / name)
        counts[f"network {name}"] = third.instructions / 1e6
    return counts
