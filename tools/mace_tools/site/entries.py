"""What the pages of the API are made of: declarations with their comments, as Markdown.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Labels that begin a sentence in the comments of headers and get a paragraph of their own.
_LABEL = re.compile(r"(?:(?<=[.:;)]) |^)(Errors|Threads|REQUIRES): ")
_SPECIAL = re.compile(r"([\\*_\[\]<>|#~$])")
# Names in sentences: between backquotes, paths, or with an underscore, `::`, or parentheses.
_NAME = re.compile(r"(`[^`]+`|\b[\w-]+(?:/[\w.-]*\w)+|\b[A-Za-z]\w*(?:::~?\w+)+(?:\(\))?"
                   r"|\b\w*[A-Za-z]\w*_\w+\b(?:\(\))?|\b[A-Za-z]\w+\(\))")


@dataclass
class Entry:
    """Declarations that share a comment: their names, how they are written, what they do."""

    names: list[str]
    code: list[str]
    comment: str = ""  # Markdown
    members: list[Entry] = field(default_factory=list)


@dataclass
class Page:
    """A header, a class or a module."""

    name: str  # of the file, without its ending
    title: str
    language: str  # of the code
    intro: str  # Markdown
    entries: list[Entry] = field(default_factory=list)

    def all_names(self) -> list[str]:
        """Everything that has an entry; members as Class.member."""
        found = []
        for entry in self.entries:
            found += entry.names
            found += [f"{entry.names[0]}.{n}" for member in entry.members for n in member.names]
        return found


def escaped(text: str) -> str:
    """Plain text as Markdown, with its names as code."""
    parts = _NAME.split(text)
    return "".join(f"`{part.strip('`')}`" if k % 2 else _SPECIAL.sub(r"\\\1", part)
                   for k, part in enumerate(parts))


def prose(lines: list[str]) -> str:
    """A comment as Markdown: indented lines are shown as they stand, the others flow."""
    out: list[str] = []
    flow: list[str] = []
    shown: list[str] = []

    def flush() -> None:
        if flow:
            out.extend([_LABEL.sub(r"\n\n**\1:** ", escaped(" ".join(flow))).strip(), ""])
            flow.clear()

    def flush_shown() -> None:
        while shown and not shown[-1].strip():
            shown.pop()
        if shown:
            out.extend(["```text", *shown, "```", ""])
            shown.clear()

    for line in lines:
        if line.startswith("  ") or (shown and not line.strip()):
            flush()
            shown.append(line)
        elif line.strip():
            flush_shown()
            flow.append(line.strip())
        else:
            flush()
    flush()
    flush_shown()
    return "\n".join(out).strip()


def anchor(language: str, name: str) -> str:
    """Where the entry of a name is, in the whole site. Anchors that differ in case only would be
    one, and C++ has `Code` beside `code()`."""
    small = language != "c" and name.rpartition(".")[2][:1].islower()
    return f"{language}-" + re.sub(r"\W+", "-", name).strip("-") + ("-call" if small else "")


def _entry(entry: Entry, level: int, language: str, owner: str, seen: set[str]) -> list[str]:
    titles = list(dict.fromkeys(entry.names))
    lines = []
    for title in titles:  # of overloads, the first has the anchor
        target = anchor(language, owner + title)
        if target not in seen:
            seen.add(target)
            lines.append(f"({target})=")
    lines += [f"{'#' * level} {', '.join(f'`{t}`' for t in titles)}", ""]
    lines += [f"```{language}", *entry.code, "```", ""] if entry.code else []
    lines += [entry.comment, ""] if entry.comment else []
    for member in entry.members:
        lines += _entry(member, level + 1, language, f"{titles[0]}.", seen)
    return lines


def markdown(page: Page, targets: dict[str, str]) -> str:
    """The page. Headings name what they describe; names of `targets` in sentences lead there."""
    lines = [f"# {page.title}", "", page.intro, ""]
    seen: set[str] = set()
    for entry in page.entries:
        lines += _entry(entry, 2, page.language, "", seen)
    return _linked("\n".join(lines), targets)


def _linked(text: str, targets: dict[str, str]) -> str:
    out, shown = [], False
    for line in text.split("\n"):
        shown ^= line.startswith("```")
        if not shown and not line.startswith(("#", "(", "```")):
            line = re.sub(r"(?<!\[)`([^`]+)`", lambda m: _link(m, targets), line)
        out.append(line)
    return "\n".join(out)


def _link(name: re.Match[str], targets: dict[str, str]) -> str:
    target = targets.get(name[1].removesuffix("()").replace("::", "."))
    return f"[{name[0]}](#{target})" if target else name[0]


def targets_of(pages: list[Page]) -> dict[str, str]:
    """The anchors of all names of a language."""
    return {name: anchor(page.language, name) for page in pages for name in page.all_names()}
