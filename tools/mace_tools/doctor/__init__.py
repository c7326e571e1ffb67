"""What this machine has of what MACE can use, one group of checks for each part of it.

SPDX-License-Identifier: Apache-2.0

A check is a function that looks at one thing and returns a Finding. A group is a list of checks;
GROUPS has all of them, and `converter.py doctor` a flag for each.
"""

from __future__ import annotations

from mace_tools.doctor import dsp
from mace_tools.doctor.finding import Check, Finding, Machine, State

GROUPS: dict[str, tuple[str, tuple[Check, ...]]] = {
    "dsp": ("Hexagon DSPs, and the emulator of one", dsp.CHECKS),
}

__all__ = ["GROUPS", "Check", "Finding", "Machine", "State"]
