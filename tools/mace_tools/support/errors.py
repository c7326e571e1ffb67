"""Errors that a user can act on: shown as one message, never as a traceback.

SPDX-License-Identifier: Apache-2.0
"""

import re
from dataclasses import dataclass, field


class MaceError(Exception):
    """What is wrong, where, and the cure; `exit_code` tells scripts the kind."""

    exit_code = 1


class ModelError(MaceError):
    """The source model is damaged, contradictory or not what it is declared to be."""

    exit_code = 3


class Unsupported(MaceError):
    """This use of an operator cannot be converted; `help` says what could be."""

    exit_code = 4

    def __init__(self, reason: str, help: str = "") -> None:
        super().__init__(reason)
        self.help = help


MAX_SHOWN = 200
# Characters that are not shown as themselves: controls, and those that turn a line's direction.
_UNPRINTABLE = re.compile("[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e"
                          "\\u2066-\\u2069\\ud800-\\udfff\\ufeff]")
_NAME = re.compile(rf"'([^'\n]{{{MAX_SHOWN + 1},}})'")
_WORD = re.compile(rf"[^\s'/]{{{MAX_SHOWN + 1},}}")


def cut_short(value: object, most: int = MAX_SHOWN) -> str:
    """A text of a file, for messages: on one line, of this length, without characters that control
    a terminal.

    >>> print(cut_short("a\\x1b[31mb\\n"))
    a\\x1b[31mb\\n
    """
    text = str(value)
    text = text if len(text) <= most else f"{text[: most - 4]} ..."
    return escaped(text).replace("\n", "\\n").replace("\t", "\\t")


def printable(text: str) -> str:
    """A message or a table in which no name of a file is endless or controls the terminal. Lines
    stay.

    >>> print(printable("tensor '\\x1b[2J' of"))
    tensor '\\x1b[2J' of
    """
    text = _NAME.sub(lambda name: f"'{name[1][: MAX_SHOWN - 4]} ...'", text)
    text = _WORD.sub(lambda word: f"{word[0][: MAX_SHOWN - 4]} ...", text)
    return escaped(text)


def escaped(text: str) -> str:
    """The text with characters that control a terminal as \\x1b and the like."""
    return _UNPRINTABLE.sub(
        lambda found: (f"\\x{ord(found[0]):02x}" if ord(found[0]) < 256 else
                       f"\\u{ord(found[0]):04x}"), text)


@dataclass
class UnsupportedOp:
    """One kind of operator that cannot be converted."""

    op: str
    nodes: list[str] = field(default_factory=list)
    reason: str = ""  # empty: no importer knows the operator
    help: str = ""


class UnsupportedOps(MaceError):
    """All operators of a model that cannot be converted, found in one go."""

    exit_code = 4
    SHOWN = 3

    def __init__(self, framework: str, ops: list[UnsupportedOp]) -> None:
        self.framework = framework
        self.ops = ops
        super().__init__(self._text())

    def _text(self) -> str:
        total = sum(len(o.nodes) for o in self.ops)
        lines = [f"{total} {self.framework} node(s) cannot be converted; nothing was written:"]
        for o in self.ops:
            names = ", ".join(repr(n) for n in o.nodes[: self.SHOWN])
            more = f", ... {len(o.nodes) - self.SHOWN} more" if len(o.nodes) > self.SHOWN else ""
            lines.append(f"  {o.op} x{len(o.nodes)}: {names}{more}")
            lines.append(f"    why:  {o.reason or 'no importer knows this operator'}")
            if o.help:
                lines.append(f"    help: {o.help}")
        return "\n".join(lines)
