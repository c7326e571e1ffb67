"""doctor: what this machine has of what MACE can use, and what to do for what is missing.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mace_tools import report
from mace_tools.cli_console import Console
from mace_tools.doctor import GROUPS, Machine, State
from mace_tools.exit_codes import ExitCode

HELP = "say what of a device this machine has, and what to do for what is missing"


def add_options(p: argparse.ArgumentParser) -> None:
    for name, (title, _) in GROUPS.items():
        p.add_argument(f"--{name}", action="store_true", help=f"check {title}")
    p.add_argument("--mace_dsp", type=Path, metavar="FILE",
                   help="a built executor for the DSP's emulator, mace_dsp.elf (default: that of "
                   "this checkout)")
    p.add_argument("--json", type=Path, metavar="FILE", help="also write the findings as JSON")


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Checks the groups that are asked for, or all. Missing parts are no error of the command, but
    of the machine."""
    if args.json is not None:
        report.check_writable(args.json, "--json")
    asked = [name for name in GROUPS if getattr(args, name)] or list(GROUPS)
    machine, facts, missing = Machine(mace_dsp=args.mace_dsp), {}, 0
    for name in asked:
        title, checks = GROUPS[name]
        console.data(title)
        found = [check(machine) for check in checks]
        width = max(len(f.what) for f in found)
        for f in found:
            console.data(f"  {f.state.value:7}  {f.what.ljust(width)}  {f.text}")
            if f.cure:
                console.data(f"  {'':7}  {'':{width}}  to do: {f.cure}")
        missing += sum(f.state is State.MISSING for f in found)
        facts[name] = [{"what": f.what, "state": f.state.value, "text": f.text, "cure": f.cure}
                       for f in found]
    code = ExitCode.MISSING_TOOL if missing else ExitCode.OK
    if args.json is not None:
        report.write_json(args.json, {"command": "doctor", "exit_code": int(code),
                                      "findings": facts})
    return code
