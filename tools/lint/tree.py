"""The project's own source files, as the lint reads them.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SKIPPED_FOLDERS = {".git", "build", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache"}
_COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def files(root: Path, *suffixes: str) -> Iterator[Path]:
    """Every file under `root` whose name ends so, relative to it, in a fixed order."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders
                            if f not in _SKIPPED_FOLDERS and not f.startswith("bazel-"))
        for name in sorted(names):
            if name.endswith(suffixes):
                yield (Path(folder) / name).relative_to(root)


def bare_code(text: str) -> str:
    """C++ without comments and literals; lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        literal = '""' if match[0][0] in "\"R" else " "
        return literal + "\n" * match[0].count("\n")

    return _COMMENT_OR_STRING.sub(blank, text)


def is_test(path: Path) -> bool:
    """Tests and benchmarks beside the code they are about, and what only they use."""
    return path.stem.endswith(("_test", "_bench", "_fuzzer")) or "testing" in path.parts[:-1]
