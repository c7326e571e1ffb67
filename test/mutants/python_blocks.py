"""Writes Python code in which each block of statements notes its number when it is executed.

SPDX-License-Identifier: Apache-2.0
"""

import ast
import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Block:
    """Statements that run one after the other; [start, end) in bytes. A module is one, too."""

    path: str
    start: int
    end: int


class Instrumented:
    """Files of code with numbered blocks."""

    def __init__(self, root: Path, names: list[str], overlay: Path) -> None:
        """Writes the files with their calls to `overlay`, where sitecustomize.py finds them."""
        self.overlay = overlay
        self.blocks: list[Block] = []
        digest = hashlib.sha256()
        for name in sorted(names):
            content = (root / name).read_bytes()
            digest.update(name.encode() + content)
            target = overlay / name[name.index("mace_tools/"):]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self._instrument(name, content))
        self.hash = digest.hexdigest()

    def block_of(self, path: str, at: int) -> int:
        """The number of the innermost block at a byte of a file."""
        return min((b.end - b.start, i) for i, b in enumerate(self.blocks)
                   if b.path == path and b.start <= at < b.end)[1]

    def _instrument(self, path: str, content: bytes) -> str:
        module = ast.parse(content)
        starts = [0]
        for line in content.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        for node in list(ast.walk(module)):
            for body in _bodies(node):
                span = (0, len(content)) if node is module else (
                    starts[_first_line(body[0]) - 1],
                    starts[body[-1].end_lineno - 1] + body[-1].end_col_offset)
                call = f"mace_reached({len(self.blocks)})"
                body.insert(_after_docstring(body), ast.parse(call).body[0])
                self.blocks.append(Block(path, *span))
        return ast.unparse(module)


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    if isinstance(node, ast.ClassDef | ast.With | ast.Lambda | ast.IfExp | ast.Expression):
        return []  # they run with what is around them
    bodies = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
    return [body for body in bodies if body]


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def _after_docstring(body: list[ast.stmt]) -> int:
    at = 0
    while at < len(body) and (
            isinstance(body[at], ast.Expr) and isinstance(body[at].value, ast.Constant)
            or isinstance(body[at], ast.ImportFrom) and body[at].module == "__future__"):
        at += 1
    return at
