"""The code in the documents: blocks, spans in sentences, and command lines.

SPDX-License-Identifier: Apache-2.0
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mace_tools.support.protos import REPO

_FENCE = re.compile(r"^( *)```(\w*)$")
_SPAN = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Code:
    """A block, or a span (`language` is then "span") that begins in a line of a document."""

    document: str  # relative to the repository
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"


def documents() -> list[Path]:
    """The pages that people read."""
    folders = ("*.md", "docs/*.md", "models/*/*.md", "third_party/*.md")
    return sorted(path for pattern in folders for path in REPO.glob(pattern))


def all_code() -> list[Code]:
    return [code for path in documents() for code in code_of(path)]


def code_of(path: Path, root: Path = REPO) -> Iterator[Code]:
    """All code in a document."""
    name = str(path.relative_to(root))
    block: list[str] | None = None
    begin, language, indent = 0, "", ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if fence and block is None:
            block, begin, indent, language = [], number + 1, fence[1], fence[2] or "text"
        elif fence and block is not None:
            yield Code(name, begin, language, "\n".join(block))
            block = None
        elif block is not None:
            block.append(line.removeprefix(indent))
        else:
            for span in _SPAN.finditer(line):
                yield Code(name, number, "span", span[1])


def lines(code: Code) -> Iterator[Code]:
    """The lines of a block with their positions. Lines that a backslash continues are joined."""
    number, parts = code.line, []
    for k, line in enumerate(code.text.split("\n"), code.line):
        number = number if parts else k
        parts.append(line.removesuffix("\\"))
        if not line.endswith("\\"):
            yield Code(code.document, number, code.language, " ".join(parts))
            parts = []


def shell_lines() -> list[Code]:
    """The commands in `sh` blocks, without comments."""
    found = []
    for code in all_code():
        if code.language == "sh":
            found += [Code(c.document, c.line, "sh", text) for c in lines(code)
                      if (text := re.sub(r"(^|\s+)#\s.*$", "", c.text).strip())]
    return found
