"""Public symbols without MACE_API, which a library with hidden symbols would not offer.

SPDX-License-Identifier: Apache-2.0
"""

import re
from collections.abc import Iterator
from pathlib import Path

from lint.tree import bare_code, files

EXPORT = "MACE_API"
_DIRECTIVE = re.compile(r"^[ \t]*#(?:.*\\\n)*.*$", re.MULTILINE)
_CLASS = re.compile(
    r"(?:^|\s)(?:class|struct)\s+(?:(?:MACE_API|MACE_NODISCARD|\[\[\w+\]\])\s+)*(\w+)")
_NAME = re.compile(r"(~?\w+)\s*\(")
_DEFINED_HERE = re.compile(r"=\s*(?:default|delete|0)\s*$")
_ACCESS = re.compile(r"\b(?:public|protected|private)\s*:")


def _without_templates(head: str) -> str:
    """`head` without <...>: what stands there declares nothing."""
    while (shorter := re.sub(r"<[^<>]*>", "", head)) != head:
        head = shorter
    return head


def statements(code: str) -> Iterator[tuple[str, str | None]]:
    """Each statement's text up to its body or its end, and the body between braces, if any."""
    begin = at = 0
    while at < len(code):
        if code[at] == ";":
            yield code[begin:at].strip(), None
            begin = at + 1
        elif code[at] == "{":
            depth, end = 1, at + 1
            while depth and end < len(code):
                depth += {"{": 1, "}": -1}.get(code[end], 0)
                end += 1
            yield code[begin:at].strip(), code[at + 1:end - 1]
            begin = end
            at = end - 1
        at += 1


def _defined_elsewhere(body: str) -> str | None:
    """The first member function of a class that is virtual or not defined in its body, and that is
    not exported by itself."""
    for head, inner in statements(_ACCESS.sub(" ", body)):
        head = _without_templates(head)
        name = _NAME.search(head)
        if name is None or re.match(r"(?:using|friend|static_assert|MACE_API)\b", head):
            continue
        is_virtual = re.search(r"\bvirtual\b", head) is not None
        if is_virtual or (inner is None and not _DEFINED_HERE.search(head)):
            return name[1]
    return None


def not_exported(code: str) -> Iterator[str]:
    """The functions and classes of a header's bare code that lack MACE_API."""
    for head, body in statements(_DIRECTIVE.sub("", code)):
        flat = _without_templates(head)
        if re.match(r"(?:inline\s+)?namespace\b|extern\s*\"\"$", flat):
            yield from not_exported(body or "")
        elif re.match(r"(?:enum|using|typedef|extern\s+template|static_assert)\b", flat):
            continue
        elif named := _CLASS.search(flat):
            member = _defined_elsewhere(body or "")
            if member and EXPORT not in flat:
                yield f"class {named[1]}, which has {member}()"
        elif body is None and (function := _NAME.search(flat)) and EXPORT not in flat:
            yield f"{function[1]}()"


def unmarked(root: Path) -> list[str]:
    return [f"{path}: {what}: mark it {EXPORT}"
            for path in files(root, ".h") if path.parts[:2] == ("mace", "public")
            for what in not_exported(bare_code((root / path).read_text()))]
