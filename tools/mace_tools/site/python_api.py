"""The Python package as a page: what it exports, with signatures, types and docstrings.

SPDX-License-Identifier: Apache-2.0

The sources are read, not imported, so that no library is needed.
"""

import ast
import inspect
from pathlib import Path

from mace_tools.site.entries import Entry, Page, prose

_Defined = ast.ClassDef | ast.FunctionDef


def _docstring(node: ast.Module | _Defined) -> str:
    text = ast.get_docstring(node, clean=False) or ""
    return prose([line for line in inspect.cleandoc(text).split("\n")
                  if "SPDX-License-Identifier" not in line])


def _signature(node: ast.FunctionDef) -> str:
    """The function's head in one line, or a line for each parameter if that is too long."""
    arguments = ast.unparse(node.args)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    line = f"{node.name}({arguments}){returns}"
    if len(line) <= 88:
        return f"def {line}"
    alone = ast.arguments(node.args.posonlyargs, node.args.args, None, [], [], None, [])
    parts, given = [], len(alone.args) - len(node.args.defaults)
    for k, argument in enumerate(node.args.args):
        parts.append(ast.unparse(argument) + (
            f" = {ast.unparse(node.args.defaults[k - given])}" if k >= given else ""))
    parts += [f"*{ast.unparse(node.args.vararg)}" if node.args.vararg else "*"] if (
        node.args.vararg or node.args.kwonlyargs) else []
    for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        parts.append(ast.unparse(argument) + (f" = {ast.unparse(default)}" if default else ""))
    parts += [f"**{ast.unparse(node.args.kwarg)}"] if node.args.kwarg else []
    return f"def {node.name}(\n    " + ",\n    ".join(parts) + f",\n){returns}"


def _is_data(node: ast.ClassDef) -> bool:
    """Named tuples, enumerations, dictionaries of settings: their fields say what they are."""
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    return bool(bases & {"NamedTuple", "IntEnum", "Enum", "TypedDict"}) or any(
        "dataclass" in ast.unparse(d) for d in node.decorator_list)


def _fields(node: ast.ClassDef, text: str) -> list[str]:
    """The lines of a class with its fields and their comments, up to its first function."""
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    return [f"class {node.name}({bases}):" if bases else f"class {node.name}:", *_body(node, text)]


def _body(node: ast.ClassDef, text: str) -> list[str]:
    lines = text.split("\n")
    functions = [n for n in node.body if isinstance(n, ast.FunctionDef)]
    end = min([node.end_lineno or 0, *[n.lineno - 1 - len(n.decorator_list) for n in functions]])
    first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
    shown = lines[first.lineno - 1:end]
    while shown and not shown[-1].strip():
        shown.pop()
    return shown


def _member(node: ast.FunctionDef) -> Entry | None:
    if node.name.startswith("_") and node.name not in ("__init__", "__call__"):
        return None
    is_property = any("property" in ast.unparse(d) for d in node.decorator_list)
    code = f"{node.name}: {ast.unparse(node.returns)}" if is_property and node.returns else (
        _signature(node))
    marks = [f"@{ast.unparse(d)}" for d in node.decorator_list
             if ast.unparse(d) in ("classmethod", "staticmethod")]
    return Entry([node.name], [*marks, code], _docstring(node))


def _entry(node: _Defined, text: str) -> Entry:
    if isinstance(node, ast.FunctionDef):
        return Entry([node.name], [_signature(node)], _docstring(node))
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    code = _fields(node, text) if _is_data(node) else [
        f"class {node.name}({bases})" if bases else f"class {node.name}"]
    members = [_member(n) for n in node.body if isinstance(n, ast.FunctionDef)]
    return Entry([node.name], code, _docstring(node), [m for m in members if m])


def _inherit(entry: Entry, inner: dict[str, list[str]]) -> None:
    """Shows the fields of a base that is not exported as the class's own."""
    for base, fields in inner.items():
        if f"({base}, " in entry.code[0]:
            entry.code[0] = entry.code[0].replace(f"({base}, ", "(")
            entry.code[1:1] = fields


def exported(package: Path) -> list[str]:
    """The names in __all__ of a package."""
    for node in ast.parse((package / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return sorted(ast.literal_eval(node.value), key=lambda n: (n[0].islower(), n))
    return []


def package_page(package: Path) -> Page:
    """The page of a package."""
    found: dict[str, Entry] = {}
    inner: dict[str, list[str]] = {}  # the fields of classes that are not exported
    names = exported(package)
    for path in sorted(package.glob("*.py")):
        text = path.read_text()
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in names:
                found[node.name] = _entry(node, text)
            elif isinstance(node, ast.ClassDef):
                inner[node.name] = _body(node, text)
    for entry in found.values():
        _inherit(entry, inner)
    module = ast.parse((package / "__init__.py").read_text())
    return Page("python", f"Python: the package `{package.name}`", "python", _docstring(module),
                [found[name] for name in names])
