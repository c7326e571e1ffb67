"""What a change affects: C++ tests by Bazel's graph, Python tests by the map of their imports.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from rings import inputs
from rings.errors import Exit, RingsError
from rings.imports import ENDINGS, Graph, parse
from rings.suites import ENGINE_TOOLS, EVERYTHING

# A change of these can change every C++ test; of those below, every Python test.
ALL_CPP = ("WORKSPACE", ".bazelrc", "third_party/", "tools/setup.sh", "tools/requirements/debian_",
           "BUILD.bazel")
ALL_PYTHON = ("pyproject.toml", "tools/setup.sh", "tools/requirements/")
CPP_FOLDERS = ("mace/", "tools/", "test/")
IN_BAZELS_GRAPH = {".cc", ".h", ".c", ".cl", ".S", ".bzl"}
NOT_CPP = (*ENDINGS, ".md")
# The module by which Python tests run the engine.
ENGINE = "tools/mace_tools/run/runner.py"
# What no test but lint and those that mention it read.
INERT = ("LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", ".gitignore", ".clang-format", ".ci/",
         "test/deep_results.txt", "tools/test.sh")
TOO_COMMON = {"mace", "tools", "test", "testing", "common"}

Query = Callable[[str], list[str]]  # an expression of `bazel query` -> labels


@dataclass
class Affected:
    """The tests that a change can change."""

    files: list[str]  # of the change
    host: list[str] = field(default_factory=list)  # Bazel's labels
    gpu: list[str] = field(default_factory=list)
    dsp: list[str] = field(default_factory=list)
    python: list[str] = field(default_factory=list)  # files
    notes: list[str] = field(default_factory=list)  # why more runs than one may expect


def changed_files(root: Path, base: str | None) -> list[str]:
    """Since `base`, or since the branch left `main`: committed or not, and new files."""
    if base is None:
        base = _merge_base(root)
    elif _fails(root, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}"):
        raise RingsError(f"affected: '{base}' is no commit of this clone",
                         "name a commit or a branch; none stands for where this one left main",
                         Exit.USAGE)
    listed = inputs.git(root, "diff", "--name-only", "--no-renames", "-z", base)
    new = inputs.git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return sorted({path for path in (listed + new).split("\0") if path})


def _merge_base(root: Path) -> str:
    for main in ("main", "origin/main"):
        if not _fails(root, "rev-parse", "--verify", "--quiet", main):
            return inputs.git(root, "merge-base", main, "HEAD").strip()
    return "HEAD"


def _fails(root: Path, *arguments: str) -> bool:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True,
                          check=False).returncode != 0


def affected(root: Path, files: Sequence[str], query: Query) -> Affected:
    found = Affected(list(files))
    engine = _add_cpp(root, found, query)
    _add_python(root, found, engine)
    return found


def _add_cpp(root: Path, found: Affected, query: Query) -> bool:
    """Adds the C++ tests; returns whether the programs that Python tests run change, too."""
    everything = " + ".join(EVERYTHING)
    reason = next((path for path in found.files
                   if path.startswith(ALL_CPP) or path.endswith(".bzl")), None)
    if reason:
        found.notes.append(f"all C++ tests, as {reason} changed")
        tests, engine = f'kind("cc_test", {everything})', True
    else:
        changed = _labels(root, found.files, query)
        if not changed:
            return False
        tests = f'kind("cc_test", rdeps({everything}, {changed}))'
        engine = bool(query(f"rdeps({' + '.join(ENGINE_TOOLS)}, {changed})"))
    gpu = query(f'attr("tags", "\\bgpu\\b", {tests})')
    dsp = query(f'attr("tags", "\\bdsp\\b", {tests})')
    found.gpu, found.dsp = sorted(gpu), sorted(dsp)
    found.host = sorted(set(query(tests)) - {*gpu, *dsp})
    return engine


def _labels(root: Path, files: Sequence[str], query: Query) -> str:
    """The targets of changed files, as an expression; of a file that is gone, its whole package."""
    words = []
    known = set(query(" + ".join(f"{targets}:*" for targets in EVERYTHING)))
    for path in files:
        package = _package(root, path)
        if package is None or not path.startswith(CPP_FOLDERS) or path.endswith(NOT_CPP):
            continue
        name = PurePosixPath(path).relative_to(package).as_posix()
        if name == "BUILD.bazel" or not (root / path).exists():
            words.append(f"//{package}:all")
        elif f"//{package}:{name}" in known:
            words.append(f"//{package}:{name}")
    return f"set({' '.join(words)})" if words else ""


def _package(root: Path, path: str) -> str | None:
    for folder in PurePosixPath(path).parents:
        if (root / folder / "BUILD.bazel").exists():
            return str(folder) if str(folder) != "." else None
    return None


def bazel_query(root: Path) -> Query:
    def query(expression: str) -> list[str]:
        done = subprocess.run(["bazel", "query", "--noshow_progress", expression], cwd=root,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise RingsError(f"bazel query failed: {done.stderr.strip()[-2000:]}",
                             "mend the BUILD files; without their graph nothing is known")
        return done.stdout.split()

    return query


def _add_python(root: Path, found: Affected, engine: bool) -> None:
    tree = inputs.working_tree(root)
    graph = Graph(parse(path, (root / path).read_text()) for path in tree if path.endswith(ENDINGS))
    tests = {path for path in graph.files if path.endswith("_test.py")}
    reason = next((path for path in found.files if path.startswith(ALL_PYTHON)), None)
    if reason:
        found.notes.append(f"all Python tests, as {reason} changed")
        found.python = sorted(tests)
        return
    changed: set[str] = set()
    if engine:
        changed |= {ENGINE} | graph.that_mention("bazel")
        found.notes.append("all Python tests that run the engine, as its programs change")
    pages: set[str] = set()
    for path in found.files:
        if path in graph.files:
            changed.add(path)
        elif path.endswith(".md"):
            pages |= _near(graph, tests, _readers(graph, tests, path, found))
        else:
            changed |= _readers(graph, tests, path, found)
    found.python = sorted(pages | graph.dependents(changed) & tests)


def _near(graph: Graph, tests: set[str], readers: set[str]) -> set[str]:
    """The tests of those who read a page. Who imports them for another reason does not read it."""
    folders = {str(PurePosixPath(path).parent) for path in readers - tests}
    close = readers.union(*(graph.importers[path] for path in readers))
    return {test for test in tests if test in close or str(PurePosixPath(test).parent) in folders}


def _readers(graph: Graph, tests: set[str], path: str, found: Affected) -> set[str]:
    """The files that may read another kind of file: by its name, or by that of its folder."""
    file = PurePosixPath(path)
    readers = graph.that_mention(file.name)
    if path.endswith(ENDINGS):  # it is gone: what imported it fails to import
        return graph.that_mention(file.name, file.stem) | graph.dependents(
            other for other in graph.files if file.stem in _last_names(graph, other))
    if path.startswith((*INERT, *ALL_CPP)) or file.suffix in IN_BAZELS_GRAPH:
        return readers  # Bazel's graph has the rest
    folders = [part for part in file.parent.parts if part not in TOO_COMMON]
    readers |= {reader for reader in graph.that_mention(*folders) if reader.endswith(".py")}
    readers |= {test for test in tests if PurePosixPath(test).parent == file.parent}
    if not readers and file.name != "BUILD.bazel":
        found.notes.append(f"all Python tests, as none is known to read {path}")
        return tests
    return readers


def _last_names(graph: Graph, path: str) -> set[str]:
    return {name.replace("/", ".").rpartition(".")[2] for name in graph.files[path].names}
