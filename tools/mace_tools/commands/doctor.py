"""doctor: what this machine and connected devices have of what MACE can use, and what to do for
what is missing.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from typing import Any

from mace_tools.commands import result_file
from mace_tools.commands.options.devices import GROUPS
from mace_tools.doctor import CHECKS, Machine, State, findings
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode

VERSION = 1  # of --json: raised when a field changes its meaning


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Checks the groups that are asked for, or all. What is missing is no error of the command,
    but of the machine. Errors: ConfigError of the device yml."""
    if args.json is not None:
        result_file.check_writable(args.json, "--json")
    asked = [name for name in GROUPS if getattr(args, name)] or list(GROUPS)
    machine = Machine(mace_dsp=args.mace_dsp, device_yml=args.device_yml)
    report: dict[str, Any] = {}
    counts = dict.fromkeys(State, 0)
    for name in asked:
        console.data(GROUPS[name])
        found = findings(CHECKS[name], machine)
        width = min(max(len(f.what) for f in found), 44)
        for f in found:
            console.data(f"  {f.state.value:7}  {f.what.ljust(width)}  {f.text}")
            if f.cure:
                console.data(f"  {'':7}  {'':{width}}  to do: {f.cure}")
            counts[f.state] += 1
        report[name] = [{"what": f.what, "state": f.state.value, "text": f.text, "cure": f.cure}
                        for f in found]
    console.data(", ".join(f"{number} {state.value}" for state, number in counts.items()))
    code = ExitCode.MISSING_TOOL if counts[State.MISSING] else ExitCode.OK
    if args.json is not None:
        result_file.write_json(args.json, {"command": "doctor", "version": VERSION,
                                      "exit_code": int(code), "findings": report})
    return code
