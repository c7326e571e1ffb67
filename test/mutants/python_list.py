"""Lists the mutants of a Python file: one small change each, found in its syntax tree.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mutant_list import Mutant, short

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}
_NEGATIONS = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.Pow: ast.Mult,
}
# Operands of which any other operator than theirs is a TypeError.
_SEQUENCES = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
_CONDITIONS = (ast.If, ast.While, ast.IfExp)
# Types and patterns are not computed; a message of an error is no result.
_OPAQUE_FIELDS = {"annotation", "returns", "pattern", "exc", "cause", "msg"}
_REMOVED = (ast.AugAssign, ast.Break, ast.Continue, ast.Raise, ast.Delete)

Change = tuple[ast.AST, str]  # a node, and the text that replaces it


def mutants_of(path: str, content: bytes) -> list[Mutant]:
    """All mutants of a file, in the order of their places."""
    lines = content.split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for node, text in _walk(ast.parse(content), False):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        before = content[start:end]
        removed = isinstance(node, ast.stmt) and text == "pass"
        change = f"removed: {short(before)}" if removed else (
            f"{short(before)} -> {short(text.encode())}")
        new = text if isinstance(node, ast.stmt) else f"({text})"
        found.append(Mutant(path, node.lineno, lines[node.lineno - 1].decode().strip(), change,
                            start, end, new.encode()))
    return sorted(found, key=lambda m: (m.start, -m.end, m.change))


def mutated(content: bytes, mutant: Mutant) -> bytes:
    """The file with the change of one of its mutants."""
    return content[:mutant.start] + mutant.text + content[mutant.end:]


def _walk(node: ast.AST, returns_bool: bool) -> Iterator[Change]:
    if isinstance(node, ast.JoinedStr) or _is_for_type_checkers(node):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        kind = getattr(node, "returns", None)
        returns_bool = isinstance(kind, ast.Name) and kind.id == "bool"
    yield from _changes(node)
    if isinstance(node, _CONDITIONS):
        yield from _negation(node.test)
    elif isinstance(node, ast.comprehension):
        for condition in node.ifs:
            yield from _negation(condition)
    elif isinstance(node, ast.Return) and node.value is not None:
        if returns_bool:
            yield from _negation(node.value)
        elif not _is_none(node.value):
            yield node.value, "None"
    for field, value in ast.iter_fields(node):
        if field not in _OPAQUE_FIELDS:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _walk(child, returns_bool)


def _changes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            others = [*node.ops[:i], _COMPARISONS[type(operator)](), *node.ops[i + 1:]]
            yield node, ast.unparse(ast.Compare(node.left, others, node.comparators))
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, ast.unparse(ast.BoolOp(other, node.values))
    elif isinstance(node, ast.BinOp):
        if (to := _OPERATORS.get(type(node.op))) and not _is_sequence(node.left, node.right):
            yield node, ast.unparse(ast.BinOp(node.left, to(), node.right))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node, ast.unparse(node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield node, f"{node.value!r} + 1"
    elif isinstance(node, ast.stmt):
        yield from _statement(node)


def _statement(node: ast.stmt) -> Iterator[Change]:
    if isinstance(node, ast.AugAssign) and not _is_sequence(node.value):
        if to := _OPERATORS.get(type(node.op)):
            yield node, ast.unparse(ast.AugAssign(node.target, to(), node.value))
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    stored = isinstance(node, ast.Assign) and all(
        isinstance(t, ast.Attribute | ast.Subscript) for t in node.targets)
    ended = isinstance(node, ast.Return) and node.value is None
    if called or stored or ended or isinstance(node, _REMOVED):
        yield node, "pass"


def _negation(node: ast.expr) -> Iterator[Change]:
    """The opposite of a condition, unless _changes() has it."""
    opposite = isinstance(node, ast.Compare) and len(node.ops) == 1 and (
        isinstance(node.ops[0], _NEGATIONS))
    constant = isinstance(node, ast.Constant) and isinstance(node.value, bool)
    if not (opposite or constant or _is_not(node)):
        yield node, f"not ({ast.unparse(node)})"


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_sequence(*nodes: ast.AST) -> bool:
    return any(isinstance(n, _SEQUENCES)
               or isinstance(n, ast.Constant) and isinstance(n.value, str | bytes)
               or isinstance(n, ast.BinOp) and _is_sequence(n.left, n.right) for n in nodes)


def _is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
