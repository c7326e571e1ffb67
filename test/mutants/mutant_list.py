"""Lists the mutants of a C++ file: one small change each, found in its syntax tree.

SPDX-License-Identifier: Apache-2.0
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_cpp.language()))

_OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
    "^": "&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "^=": "|=",
    "<<=": ">>=", ">>=": "<<=", "++": "--", "--": "++",
}
_COMPARED = {"==", "!="}
# Syntax whose value must be known at compile time.
_CONSTANT = {
    "template_argument_list", "template_parameter_list", "enumerator", "static_assert_declaration",
    "bitfield_clause", "sizeof_expression", "alignof_expression", "alignas_qualifier", "decltype",
    "noexcept", "attribute_declaration",
}
_OPAQUE = {
    "ERROR", "comment", "string_literal", "raw_string_literal", "char_literal",
    "concatenated_string", "preproc_include", "preproc_def", "preproc_function_def", "preproc_call",
}
_LOGS = re.compile(rb"V?LOG\(")
# The parser takes these for calls, and what they declare for comparisons by < and >.
_DECLARES = re.compile(rb"MACE_ASSIGN_OR_RETURN\([^(]*[\w>&*]\s+\w+,")
CONSTANT = "constant expression"


@dataclass(frozen=True)
class Mutant:
    """Replaces bytes [start, end) of the file by `text`, which is empty for a removed statement."""

    path: str
    line: int
    source: str  # the line, without its indentation
    change: str
    start: int
    end: int
    text: bytes
    left_out: str = ""  # the reason if it cannot be tried
    # Position of the word constexpr that must become const, if any.
    constexpr: tuple[int, int] | None = None


@dataclass(frozen=True)
class _Context:
    left_out: str = ""
    constexpr: tuple[int, int] | None = None


def mutants_of(path: str, content: bytes) -> list[Mutant]:
    """All mutants of a file, in the order of their places."""
    lines = content.decode().split("\n")
    found = []
    for node, text, context in _walk(_PARSER.parse(content).root_node, _Context(), path):
        line = content.count(b"\n", 0, node.start_byte)
        change = "removed: " + short(node.text) if text == b"" else (
            f"{short(node.text)} -> {short(text)}")
        found.append(Mutant(path, line + 1, lines[line].strip(), change, node.start_byte,
                            node.end_byte, text, context.left_out, context.constexpr))
    return sorted(found, key=lambda m: (m.start, -m.end, m.change))


def one_line(text: bytes) -> bytes:
    """The same code without comments to the end of a line, in one line."""
    if b"\n" not in text:
        return text
    return b" ".join(re.sub(rb"//[^\n]*", b"", text).split())


def short(text: bytes) -> str:
    plain = one_line(text).decode()
    return plain if len(plain) <= 60 else plain[:40] + " ... " + plain[-15:]


def _walk(node: Node, context: _Context, path: str) -> Iterator[tuple[Node, bytes, _Context]]:
    if node.type in _OPAQUE:
        return
    if node.type == "expression_statement" and _LOGS.match(node.text):
        return
    if node.type in _CONSTANT:
        context = _Context(CONSTANT)
    if word := _constexpr_word(node):
        # A header's constants may be used anywhere; those of a file are tried.
        movable = node.type in ("declaration", "field_declaration") and path.endswith(".cc")
        context = _Context("", (word.start_byte, word.end_byte)) if movable and (
            not context.left_out) else _Context(CONSTANT)
    for text in _changes(node):
        yield node, text, context
    for i, child in enumerate(node.children):
        inner = context
        if _is_constant_part(node, node.field_name_for_child(i), child):
            inner = _Context(CONSTANT)
        if not _is_pure(node, child):
            yield from _walk(child, inner, path)


def _constexpr_word(node: Node) -> Node | None:
    for child in node.children:
        if child.type == "type_qualifier" and child.text == b"constexpr":
            return child
    return None


def _is_constant_part(node: Node, field: str | None, child: Node) -> bool:
    if node.type == "array_declarator":
        return field == "size"
    if node.type == "case_statement":
        return field == "value"
    if node.type in ("preproc_if", "preproc_elif"):
        return field == "condition"
    return node.type == "if_statement" and field == "condition" and (
        any(c.type == "constexpr" for c in node.children))


def _is_pure(node: Node, child: Node) -> bool:
    """Whether `child` is the 0 of a pure virtual function."""
    return (node.type == "field_declaration" and child.type == "number_literal"
            and any(b"(" in c.text for c in node.children_by_field_name("declarator")))


def _changes(node: Node) -> Iterator[bytes]:
    """The texts by which the node may be replaced."""
    if node.type in ("binary_expression", "assignment_expression", "update_expression"):
        yield from _other_operator(node)
    elif node.type == "unary_expression":
        operator = node.child_by_field_name("operator").text
        if operator == b"-" or operator == b"!" and not _is_condition(node):
            yield node.child_by_field_name("argument").text
    elif node.type == "number_literal":
        yield node.text + b" + 1"
    elif node.type in ("true", "false"):
        yield b"false" if node.type == "true" else b"true"
    elif _is_removable(node):
        yield b""
    # == and !=, true and false are exchanged already.
    if (_is_condition(node) or _is_returned_bool(node)) and (
            node.type not in ("true", "false") and _operator(node) not in _COMPARED):
        yield b"!(" + one_line(node.text) + b")"


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator") if (
        node.type.endswith("_expression")) else None
    return operator.text.decode() if operator is not None else ""


def _other_operator(node: Node) -> Iterator[bytes]:
    operator = node.child_by_field_name("operator")
    other = _OPERATORS.get(_operator(node))
    if other is None or other in ("-", "-=") and _holds_string(node):
        return
    at, end = operator.start_byte - node.start_byte, operator.end_byte - node.start_byte
    yield one_line(node.text[:at] + other.encode() + node.text[end:])


def _holds_string(node: Node) -> bool:
    return node.type in ("string_literal", "concatenated_string") or node.type in (
        "binary_expression", "assignment_expression") and any(map(_holds_string, node.children))


def _is_condition(node: Node) -> bool:
    parent = node.parent
    if parent is None or not node.is_named:
        return False
    if parent.type == "condition_clause":
        return parent.child_by_field_name("value") == node and node.type != "declaration" and (
            parent.parent.type != "switch_statement")
    if parent.type == "parenthesized_expression" and parent.parent is not None:
        return parent.parent.type == "do_statement"
    return parent.type in ("for_statement", "conditional_expression") and (
        parent.child_by_field_name("condition") == node)


def _is_returned_bool(node: Node) -> bool:
    if node.parent is None or node.parent.type != "return_statement" or not node.is_named:
        return False
    function = node.parent
    while function is not None and function.type not in ("function_definition",
                                                         "lambda_expression"):
        function = function.parent
    if function is None:
        return False
    if function.type == "lambda_expression":
        declarator = function.child_by_field_name("declarator")
        return declarator is not None and re.search(rb"->\s*bool$", declarator.text) is not None
    kind = function.child_by_field_name("type")
    declarator = function.child_by_field_name("declarator")
    return kind is not None and kind.text == b"bool" and declarator is not None and (
        declarator.type == "function_declarator")


def _is_removable(node: Node) -> bool:
    parent = node.parent
    if parent is None or parent.type == "for_statement" and (
            parent.child_by_field_name("body") != node):
        return False
    if node.type in ("break_statement", "continue_statement"):
        return True
    if node.type == "return_statement":
        return node.named_child_count == 0
    return node.type == "expression_statement" and node.named_child_count == 1 and (
        not _DECLARES.match(node.text)) and (
        node.named_children[0].type in (
            "call_expression", "assignment_expression", "update_expression"))
