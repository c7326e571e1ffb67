"""What becomes of each format's operators: docs/front_ends.md.

SPDX-License-Identifier: Apache-2.0

The page follows from the importer functions alone: the ops that they name, what they say of
themselves, and what they refuse. Formats are
the packages of mace_tools/convert/importers.
"""

import ast
import importlib
import inspect
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mace_tools.convert import importers
from mace_tools.convert.importers.registry import Registry
from mace_tools.graph.op_schema import all_ops
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO

PAGE = REPO / "docs" / "front_ends.md"
# Operators that the newest release of MACE converts, for comparison.
MACE = {"tensorflow": 83, "caffe": 36, "onnx": 85}
_HEAD = """# Front ends

What each operator of each format becomes, and which uses of it are refused (generated: see
`tools/mace_tools/generate/importers_table.py`). An operator becomes one or several of the ops of
[ops.md](ops.md), as its attributes and operands ask; "-": it is computed or left out when the model
is converted. An attribute that the importer does not know is always refused. All refusals of a
model are reported together, each with the nearest cure; [custom_ops.md](custom_ops.md) tells how an
app computes what no op does. Keras models become SavedModels first, and PyTorch programs ONNX ones
([converter.md](converter.md#keras-and-pytorch)).

TFLite's models of 8 bits are computed to the bit. Those of ONNX and TensorFlow state float values
that are quantized; the engine computes such a layer with TFLite's integer arithmetic, so a
quantized value of it may be one less or one more than that of ONNX Runtime, and layers behind it
can multiply the difference. Quantize and Dequantize themselves are exact, halves to even as in
ONNX. Inner tensors of uint8 become int8, with a zero point that is less by 128. A layer whose
operands have no such quantized values, or an op that the engine computes in float32 only, stays
between Dequantize and Quantize, and a note of the conversion counts it; so does a filter with
several scales whose zero points are not all 0 (128 in uint8).
"""


def _package(platform: str) -> Any:
    return importlib.import_module(f"mace_tools.convert.importers.{platform}")


def registry_of(platform: str) -> Registry:
    return _package(platform).registry


def formats() -> dict[str, Registry]:
    """The registries by platform, without those of frameworks that export to another format, and
    of formats whose files hold no graph."""
    found = {platform: registry_of(platform) for platform in importers.platforms()
             if getattr(_package(platform), "HAS_GRAPHS", True)}
    return {platform: r for platform, r in found.items()
            if r.package == f"mace_tools.convert.importers.{platform}"}


def page() -> str:
    """docs/front_ends.md."""
    registries = formats()
    parts = [_HEAD, "| format | operators that convert | MACE's newest release |\n|---|---|---|"]
    parts += [f"| [{r.framework}](#{r.framework.lower()}) | {len(r.supported())} | "
              f"{MACE.get(platform, '-')} |" for platform, r in registries.items()]
    for registry in registries.values():
        parts.append("\n" + _section(registry))
    return "\n".join(parts).rstrip() + "\n"


def _section(registry: Registry) -> str:
    groups: dict[Callable[..., Any], list[str]] = {}
    for op, function in sorted(registry.functions().items()):
        groups.setdefault(function, []).append(op)
    lines = [f"## {registry.framework}\n", "| operators | become | limits |", "|---|---|---|"]
    for function, ops in groups.items():
        behavior = Behavior(function)
        become = ", ".join(f"`{op}`" for op in sorted(behavior.ops)) or "-"
        limits = "; ".join(dict.fromkeys([*behavior.says, *behavior.refuses]))
        lines.append(f"| {', '.join(f'`{op}`' for op in ops)} | {become} | {_cell(limits)} |")
    advice: dict[str, list[str]] = {}
    for op, help in registry.advice().items():
        advice.setdefault(help, []).append(op)
    if advice:
        lines += [f"\nOperators of {registry.framework} that are refused with advice:\n",
                  "| operators | advice |", "|---|---|"]
        lines += [f"| {', '.join(f'`{op}`' for op in ops)} | {_cell(help)} |"
                  for help, ops in advice.items()]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


class Behavior:
    """What an importer function, with all that it calls in mace_tools.convert.importers, says
    in its source."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.ops: set[str] = set()
        self.refuses: list[str] = []
        self._known = set(all_ops())
        self._seen: set[Any] = set()
        own = inspect.getdoc(function) if function.__name__ != "of_type" else ""
        self.says = [own.split("\n\n")[0].rstrip(".")] if own else []
        self._read(function)

    def _read(self, function: Any) -> None:
        if not inspect.isfunction(function) or function in self._seen or not (
                function.__module__.startswith("mace_tools.convert.importers.")):
            return
        self._seen.add(function)
        if function.__module__.endswith((".builder", ".source", ".registry", ".request")):
            return
        captured = inspect.getclosurevars(function).nonlocals
        self.ops |= {v for v in captured.values() if isinstance(v, str) and v in self._known}
        names = {**function.__globals__, **captured}
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        if isinstance(tree, ast.FunctionDef):  # not a lambda
            tree.decorator_list = []  # the names of source operators are no ops
        for node in ast.walk(tree):
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
                names[node.target.id] = list(_texts(node.iter))
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "op":
                self.ops |= {word for word in _texts(node.value) if word in self._known}
            if isinstance(node, ast.Call):
                self._call(node, names)
            elif isinstance(node, ast.Name) and callable(names.get(node.id)):
                self._read(names[node.id])
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                module = names.get(node.value.id)
                if inspect.ismodule(module):
                    self._read(getattr(module, node.attr, None))

    def _call(self, node: ast.Call, names: dict[str, Any]) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(
            node.func, "id", "")
        if called in ("op", "ops") and node.args:
            self.ops |= {word for word in _texts(node.args[0]) if word in self._known}
        elif called == "Unsupported" and node.args:
            self.refuses += [f"refused: {text}" for text in _message(node.args[0])]
        elif called == "only" and len(node.args) > 1:
            name, allowed = (ast.unparse(arg) for arg in node.args[:2])
            attrs = names.get(name, [name.strip("'")])
            self.refuses += [f"only {attr} = {names.get(allowed, allowed)}" for attr in attrs]
        elif called == "transpose":
            self.ops.add("Transpose")
        else:  # an op may be an argument of a helper
            for argument in node.args:
                self.ops |= {word for word in _texts(argument) if word in self._known}


def _texts(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def _message(node: ast.AST) -> list[str]:
    """The text of a message, with dots for what is filled in."""
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "..."
                        for part in node.values)]
    return []


def outputs(console: Console) -> Iterator[tuple[Path, str]]:
    del console  # nothing has to be built
    yield PAGE, page()
