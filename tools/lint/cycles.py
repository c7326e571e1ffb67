"""Cycles of includes: the folders of mace/ include each other one way, at every depth.

SPDX-License-Identifier: Apache-2.0
"""

import re
from collections import defaultdict
from pathlib import Path

from lint.tree import files, is_test

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
# Of each unit, what it includes, with an example: the file and the header.
_Graph = dict[str, dict[str, str]]


def cycles(root: Path) -> list[str]:
    """One line for each folder of mace/ whose subfolders include each other in a circle.

    The files that stand in the folder itself are a unit beside its subfolders. Tests may include
    what they like.
    """
    folders: dict[Path, _Graph] = defaultdict(lambda: defaultdict(dict))
    for path in files(root, ".h", ".cc", ".c"):
        if path.parts[0] != "mace" or is_test(path):
            continue
        for header in map(Path, _INCLUDE.findall((root / path).read_text())):
            folder = _common(path, header)
            a, b = (_unit(file, folder) for file in (path, header))
            if a != b and header.parts[0] == "mace" and not is_test(header):
                folders[folder][a].setdefault(b, f"{path} includes {header}")
    return [f"{folder}: {'; '.join(cycle)}" for folder, graph in sorted(folders.items())
            if (cycle := _cycle(graph))]


def _common(a: Path, b: Path) -> Path:
    """The innermost folder that both files are in."""
    return next(folder for folder in a.parents if b.is_relative_to(folder))


def _unit(path: Path, folder: Path) -> str:
    """The subfolder of `folder` that the file is in, or "." for a file of its own."""
    below = path.relative_to(folder).parts
    return below[0] if len(below) > 1 else "."


def _cycle(graph: _Graph) -> list[str]:
    """The includes of one cycle, or none."""
    left = {a: dict(to) for a, to in graph.items()}
    while True:
        ends = [a for a, to in left.items() if not any(b in left for b in to)]
        if not ends:
            break
        for a in ends:
            del left[a]
    if not left:
        return []
    # Every unit that is left includes another one of these.
    at, seen = min(left), []
    while at not in seen:
        seen.append(at)
        at = min(b for b in left[at] if b in left)
    round_trip = [*seen[seen.index(at):], at]
    return [graph[a][b] for a, b in zip(round_trip, round_trip[1:], strict=False)]
