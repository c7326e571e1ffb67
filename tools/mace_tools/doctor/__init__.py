"""What this machine and connected devices have of what MACE can use, in groups of checks.

SPDX-License-Identifier: Apache-2.0

A check is a function that looks at one thing, or at all things of one kind, and returns what it
found. CHECKS has them by group; commands/options/devices.py has a flag of `converter.py doctor`
for each.
"""

from mace_tools.doctor import cpu, devices, dsp, frameworks, gpu, programs
from mace_tools.doctor.finding import Check, Finding, Machine, State, findings

CHECKS: dict[str, tuple[Check, ...]] = {
    "cpu": cpu.CHECKS, "gpu": gpu.CHECKS, "dsp": dsp.CHECKS, "programs": programs.CHECKS,
    "frameworks": frameworks.CHECKS, "devices": devices.CHECKS,
}  # fmt: skip

__all__ = ["CHECKS", "Check", "Finding", "Machine", "State", "findings"]
