"""Writes a C++ file that contains all of its mutants; a variable switches one of them on.

Untch et al., "Mutation Analysis Using Mutant Schemata" (1993): one compilation for all mutants.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json
import re
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from mutant_list import CONSTANT, Mutant, mutants_of

# Declared anew in each file: a header would change what Bazel compiles all others from.
_SWITCH = (b'extern "C" int mace_mutant; extern "C" unsigned char mace_mutants_reached[];')
NO_COMPILE = "does not compile"
# Warnings of unused values and the like are the mutants' own.
_CHECK = ["g++", "-std=c++17", "-fsyntax-only", "-w", "-fno-exceptions", "-fno-rtti",
          "-Wno-narrowing", "-fdiagnostics-column-unit=byte", "-fmax-errors=0", "-x", "c++", "-I."]
_MARK = re.compile(rb"/\*<(\d+)\*/.*?/\*\1>\*/", re.DOTALL)


@dataclass
class MutatedFile:
    """A file, its mutants and the number of the first of them."""

    path: str
    content: bytes
    mutants: list[Mutant]
    first_id: int

    def leave_out(self, ids: set[int], reason: str) -> None:
        for i in ids:
            at = i - self.first_id
            self.mutants[at] = replace(self.mutants[at], left_out=reason)

    def ids(self) -> list[int]:
        """The ids of the mutants that are tried."""
        return [self.first_id + i for i, m in enumerate(self.mutants) if not m.left_out]

    def text(self) -> bytes:
        """The file with all mutants that are tried; every line keeps its number."""
        tried = [(self.first_id + i, m) for i, m in enumerate(self.mutants) if not m.left_out]
        body = _compose(self.content, 0, len(self.content), tried)
        lines = body.split(b"\n")
        lines[_licence_line(self.path, lines)] = _SWITCH
        if self.path.endswith(".h"):  # which others compile with warnings as errors
            lines[0] = b"#pragma GCC system_header"
        return b"\n".join(lines)


def _licence_line(path: str, lines: list[bytes]) -> int:
    """A line of the first comment, but not its first, which the switch may replace."""
    for i, line in enumerate(lines):
        if not line.startswith(b"//"):
            break
        if i > 0 and line.startswith(b"// SPDX"):
            return i
    raise RuntimeError(f"{path} has no SPDX line below its first line")


def mutated_file(path: str, content: bytes, first_id: int) -> MutatedFile:
    return MutatedFile(path, content, mutants_of(path, content), first_id)


def _compose(content: bytes, begin: int, end: int, tried: list[tuple[int, Mutant]]) -> bytes:
    """[begin, end) with its mutants, which are sorted by position, outer ones before inner ones.
    """
    parts = []
    words = {m.constexpr for _, m in tried if m.constexpr}
    at = begin
    i = 0
    while i < len(tried):
        first = tried[i][1]
        same, inner = [], []
        while i < len(tried) and tried[i][1].start < first.end:
            spans = tried[i][1].start == first.start and tried[i][1].end == first.end
            (same if spans else inner).append(tried[i])
            i += 1
        parts.append(_plain(content, at, first.start, words))
        parts.append(_wrap(same, _compose(content, first.start, first.end, inner)))
        at = first.end
    parts.append(_plain(content, at, end, words))
    return b"".join(parts)


def _plain(content: bytes, begin: int, end: int, words: set[tuple[int, int]]) -> bytes:
    """[begin, end) with `const` in place of the given words `constexpr`."""
    parts = []
    for start, stop in sorted(w for w in words if begin <= w[0] < end):
        parts.append(content[begin:start] + b"const")
        begin = stop
    return b"".join(parts) + content[begin:end]


def _wrap(mutants: list[tuple[int, Mutant]], inner: bytes) -> bytes:
    for i, mutant in mutants:
        mark = b"/*<%d*/%%s/*%d>*/" % (i, i)
        is_on = b"(mace_mutants_reached[%d] = 1, mace_mutant == %d)" % (i, i)
        if mutant.text == b"":
            inner = b"{" + mark % (b"if (!" + is_on + b")") + b" {" + inner + b"}}"
        else:
            inner = b"(" + mark % (is_on + b" ? (%s) :" % mutant.text) + b" (" + inner + b"))"
    return inner


def leave_out_what_fails(root: Path, file: MutatedFile, max_rounds: int = 8) -> None:
    """Leaves out the mutants that do not compile, among the files below `root`.

    Raises RuntimeError for a file that does not compile without them either.
    """
    original = (root / file.path).read_bytes()
    try:
        for _ in range(max_rounds):
            text = file.text()
            (root / file.path).write_bytes(text)
            done = subprocess.run([*_CHECK, file.path], cwd=root, capture_output=True, check=False)
            if done.returncode == 0:
                return
            lines = _lines(file, text, done.stderr.decode())
            if wrong := _blamed(file, lines):
                file.leave_out(wrong, NO_COMPILE)
            elif constants := _constants(file, lines):
                file.leave_out(constants, CONSTANT)
            else:
                break
    finally:
        (root / file.path).write_bytes(original)
    raise RuntimeError(f"{file.path} does not compile:\n{done.stderr.decode()[:4000]}")


class KnownFailures:
    """What leave_out_what_fails() found, kept by the contents of the files and their mutants."""

    def __init__(self, root: Path, path: Path) -> None:
        self._root, self._path = root, path
        self._known: dict[str, dict[str, str]] = (
            json.loads(path.read_text()) if path.exists() else {})

    def leave_out(self, file: MutatedFile) -> None:
        mutants = "\n".join(f"{m.start} {m.change} {m.left_out}" for m in file.mutants)
        key = hashlib.sha256(mutants.encode() + file.content).hexdigest()
        if key not in self._known:
            before = file.ids()
            leave_out_what_fails(self._root, file)
            self._known[key] = {str(i - file.first_id): file.mutants[i - file.first_id].left_out
                                for i in set(before) - set(file.ids())}
            self._path.write_text(json.dumps(self._known))
        for at, reason in self._known[key].items():
            file.leave_out({file.first_id + int(at)}, reason)


def _lines(file: MutatedFile, text: bytes, messages: str) -> list[tuple[int, set[int]]]:
    """The lines in which the compiler found errors, each with the mutants that it points to."""
    starts = [0]
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    marks = [(m.start(), m.end(), int(m[1])) for m in _MARK.finditer(text)]
    lines = []
    pattern = rf"{re.escape(file.path)}:(\d+):(\d+):\s+(?:error:|.*required from here)"
    for found in re.finditer(pattern, messages):
        at = starts[int(found[1]) - 1] + int(found[2]) - 1
        # An error about the sides of '?' points to it or to the parenthesis before it.
        inside = {i for start, end, i in marks if start - 1 <= at < end}
        lines.append((int(found[1]), inside))
    return lines


def _blamed(file: MutatedFile, lines: list[tuple[int, set[int]]]) -> set[int]:
    wrong = set().union(*(inside for _, inside in lines))
    return wrong or {i for i in file.ids() for line, _ in lines
                     if file.mutants[i - file.first_id].line == line
                     and not file.mutants[i - file.first_id].constexpr}


def _constants(file: MutatedFile, lines: list[tuple[int, set[int]]]) -> set[int]:
    """The mutants of the constants that those lines name; of all if they name none."""
    source = file.content.decode().split("\n")
    words = {word for line, _ in lines for word in re.findall(r"\w+", source[line - 1])}
    mutated = {i: file.mutants[i - file.first_id] for i in file.ids()}
    constants = {i: re.search(r"(\w+)(?:\[\w*\])?\s*[={]", m.source)
                 for i, m in mutated.items() if m.constexpr}
    return {i for i, name in constants.items() if name and name[1] in words} or set(constants)
