"""The map in docs/architecture.md has a line for every folder, and docs/walkthrough.md names files.

SPDX-License-Identifier: Apache-2.0
"""

import re
from collections.abc import Iterator
from pathlib import Path

from lint.tree import ROOT, files

# Whose folders have a line each: they themselves, and those right below them.
MAPPED = ("mace",)
DEPTH = 2
_ROW = re.compile(r"^\| `([\w/]+)` \| (.+) \|$", re.MULTILINE)
_SECTION = re.compile(r"^## ", re.MULTILINE)
_NAME = re.compile(r"`([\w-]+(?:/[\w-]+)*(?:\.\w+|/))`")


def folders(root: Path) -> set[str]:
    """With at least one file that is not only build output."""
    found = set()
    for path in files(root, ""):
        if path.parts[0] in MAPPED and path.suffix != ".pyc":
            found |= {"/".join(path.parts[:k]) for k in range(2, min(DEPTH + 2, len(path.parts)))}
    return found


def wrong_rows(root: Path) -> list[str]:
    """Folders without a line, and lines without a folder."""
    section = (root / "docs" / "architecture.md").read_text().partition("## Map of the folders")[2]
    rows = [name for name, _ in _ROW.findall(section.partition("\n## ")[0])]
    there = folders(root)
    return ([f"docs/architecture.md: the map has no line for {name}"
             for name in sorted(there - set(rows))]
            + [f"docs/architecture.md: the map has a line for {name}, which is not there"
               for name in sorted(set(rows) - there)]
            + [f"docs/architecture.md: the map has several lines for {name}"
               for name in sorted({name for name in rows if rows.count(name) > 1})])


def absent_files(page: str, root: Path) -> Iterator[str]:
    """Names of files in the tables of a section, below the folder that its first lines name."""
    for section in _SECTION.split(page)[1:]:
        base = re.search(r"below `([\w/]+)/`", section)
        for name in _NAME.findall(section.partition("\n|")[2]):
            if base and not (root / base[1] / name).exists() and not (root / name).exists():
                yield f"docs/walkthrough.md: there is no {base[1]}/{name}"


def test_every_folder_has_its_line():
    assert wrong_rows(ROOT) == []


def test_the_walkthrough_names_files_that_are_there():
    page = (ROOT / "docs" / "walkthrough.md").read_text()
    assert len(re.findall(r"below `[\w/]+/`", page)) == page.count("\n## ")
    assert list(absent_files(page, ROOT)) == []


def test_a_folder_without_a_line_and_a_line_without_a_folder_are_found(tmp_path):
    for name in ("mace/cpu/conv/a.cc", "mace/base/a.h", "docs/architecture.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "docs" / "architecture.md").write_text(
        "## Map of the folders\n\n| `mace/cpu` | a |\n| `mace/gone` | b |\n| `mace/cpu` | c |\n"
        "\n## Next\n\n| `mace/base` | d |\n")
    assert [line.partition(": ")[2] for line in wrong_rows(tmp_path)] == [
        "the map has no line for mace/base", "the map has no line for mace/cpu/conv",
        "the map has a line for mace/gone, which is not there",
        "the map has several lines for mace/cpu"]


def test_a_file_that_is_not_there_is_found(tmp_path):
    (tmp_path / "mace").mkdir()
    (tmp_path / "mace" / "a.cc").write_text("")
    page = "# A\n\n## B\n\nIt is below `mace/`.\n\n| `a.cc`, `b/c.cc` (`f`) | `d/` |\n"
    assert list(absent_files(page, tmp_path)) == [
        "docs/walkthrough.md: there is no mace/b/c.cc", "docs/walkthrough.md: there is no mace/d/"]
