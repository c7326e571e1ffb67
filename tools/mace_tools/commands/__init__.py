"""The commands. A command module has HELP, add_options(parser) and command(context).

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.commands import benchmark, convert, run
from mace_tools.commands.context import Context

COMMANDS = {"convert": convert, "run": run, "benchmark": benchmark}

__all__ = ["COMMANDS", "Context"]
