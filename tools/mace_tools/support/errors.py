"""Errors that a user can act on: shown as one message, never as a traceback.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

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
