"""The public headers of C and C++ as pages: each declaration with the comment before it.

SPDX-License-Identifier: Apache-2.0

Declarations without a blank line or a comment between them share the comment of the first.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tree_sitter import Language, Node, Parser

from mace_tools.site.entries import Entry, Page, prose

# Macros that only the compiler reads; they are no part of the language that is parsed.
_MACROS = re.compile(r"\b(MACE_API|MACE_NODISCARD)\b ?")
_SCOPES = {"preproc_ifdef", "preproc_if", "namespace_definition", "linkage_specification",
           "declaration_list", "preproc_else"}
_TYPES = {"class_specifier", "struct_specifier"}
_FUNCTIONS = {"function_definition", "declaration", "field_declaration", "template_declaration"}


@cache
def _parser() -> Parser:
    import tree_sitter_cpp  # noqa: PLC0415

    return Parser(Language(tree_sitter_cpp.language()))


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _declarator(node: Node, kinds: set[str]) -> Node | None:
    """The first node of one of these kinds, not in the body of a function or a type."""
    for child in node.children:
        if child.type in kinds:
            return child
        if child.type not in ("compound_statement", "parameter_list", "field_declaration_list",
                              "template_parameter_list", "default_method_clause"):
            found = _declarator(child, kinds)
            if found is not None:
                return found
    return None


def _function_name(node: Node) -> str | None:
    function = _declarator(node, {"function_declarator", "operator_cast"})
    if function is None:
        return None
    named = function.child_by_field_name("declarator")
    text = _text(named if named is not None else function)
    pointer = re.match(r"\(\s*\*\s*(\w+)\s*\)", text)  # a pointer to a function
    return pointer[1] if pointer else text.rpartition("::")[2]


def _name(node: Node) -> str:
    """What a declaration declares."""
    if node.type == "type_definition":
        pointed = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", _text(node))
        return pointed[1] if pointed and "{" not in _text(node) else re.findall(
            r"(\w+)\s*;$", _text(node))[0]
    if node.type in ("preproc_def", "preproc_function_def", "alias_declaration"):
        return _text(node.child_by_field_name("name"))
    body = _declarator(node, _TYPES | {"enum_specifier"})
    if node.type in _TYPES | {"enum_specifier"}:
        body = node
    if body is not None and body.child_by_field_name("body") is not None:
        named = body.child_by_field_name("name")
        if named is not None:
            return _text(named)
        first = re.search(r"\{\s*(?://[^\n]*\n\s*)*(\w+)", _text(node))
        return first[1] if first else ""  # of an enumeration without a name: its first constant
    name = _function_name(node)
    if name is None:
        fields = re.findall(r"(\w+)\s*(?:=[^;]*|\{[^;]*\}|\[[^;]*\])?;", _text(node))
        name = fields[-1] if fields else _text(node)
    return name


def _written(node: Node) -> list[str]:
    """The lines of a declaration, without the body of its function."""
    text = _text(node)
    body = _declarator(node, {"compound_statement", "field_initializer_list"})
    if node.type in ("function_definition", "template_declaration") and body is not None:
        text = text[:body.start_byte - node.start_byte].rstrip()
    first, *rest = text.strip().rstrip(";").split("\n")
    margin = node.start_point.column
    if "{" in text:
        rest = [line[margin:] for line in rest]
    else:  # parameters stand below the first one again, as they did before the macros went
        deep = first.find("(") + 1 if first.find("(") > 0 and not first.endswith("(") else 4
        rest = [" " * deep + line.strip() for line in rest]
    lines = [first, *rest]
    return lines if node.type.startswith("preproc") else [*lines[:-1], lines[-1] + ";"]


def _children(node: Node) -> Iterator[Node]:
    """The declarations and comments of a scope, without the scopes between."""
    for child in node.children:
        if child.type in _SCOPES:
            yield from _children(child)
        else:
            yield child


def _lines(comment: Node) -> list[str]:
    """A comment without its slashes and with at most one space less at each line's beginning."""
    return [re.sub(r"^\s*// ?", "", line) for line in _text(comment).split("\n")]


def _functions_inside(body: Node) -> bool:
    return any(_declarator(n, {"function_declarator"}) is not None and "(*" not in _text(n)
               for n in body.children if n.type in _FUNCTIONS)


def _type_of(node: Node) -> Node | None:
    """The class or struct with a body that has functions, if the node declares one."""
    kind = node if node.type in _TYPES else _declarator(node, _TYPES)
    body = kind.child_by_field_name("body") if kind is not None else None
    return kind if kind is not None and body is not None and _functions_inside(body) else None


def _is_hidden(node: Node, text: str) -> bool:
    """What is no use to a reader: guards, includes, deleted and friend declarations."""
    if node.type in ("preproc_include", "preproc_call", ";", "{", "}", "ERROR", "identifier",
                     "friend_declaration", "static_assert_declaration", "using_declaration",
                     "string_literal", "extern", "namespace", "namespace_identifier",
                     "#ifdef", "#ifndef", "#endif", "#else", ":", "#if", "\n"):
        return True
    if not node.is_named:
        return True
    if "{" not in text.partition("(")[0] and re.search(
            r"=\s*delete\s*;?$|\b[Ii]mpl(\(\)|;)|^(virtual )?~|Impl[&*] ", text):
        return True
    if node.type == "preproc_def" and re.match(r"#define \w+_H_\s*$", text):
        return True
    forward = node.type in _TYPES or (node.type == "declaration" and _declarator(node, _TYPES))
    return bool(forward) and "{" not in text and "(" not in text


def _entries(nodes: Iterator[Node], public: bool) -> list[Entry]:
    """The entries of a scope: comments wait for the declaration after them."""
    found: list[Entry] = []
    comment: list[str] = []
    end, joined = -2, False  # the row of the last node, and whether an entry is before it
    for node in nodes:
        if node.type == "access_specifier":
            public = _text(node) == "public"
            comment, joined = [], False
            continue
        text = _text(node)
        if node.type == "comment":
            if node.start_point.row == end:  # behind a declaration, in its line
                continue
            apart = node.start_point.row > end + 1 or joined
            comment = _lines(node) if apart or not comment else comment + _lines(node)
            joined = False
            end = node.end_point.row
            continue
        if not public or _is_hidden(node, text):
            continue
        apart = node.start_point.row > end + 1
        if apart:
            comment, joined = [], False
        name, written, members = _name(node), _written(node), []
        kind = _type_of(node)
        if kind is not None:
            body = kind.child_by_field_name("body")
            members = _entries(iter(body.children), kind.type == "struct_specifier")
            written = [re.sub(r"\s+", " ", text[:body.start_byte - node.start_byte]).strip() + ";"]
        if joined and not comment and not members and not found[-1].members:
            found[-1].names += [name] if node.type != "enum_specifier" else []
            found[-1].code += written
        else:
            found.append(Entry([name], written, prose(comment), members))
        comment, joined, end = [], True, node.end_point.row
    return found


def header_page(path: Path, root: Path) -> Page:
    """The page of a header: its first comment, and its declarations."""
    text = path.read_text(encoding="utf-8")
    head = text.partition("#ifndef")[0].strip().split("\n")
    lines = [re.sub(r"^// ?", "", line) for line in head if "SPDX-License-Identifier" not in line]
    tree = _parser().parse(_MACROS.sub("", text[len(text.partition("#ifndef")[0]):]).encode())
    name = str(path.relative_to(root))
    return Page(path.stem, name, "c" if f"{path.stem}_".startswith("mace_c_") else "cpp",
                prose(lines), _entries(_children(tree.root_node), True))
