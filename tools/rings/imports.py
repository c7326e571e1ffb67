"""Which Python files and scripts a file depends on: a map, found without running anything.

SPDX-License-Identifier: Apache-2.0

The map errs on the side of too much. A literal that is the name of a module, or the path of such a
file, counts as an import; a module that imports by a computed name depends on all of its folder and
the folders below. Of a shell script each word is a literal.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

# Where modules are found, besides the folder of the file that imports them.
ROOTS = ("tools", "test/golden", "mace/python")
ENDINGS = (".py", ".sh")
_COMPUTED = {"import_module", "__import__"}
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


@dataclass
class Source:
    path: str
    names: set[str] = field(default_factory=set)  # modules, dotted
    literals: set[str] = field(default_factory=set)
    imports_by_computed_name: bool = False


def parse(path: str, text: str) -> Source:
    """What a file imports and mentions. One that does not parse depends on nothing: lint tells."""
    file = Source(path)
    if not path.endswith(".py"):
        file.literals.update(re.findall(r"[\w./-]+", text))
        return file
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return file
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            file.names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(path, node)
            file.names.add(base)
            # `from package import module`, unless the name is no module.
            file.names.update(f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            file.literals.add(node.value)
        elif isinstance(node, ast.Call) and _called(node) in _COMPUTED and not (
                node.args and isinstance(node.args[0], ast.Constant)):
            file.imports_by_computed_name = True
    return file


def _absolute(path: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parents = PurePosixPath(path).parts[:-node.level]
    return "/".join((*parents, *(node.module or "").split("."))).strip("/")


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


class Graph:
    """The Python files and scripts of a tree, and who depends on whom."""

    def __init__(self, files: Iterable[Source]) -> None:
        self.files = {file.path: file for file in files}
        self.importers: dict[str, set[str]] = {path: set() for path in self.files}
        for file in self.files.values():
            for path in self._dependencies(file):
                if path != file.path:
                    self.importers[path].add(file.path)

    def dependents(self, paths: Iterable[str]) -> set[str]:
        """These files and all that depend on them."""
        found: set[str] = set()
        todo = [path for path in paths if path in self.files]
        while todo:
            path = todo.pop()
            if path not in found:
                found.add(path)
                todo.extend(self.importers[path])
        return found

    def that_mention(self, *words: str) -> set[str]:
        """The files with a literal that is one of `words` or a path that ends with it."""
        endings = tuple(f"/{word}" for word in words)
        return {file.path for file in self.files.values()
                if any(text in words or text.endswith(endings) for text in file.literals)}

    def _dependencies(self, file: Source) -> set[str]:
        folder = PurePosixPath(file.path).parent
        found: set[str] = set()
        for name in file.names:
            found |= self._modules(name, folder)
        for text in file.literals:
            if text.endswith(ENDINGS):
                found |= self._paths(text)
            elif _DOTTED.fullmatch(text) and self._is_module(text, folder):
                found |= self._modules(text, folder)
        if file.imports_by_computed_name:
            found |= {path for path in self.files if path.startswith(f"{folder}/")
                      and not path.endswith("_test.py")}
        found |= {f"{place}/conftest.py".removeprefix("./") for place in (folder, *folder.parents)
                  if file.path.endswith("_test.py")}
        return found & self.files.keys()

    def _modules(self, name: str, folder: PurePosixPath) -> set[str]:
        """The files that importing a module runs: its own, and those of the packages above."""
        parts = name.replace("/", ".").split(".")
        found: set[str] = set()
        roots = [""] if "/" in name else [*ROOTS, str(folder)]
        for root in roots:
            for length in range(1, len(parts) + 1):
                place = "/".join(word for word in (root, *parts[:length]) if word)
                found |= {f"{place}.py", f"{place}/__init__.py"} & self.files.keys()
        return found

    def _is_module(self, name: str, folder: PurePosixPath) -> bool:
        places = [f"{root}/{name.replace('.', '/')}" for root in (*ROOTS, folder)]
        return any({f"{place}.py", f"{place}/__init__.py"} & self.files.keys() for place in places)

    def _paths(self, text: str) -> set[str]:
        ending = text.lstrip("./")
        return {path for path in self.files if path == ending or path.endswith(f"/{ending}")}
