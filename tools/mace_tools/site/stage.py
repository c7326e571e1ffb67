"""Copies the pages for Sphinx, and makes pages of the sources and folders to which they link.

SPDX-License-Identifier: Apache-2.0

A link to a header leads to its page of the API; one to another source to a page with its text; one
to a folder to the list of what is in it. Thus the site needs no repository beside it.
"""

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mace_tools.site import chapters

_LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
# A link whose text is the name of its page, which says little on a site.
_NAMED = re.compile(r"\[([\w./]+\.md)\]\(([^)\s#]+\.md)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^\s*```")
# Terms under which the search finds a section before all others.
INDEX = re.compile(r"<!-- index: (.+) -->")
_LANGUAGES = {".cc": "cpp", ".h": "cpp", ".c": "c", ".py": "python", ".java": "java",
              ".kt": "kotlin", ".sh": "sh", ".yml": "yaml", ".bzl": "python", ".cl": "c"}


def write(root: Path, place: Path) -> list[str]:
    """Writes the pages below `place`. Returns the links that lead nowhere."""
    problems: list[str] = []
    sources: set[str] = set()
    for name in chapters.pages():
        if (root / name).is_file():  # else chapters.missing says so
            path = place / _staged(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = (root / name).read_text(encoding="utf-8").split("\n")
            page = _Page(root, name, place, sources, problems)
            path.write_text("\n".join(page.lines(lines)), encoding="utf-8")
    for source in sources:
        _write_source(root, source, place)
    return problems


@dataclass
class _Page:
    """A page on its way to the site; it collects the sources and the mistakes that it names."""

    root: Path
    name: str
    place: Path
    sources: set[str]
    problems: list[str]

    def lines(self, lines: list[str]) -> Iterator[str]:
        shown = False
        for number, line in enumerate(lines, 1):
            fence = _FENCE.match(line) is not None
            shown ^= fence
            index = INDEX.fullmatch(line)
            if index and not shown:
                terms = ", ".join(f"! {term}" for term in index[1].split(", "))
                yield from (f"```{{index}} {terms}", "```")
            else:
                yield line if shown or fence else self._line(line, number)

    def _line(self, line: str, number: int) -> str:
        pictures = _PICTURE.findall(line)
        for picture in pictures:
            self._copy_picture(picture)
        if pictures:
            return line
        line = _NAMED.sub(
            lambda m: f"[{self._title(m[2]) or m[1]}]({m[2]}{m[3] or ''})", line)
        return _LINK.sub(
            lambda m: m[1] + self._target(m[2], number) + (m[3] or "") + m[4], line)

    def _title(self, link: str) -> str:
        """The title of the page to which a link leads."""
        path = self.root / Path(self.name).parent / link
        if not path.is_file():
            return ""
        return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").strip()

    def _copy_picture(self, link: str) -> None:
        path = os.path.normpath(Path(self.name).parent / link)
        if path.startswith("..") or not (self.root / path).is_file():
            self.problems.append(f"{self.name}: the image is not there: {link}")
            return
        (self.place / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.root / path, self.place / path)

    def _target(self, link: str, number: int) -> str:
        """Where a link leads in the site."""
        if "://" in link or link.startswith("mailto:"):
            return link
        path = os.path.normpath(Path(self.name).parent / link)
        if path.startswith("..") or not (self.root / path).exists():
            self.problems.append(f"{self.name}:{number}: the link leads nowhere: {link}")
            return link
        header = re.fullmatch(r"mace/public/(\w+)\.h", path)
        if path in chapters.pages():
            to = _staged(path)
        elif header and header[1] != "mace_api":
            language = "c" if f"{header[1]}_".startswith("mace_c_") else "cpp"
            to = f"api/{language}/{header[1]}.md"
        else:
            self.sources.add(path)
            to = _page_of(path)
        return os.path.relpath(to, Path(_staged(self.name)).parent)


def _staged(name: str) -> str:
    return "index.md" if name == "README.md" else name


def _page_of(source: str) -> str:
    return "source/" + re.sub(r"[^\w/-]", "_", source) + ".md"


def _write_source(root: Path, source: str, place: Path) -> None:
    path = root / source
    page = place / _page_of(source)
    page.parent.mkdir(parents=True, exist_ok=True)
    lines = ["---", "orphan: true", "---", "", f"# {source}", ""]
    if path.suffix in (".png", ".jpg"):
        shutil.copy(path, page.parent)
        lines += [f"![{source}]({path.name})"]
    elif path.is_dir():
        lines += [f"* `{child.name}{'/' if child.is_dir() else ''}`"
                  for child in sorted(path.iterdir()) if child.name != "__pycache__"]
    else:
        text = path.read_text(encoding="utf-8")
        fence = "`" * max(3, 1 + max((len(m) for m in re.findall(r"`+", text)), default=0))
        lines += [fence + _LANGUAGES.get(path.suffix, "text"), text.rstrip("\n"), fence]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
