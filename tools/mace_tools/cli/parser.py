"""The parser of the command line, which suggests the right spelling of misspelt options.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from mace_tools.commands import COMMANDS
from mace_tools.commands.options import shared
from mace_tools.config.problems import did_you_mean, nearest
from mace_tools.support.exit_codes import UsageError, table


class Parser(argparse.ArgumentParser):
    """argparse that raises instead of exiting, so that all errors end in one place, and that
    looks for misspelt options before it looks for missing ones."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.options: dict[str, argparse.Action] = {}
        self.has_positionals = False
        super().__init__(*args, **kwargs)

    def add_argument(self, *args: Any, **kwargs: Any) -> argparse.Action:
        action = super().add_argument(*args, **kwargs)
        self.options.update(dict.fromkeys(action.option_strings, action))
        self.has_positionals = self.has_positionals or not action.option_strings
        return action

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; `{self.prog} -h` explains")

    def check_options(self, arguments: Sequence[str], others: Mapping[str, Parser]) -> None:
        """Errors: UsageError for the first argument that is neither an option nor the value of one;
        `others` are the parsers of the other commands."""
        takes_next = False
        for argument in arguments:
            if takes_next and not argument.startswith("-"):
                takes_next = False
                continue
            name = argument.partition("=")[0]
            known = self.options.get(name)
            if known is None and not (argument.startswith("-") or self.has_positionals):
                self._stray(argument)
            if known is None and argument.startswith("-") and not _is_number(argument):
                self._unknown(name, [c for c, p in others.items() if name in p.options])
            takes_next = known is not None and known.nargs != 0 and "=" not in argument

    def _unknown(self, name: str, having: Sequence[str]) -> NoReturn:
        """`having` are the commands that have the option."""
        if having:
            self.error(f"there is no option '{name}' here; {', '.join(having)} "
                       f"{'have' if len(having) > 1 else 'has'} it")
        words = [o for o in self.options if o.startswith("--")]
        stem = name.lstrip("-").replace("-", "_")
        # A prefix of an option counts as similar, however short it is.
        begun = [w for w in words if stem and w[2:].startswith(stem)]
        near = f"--{stem}" if f"--{stem}" in words else nearest(f"--{stem}", words)
        near = near or (begun[0] if len(begun) == 1 else "")
        hint = f"; did you mean '{near}'?" if near else ""
        self.error(f"there is no option '{name}'{hint}")

    def _stray(self, argument: str) -> NoReturn:
        if Path(argument).suffix in (".yml", ".yaml") and "--config" in self.options:
            near = f"; did you mean '--config={argument}'?"
        else:
            near = did_you_mean(f"--{argument.partition('=')[0]}", list(self.options))
        self.error(f"'{argument}' stands without an option{near}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Errors: UsageError; SystemExit after -h."""
    root, commands = parsers()
    if arguments and arguments[0] in commands and not {"-h", "--help"} & set(arguments):
        commands[arguments[0]].check_options(arguments[1:], commands)
    args = root.parse_args(arguments)
    instead = COMMANDS[args.command].instead
    if instead and args.config is None and getattr(args, _attribute(instead)) is None:
        commands[args.command].error(f"give --config=YML or {instead}")
    return args


def _attribute(option: str) -> str:
    """
    >>> _attribute("MODEL"), _attribute("--records=FILE")
    ('model', 'records')
    """
    return option.lstrip("-").partition("=")[0].lower()


@functools.cache
def parsers() -> tuple[Parser, dict[str, Parser]]:
    """The whole parser, and the parser of each command."""
    root = Parser(prog="tools/converter.py", allow_abbrev=False, epilog=table(),
                  description="Converts, runs and benchmarks the models of a deployment file.",
                  formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True,
                                   parser_class=Parser)
    found = {}
    for name, command in COMMANDS.items():
        found[name] = sub = commands.add_parser(
            name, help=command.help, description=command.help, allow_abbrev=False, epilog=table(),
            formatter_class=argparse.RawDescriptionHelpFormatter)
        if command.takes_config:
            shared.add_common(sub, needs_config=not command.instead)
        command.add_options(sub)
    return root, found
