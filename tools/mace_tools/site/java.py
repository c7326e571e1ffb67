"""The public classes of the Java package as pages: each declaration with its Javadoc.

SPDX-License-Identifier: Apache-2.0
"""

import re
import textwrap
from functools import cache
from pathlib import Path

from tree_sitter import Language, Node, Parser

from mace_tools.site.entries import Entry, Page, escaped

_TYPES = {"class_declaration", "interface_declaration", "enum_declaration"}
_MEMBERS = _TYPES | {"method_declaration", "constructor_declaration", "field_declaration"}


@cache
def _parser() -> Parser:
    import tree_sitter_java  # noqa: PLC0415

    return Parser(Language(tree_sitter_java.language()))


def _text(node: Node | None) -> str:
    return (node.text or b"").decode() if node is not None else ""


def javadoc(comment: str) -> str:
    """A Javadoc comment as Markdown."""
    text = re.sub(r"^\s*\* ?", "", comment.removeprefix("/**").removesuffix("*/"),
                  flags=re.MULTILINE).strip()
    shown = re.split(r"<pre>(?:\{@code)?\n?(.*?)(?:\n\s*\})?\s*</pre>", text, flags=re.DOTALL)
    parts = [f"```java\n{textwrap.dedent(part).strip()}\n```" if k % 2 else _sentences(part)
             for k, part in enumerate(shown)]
    return "\n\n".join(part for part in parts if part.strip())


def _sentences(text: str) -> str:
    text = re.sub(r"\{@link(?:plain)?\s+([^}\s]+)(?:\s+[^}]*)?\}",
                  lambda m: f"`{m[1].lstrip('#').replace('#', '.').partition('(')[0]}`", text)
    text = re.sub(r"\{@code\s+([^}]*)\}", r"`\1`", text)
    text, *tags = re.split(r"^@", text, flags=re.MULTILINE)
    found = [escaped(" ".join(p.split())) for p in re.split(r"<p>|\n\s*\n", text) if p.strip()]
    rows = []
    for tag in tags:
        kind, _, rest = " ".join(tag.split()).partition(" ")
        name, _, what = rest.partition(" ")
        rows.append(f"* `{name}`: {escaped(what)}" if kind in ("param", "throws")
                    else f"* {kind}s {escaped(rest)}")
    return "\n\n".join([*found, "\n".join(rows)] if rows else found)


def _is_public(node: Node) -> bool:
    modifiers = next((_text(c) for c in node.children if c.type == "modifiers"), "")
    return "public" in modifiers.split()


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    if named is None:  # fields
        named = node.child_by_field_name("declarator").child_by_field_name("name")
    return _text(named)


def _written(node: Node) -> list[str]:
    """A declaration without its body and its annotations; of an enumeration, its constants."""
    body = node.child_by_field_name("body")
    end = body.start_byte - node.start_byte if body is not None else None
    text = (node.text or b"")[:end].decode().strip()
    line = " ".join(re.sub(r"@\w+(\(.*?\))?\s+", "", text).split()).rstrip(";,")
    line = line.replace("( ", "(")
    if node.type == "enum_declaration":
        return [f"{line} {{", *_constants(body), "}"]
    head, opened, rest = line.partition("(")
    if len(line) > 88 and opened:
        return [head + "(", *textwrap.indent(rest.replace(", ", ",\n"), "    ").split("\n")]
    return [line + ";"]


def _constants(body: Node | None) -> list[str]:
    lines, comment = [], ""
    for node in body.children if body is not None else []:
        if node.type == "block_comment":
            comment = "  // " + " ".join(_text(node).strip("/* ").split())
        elif node.type == "enum_constant":
            lines.append(f"    {_name(node)},{comment}")
            comment = ""
    return lines


def _entries(body: Node) -> list[Entry]:
    found: list[Entry] = []
    comment = ""
    for node in body.children:
        if node.type == "enum_body_declarations":
            found += _entries(node)
        elif node.type == "block_comment":
            comment = _text(node) if _text(node).startswith("/**") else ""
        elif node.type in _MEMBERS:
            if _is_public(node) and "@Override" not in _text(node.children[0]):
                inner = node.child_by_field_name("body") if node.type in _TYPES else None
                found.append(Entry([_name(node)], _written(node), javadoc(comment),
                                   _entries(inner) if inner is not None else []))
            comment = ""
    return found


def package_page(files: list[Path]) -> Page:
    """The page of all public classes."""
    entries = []
    for path in sorted(files, key=lambda file: file.stem):
        entries += _entries(_parser().parse(path.read_bytes()).root_node)
    return Page("java", "Java: the packages `org.mace` and `org.mace.android`", "java",
                "[MACE in Java, and on Android](../docs/java.md) explains them.", entries)
