"""Hashes of what a slice depends on: the same on every machine, from what git stores of files.

Line comments of C++ do not count: no result depends on them, and a clearer comment in a header
would make every slice stale.

SPDX-License-Identifier: Apache-2.0
"""

import fnmatch
import hashlib
import io
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from rings.errors import RingsError
from rings.steps import Slice

Tree = dict[str, str]  # path -> mode and hash of the content

CODE = (".c", ".cc", ".cl", ".h")
_LITERAL_OR_COMMENT = re.compile(
    rb'R"([^(\s]*)\(.*?\)\1"'  # a raw string
    rb"|\"(?:\\.|[^\\\"\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^\\'\n])*'"  # not 10'000
    rb"|(?:(?<=\n)|\A)[ \t]*(?P<line>//[^\n]*\n)|[ \t]*(?P<rest>//[^\n]*)", re.DOTALL)
_CODE_HASHES: dict[str, str] = {}  # git's hash of a file -> the hash of its code


def git(root: Path, *arguments: str, given: str = "") -> str:
    return _git(root, *arguments, given=given).decode()


def _git(root: Path, *arguments: str, given: str) -> bytes:
    try:
        return subprocess.run(["git", *arguments], cwd=root, input=given.encode(), check=True,
                              capture_output=True).stdout
    except FileNotFoundError:
        raise RingsError("'git' is not installed, which knows the files that slices depend on",
                         "apt-get install git") from None
    except subprocess.CalledProcessError as error:
        raise RingsError(f"git {arguments[0]} failed: {error.stderr.decode().strip()}",
                         "run this in a clone of the repository") from None


def working_tree(root: Path) -> Tree:
    """The files as they are now: tracked ones with their changes, and new ones to be added."""
    tree: Tree = {}
    for entry in _entries(git(root, "ls-files", "--stage", "-z")):
        report, path = entry.split("\t", 1)
        mode, content, stage = report.split(" ")
        if stage != "0":
            raise RingsError(f"{path} has an unresolved merge conflict", "resolve it, and git add")
        tree[path] = f"{mode} {content}"
    modes = _changed_modes(root)
    for path, mode in modes.items():
        if mode == "000000":
            tree.pop(path, None)
    for path in _entries(git(root, "ls-files", "--others", "--exclude-standard", "-z")):
        if not path.endswith("/"):  # another repository
            modes[path] = _mode_of(root / path)
    there = [path for path, mode in modes.items() if mode != "000000"]
    links = [path for path in there if modes[path] == "120000"]
    files = [path for path in there if modes[path] != "120000"]
    hashes = git(root, "hash-object", "--stdin-paths", given="".join(f"{p}\n" for p in files))
    for path, content in zip(files, hashes.split()):
        tree[path] = f"{modes[path]} {content}"
    for path in links:
        target = git(root, "hash-object", "--stdin", given=str((root / path).readlink()))
        tree[path] = f"{modes[path]} {target.strip()}"
    return _by_code(tree, lambda paths: [(root / path).read_bytes() for path in paths])


def _changed_modes(root: Path) -> dict[str, str]:
    """The tracked files that differ from the index, or may; `000000` if one is gone."""
    words = _entries(git(root, "diff-files", "-z"))
    return {path: report.split(" ")[1] for report, path in zip(words[::2], words[1::2])}


def _mode_of(path: Path) -> str:
    if path.is_symlink():
        return "120000"
    return "100755" if path.stat().st_mode & 0o100 else "100644"


def commit_tree(root: Path, commit: str) -> Tree | None:
    """The files of a commit; None if this clone does not have it."""
    known = subprocess.run(["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=root,
                           capture_output=True, check=False)
    if known.returncode:
        return None
    tree: Tree = {}
    for entry in _entries(git(root, "ls-tree", "-r", "-z", commit)):
        report, path = entry.split("\t", 1)
        mode, _, content = report.split(" ")
        tree[path] = f"{mode} {content}"
    return _by_code(tree, lambda paths: _contents(root, [_blob(tree[path]) for path in paths]))


def _contents(root: Path, blobs: list[str]) -> list[bytes]:
    given = "".join(f"{blob}\n" for blob in blobs)
    stored = io.BytesIO(_git(root, "cat-file", "--batch", given=given))
    contents = []
    for _ in blobs:
        size = int(stored.readline().split()[2])  # of "hash blob size"
        contents.append(stored.read(size))
        stored.readline()
    return contents


def without_comments(code: bytes) -> bytes:
    """C++ without its `//` comments, and without the lines that have nothing else."""
    return _LITERAL_OR_COMMENT.sub(
        lambda match: b"" if match["line"] or match["rest"] else match[0], code)


def _by_code(tree: Tree, read: Callable[[list[str]], list[bytes]]) -> Tree:
    """`tree` with the hash of the code of files of C++ in place of that of their content."""
    files = [path for path in tree if path.endswith(CODE) and not tree[path].startswith("120000")]
    unknown = [path for path in files if _blob(tree[path]) not in _CODE_HASHES]
    for path, content in zip(unknown, read(unknown)):
        _CODE_HASHES[_blob(tree[path])] = hashlib.sha256(without_comments(content)).hexdigest()
    return tree | {path: f"{tree[path].split(' ')[0]} {_CODE_HASHES[_blob(tree[path])]}"
                   for path in files}


def _blob(content: str) -> str:
    return content.split(" ")[1]


class Trees:
    """The files as they are now, and those of commits, each read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._commits: dict[str, Tree | None] = {}
        self.now = working_tree(root)

    def of(self, commit: str) -> Tree | None:
        if commit not in self._commits:
            self._commits[commit] = commit_tree(self._root, commit)
        return self._commits[commit]


def head(root: Path) -> str:
    return git(root, "rev-parse", "HEAD").strip()


def _entries(listed: str) -> list[str]:
    return [entry for entry in listed.split("\0") if entry]


class Matcher:
    """Whether a path is among inputs as `Slice` describes them."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self._wanted = _Patterns([p for p in patterns if not p.startswith("!")])
        self._excluded = _Patterns([p[1:] for p in patterns if p.startswith("!")])

    def __call__(self, path: str) -> bool:
        return self._wanted.match(path) and not self._excluded.match(path)


class _Patterns:
    def __init__(self, patterns: list[str]) -> None:
        self._folders = tuple(p for p in patterns if p.endswith("/"))
        others = [p for p in patterns if not p.endswith("/")]
        self._files = {p for p in others if not set("*?[") & set(p)}
        globs = [fnmatch.translate(p) for p in others if p not in self._files]
        self._globs = re.compile("|".join(globs) or r"(?!)")

    def match(self, path: str) -> bool:
        return (path in self._files or path.startswith(self._folders)
                or self._globs.match(path) is not None)


def inputs_of(part: Slice, tree: Tree) -> list[str]:
    matches = Matcher(part.inputs)
    return sorted(path for path in tree if matches(path))


def definition_hash(part: Slice) -> str:
    return _short(repr((part.steps, part.inputs)))[:8]


def files_hash(part: Slice, tree: Tree) -> str:
    return _short("".join(f"{tree[path]} {path}\n" for path in inputs_of(part, tree)))


def slice_hash(part: Slice, tree: Tree) -> str:
    """Of the slice's definition, a hyphen, and of its files."""
    return f"{definition_hash(part)}-{files_hash(part, tree)}"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
