"""The commands. A command module has HELP, add_options(parser) and command(context). A command that
can do without a deployment file also has without_config(args, console); one that takes none has
standalone(args, console) instead.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.commands import (
    benchmark,
    build,
    check,
    compare,
    convert,
    devices,
    doctor,
    explain,
    init,
    java,
    plan,
    quantize,
    run,
    seal,
    source,
    wheel,
)
from mace_tools.commands.context import Context

COMMANDS = {"init": init, "convert": convert, "build": build, "run": run, "benchmark": benchmark,
            "check": check, "compare": compare, "plan": plan, "quantize": quantize,
            "explain": explain, "seal": seal, "source": source, "devices": devices,
            "doctor": doctor, "wheel": wheel, "java": java}

__all__ = ["COMMANDS", "Context"]
