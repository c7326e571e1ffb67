"""What this machine and connected devices have of what MACE can use, in groups of checks.

SPDX-License-Identifier: Apache-2.0

A check is a function that looks at one thing, or at all things of one kind, and returns what it
found. A group is a list of checks; GROUPS has all of them, and `converter.py doctor` a flag for
each.
"""

from __future__ import annotations

from mace_tools.doctor import cpu, devices, dsp, frameworks, gpu, programs
from mace_tools.doctor.finding import Check, Finding, Machine, State, findings

GROUPS: dict[str, tuple[str, tuple[Check, ...]]] = {
    "cpu": ("This machine's CPU", cpu.CHECKS),
    "gpu": ("OpenCL: drivers of this machine, and their devices", gpu.CHECKS),
    "dsp": ("Hexagon DSPs, and the emulator of one", dsp.CHECKS),
    "programs": ("Programs that build MACE and its libraries", programs.CHECKS),
    "frameworks": ("Source frameworks, for --validate and for exporting models",
                   frameworks.CHECKS),
    "devices": ("Phones by adb, and boards by ssh", devices.CHECKS),
}

__all__ = ["GROUPS", "Check", "Finding", "Machine", "State", "findings"]
