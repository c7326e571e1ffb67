"""explain: what the numbers of an obfuscated model stand for.

SPDX-License-Identifier: Apache-2.0
"""

import json
import sys

from mace_tools.commands.context import Context, Outcome
from mace_tools.convert.obfuscate import explain, map_file
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode


def command(context: Context) -> Outcome:
    maps = {}
    for tag in context.models:
        path = map_file(context.folder, tag)
        if path.is_file():
            maps[tag] = json.loads(path.read_text())
    if not maps:
        raise MaceError(f"no model of {context.deployment.path} has hidden names below "
                        f"{context.folder}: convert or build it here with `obfuscate: 1` first")
    several = len(maps) > 1
    for line in context.args.text or sys.stdin:
        for tag, meaning in maps.items():
            text = explain(line.rstrip("\n"), meaning)
            context.console.data(f"{tag}: {text}" if several else text)
    return ExitCode.OK, {tag: {"names": len(meaning)} for tag, meaning in maps.items()}
