"""Which Python module may import which: the folders of tools/mace_tools, and no cycle anywhere.

SPDX-License-Identifier: Apache-2.0

Imports are read wherever they stand: in functions, where a command or a framework is loaded on
demand, and below TYPE_CHECKING. A registry that loads the modules of its folder by computed names
imports none of them.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lint.tree import files, is_test

PACKAGE = Path("tools/mace_tools")
# Where modules are found: the folders on the path of Python programs of the tree.
ROOTS = (Path("tools"), Path("mace/python"), Path("test/golden"))
# Folder of tools/mace_tools -> what it may import besides itself and support/.
LAYERS: dict[str, set[str]] = {
    "support": set(),
    "graph": set(),
    "convert": {"graph"},
    "config": {"graph"},
    "run": {"config"},
    "devices": {"config", "run"},
    "frameworks": {"config", "convert", "run"},
    "analyze": {"config", "convert", "graph", "run"},
    "package": {"config", "graph", "run"},
    "doctor": {"devices", "frameworks", "run"},
    "generate": {"config", "convert", "graph", "package", "run"},
    "site": set(),
    "setup": set(),  # run by a bare Python, before anything is installed
    "commands": {"analyze", "config", "convert", "devices", "doctor", "frameworks", "graph",
                 "package", "run"},
    "cli": {"commands", "config"},
}
# Tests and what only they use: they import anything, and only tests import them.
TESTING = "testing"
# Folders inside a folder, and which of their neighbours each may import; "." is the folder itself.
SUBFOLDERS: dict[str, dict[str, set[str]]] = {
    "convert": {
        "ops": set(),
        "reference": {"ops"},
        ".": {"ops", "reference"},
        "passes": {".", "ops", "reference"},
        "streaming": {".", "ops", "passes", "reference"},
        "exporters": set(),
        "decoders": set(),
        "importers": {".", "decoders", "exporters", "ops", "passes", "reference"},
        "tokenizers": {"decoders"},
        "onnx_export": {"importers", "ops"},
    },
    "analyze": {
        "reports": set(),
        ".": set(),
        "plan": {"reports"},
        "check": {"plan", "reports"},
        "compare": {".", "reports"},
        "quantize": {"reports"},
    },
    "package": {
        "library": set(),
        "source": {"library"},
        ".": {"library"},
        "release": {".", "library", "source"},
    },
    "commands": {
        "options": set(),
        ".": {"options"},
    },
}


@dataclass(frozen=True)
class Import:
    target: str  # the module, dotted
    line: int


def modules(root: Path) -> dict[str, Path]:
    """The modules of the tree, dotted, and their files relative to `root`."""
    found = {}
    for path in files(root, ".py"):
        for top in ROOTS:
            if path.is_relative_to(top):
                parts = path.relative_to(top).with_suffix("").parts
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(root: Path, known: dict[str, Path], name: str) -> Iterator[Import]:
    """What a module imports of these modules. Packages above a module that is named are not
    counted, and neither are modules that only the build makes."""
    for node in ast.walk(_parsed((root / known[name]).read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in known:
                    yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = _base(known, name, node)
            for alias in node.names:
                if f"{base}.{alias.name}" in known:
                    yield Import(f"{base}.{alias.name}", node.lineno)
                elif base in known and not name.startswith(f"{base}."):
                    yield Import(base, node.lineno)
                elif base in known and alias.name in _names(root, known[base]):
                    yield Import(base, node.lineno)


def violations(root: Path) -> list[str]:
    """One line for each import of tools/mace_tools that the tables do not allow."""
    known = modules(root)
    found = []
    for name, path in known.items():
        if not path.is_relative_to(PACKAGE) or is_test(path):
            continue
        if len(path.parts) == len(PACKAGE.parts) + 1:
            if path.name != "__init__.py":
                found.append(f"{path}: stands in no folder")
            continue
        for one in imports(root, known, name):
            reason = _refusal(path, known[one.target])
            if reason:
                found.append(f"{path}:{one.line}: imports {one.target}: {reason}")
    return found


def cycles(root: Path) -> list[str]:
    """One line for each circle of modules that import one another."""
    known = modules(root)
    graph = {name: {one.target for one in imports(root, known, name)} - {name} for name in known}
    return [" -> ".join([*circle, circle[0]]) for circle in _circles(graph)]


@functools.cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def _base(known: dict[str, Path], name: str, node: ast.ImportFrom) -> str:
    """The module after `from`."""
    if not node.level:
        return node.module or ""
    is_package = known[name].name == "__init__.py"
    parents = name.split(".")[: len(name.split(".")) - node.level + is_package]
    return ".".join([*parents, *(node.module or "").split(".")]).strip(".")


def _names(root: Path, path: Path) -> set[str]:
    """The names that a file binds at its top."""
    found = set()
    for node in _parsed((root / path).read_text()).body:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
            elif isinstance(inner, ast.alias):
                found.add(inner.asname or inner.name)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
    return found


def _refusal(path: Path, target: Path) -> str:
    """Why a production file may not import another file, or ''."""
    if not target.is_relative_to(PACKAGE):
        return ""
    if is_test(target):
        return "only tests import tests, and what is made for them"
    ours, theirs = path.parts[2], target.parts[2]
    if ours not in LAYERS:
        return f"{PACKAGE / ours} is not in the table of tools/lint/python_layers.py"
    if ours == theirs:
        return _subfolder_refusal(ours, _subfolder(path), _subfolder(target))
    if len(target.parts) == len(PACKAGE.parts) + 1 or theirs in LAYERS[ours] | {"support"}:
        return ""
    return f"{ours}/ may import {_list(LAYERS[ours] | {'support'})}, not {theirs}/"


def _subfolder_refusal(folder: str, ours: str, theirs: str) -> str:
    table = SUBFOLDERS.get(folder)
    if table is None or ours == theirs:
        return ""
    if ours not in table:
        return f"{folder}/{ours} is not in SUBFOLDERS of tools/lint/python_layers.py"
    if theirs in table[ours]:
        return ""
    return f"{folder}/{ours} may import {_list(table[ours])}, not {theirs}"


def _subfolder(path: Path) -> str:
    return path.parts[3] if len(path.parts) > 4 else "."


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none of its neighbours"


def _circles(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    """A circle of each set of modules that all lead to one another."""
    left = {name: {t for t in targets if t in graph} for name, targets in graph.items()}
    while left:
        free = [name for name, targets in left.items() if not targets]
        for name in free:
            del left[name]
        if free:
            for targets in left.values():
                targets.difference_update(free)
            continue
        path = [min(left)]
        while path[-1] not in path[:-1]:
            path.append(min(left[path[-1]]))
        circle = path[path.index(path[-1]):-1]
        yield circle
        left[circle[0]].discard(circle[1])
