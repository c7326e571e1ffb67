"""wheel: the Python package of the engine, for this machine or for Linux on Arm.

SPDX-License-Identifier: Apache-2.0
"""

import argparse

from mace_tools.config.component_names import NAMES
from mace_tools.config.names import WHEEL_ABIS
from mace_tools.package import wheel
from mace_tools.package.library import abis, engine
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode, UsageError


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Needs no deployment file: the library has all ops."""
    names = tuple(args.target_abis.split(","))
    for name in names:
        if name not in WHEEL_ABIS:
            raise UsageError(f"--target_abis={args.target_abis}: there are Python packages for "
                             f"{', '.join(WHEEL_ABIS)}, not for '{name}'")
    if args.output.exists() and not args.output.is_dir():
        raise UsageError(f"--output={args.output} is no folder")
    for abi in abis.find(names):
        built = engine.build(console, abi, None, True, components=NAMES, dsp=True)
        made = wheel.build(abi, built, args.output)
        console.data(f"{made}  {made.stat().st_size} bytes")
    return ExitCode.OK
