"""Licence lines, words that production code does without, and sizes of files.

SPDX-License-Identifier: Apache-2.0
"""

import re
from pathlib import Path

from lint.tree import bare_code, files, is_test

LICENSE_LINE = "SPDX-License-Identifier: Apache-2.0"
LICENSED = (".h", ".cc", ".c", ".cl", ".S", ".java", ".py", ".sh", ".bzl", ".proto", ".yml", ".fbs",
            "BUILD", ".BUILD", "BUILD.bazel", "WORKSPACE", "Dockerfile", ".bazelrc", ".toml")
HEAD_LINES = 12

# Errors are values: what ends the process or unwinds the stack stays out of the library.
BANNED = {
    "abort": r"\babort\s*\(",
    "exit": r"\b(?:_?exit|_Exit|quick_exit|terminate)\s*\(",
    "CHECK": r"\bD?CHECK(?:_\w+)?\s*\(",
    "assert": r"(?<!static_)\bassert\s*\(",
    "exceptions": r"\b(?:throw|try|catch)\b",
    "dynamic_cast": r"\bdynamic_cast\b",
    "console": r"\b(?:std::cout|std::cerr|printf|puts)\b",
}
# (file, banned word) -> why it stands there.
EXCEPTIONS = {
    ("mace/base/status.h", "abort"): "MACE_ENSURE in debug builds",
}
_BANNED = re.compile("|".join(f"(?P<{name}>{words})" for name, words in BANNED.items()))

# A table of which a part elsewhere would be one more file to edit.
LONG_TABLES = ("mace/runtime/settings/settings.h",)
# Beyond the sizes at which to think again (200, 400, 300): past these a file is split.
MAX_LINES = {".h": 300, ".cc": 500, ".cl": 500, ".py": 400, ".sh": 300}
MAX_BYTES = 1_000_000
# Flags of files belong to their targets (mace/levels.bzl): .bazelrc names none.
BAZELRC_COLUMNS = 120
_FLAGS_OF_FILES = re.compile(r"--(?:host_)?per_file_copt=(?!\.\*@)|\.(?:cc|c|S)\b")


def missing_licenses(root: Path) -> list[str]:
    return [f"{path}: no line '{LICENSE_LINE}', with nothing else, among the first {HEAD_LINES}"
            for path in files(root, *LICENSED)
            if not any(line.strip("#/-* ") == LICENSE_LINE for line in
                       (root / path).read_text().splitlines()[:HEAD_LINES])]


def banned_words(root: Path) -> list[str]:
    found = []
    for path in files(root, ".h", ".cc"):
        if path.parts[0] != "mace" or is_test(path) or path.parts[1] == "examples":
            continue
        code = bare_code((root / path).read_text())
        for match in _BANNED.finditer(code):
            name = match.lastgroup or ""
            if (path.as_posix(), name) not in EXCEPTIONS:
                line = code.count("\n", 0, match.start()) + 1
                found.append(f"{path}:{line}: '{match[0]}' ({name}): return a Status instead")
    return found


def oversized(root: Path) -> list[str]:
    found = []
    for path in files(root, ""):
        limit = MAX_LINES.get(path.suffix)
        size = (root / path).stat().st_size
        if size > MAX_BYTES:
            found.append(f"{path}: {size} bytes, more than {MAX_BYTES}")
        elif limit and path.as_posix() not in LONG_TABLES and (
                lines := (root / path).read_bytes().count(b"\n")) > limit:
            found.append(f"{path}: {lines} lines, more than {limit}")
    return found


def bazelrc(root: Path) -> list[str]:
    """Lines that are too long, and flags of single files."""
    found = []
    for number, line in enumerate((root / ".bazelrc").read_text().splitlines(), 1):
        if len(line) > BAZELRC_COLUMNS:
            found.append(f".bazelrc:{number}: {len(line)} columns, more than {BAZELRC_COLUMNS}")
        if not line.startswith("#") and _FLAGS_OF_FILES.search(line):
            found.append(f".bazelrc:{number}: flags of files: give them to the files' target")
    return found
