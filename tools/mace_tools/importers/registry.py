"""Registry: one decorated function per source operator, found by being in the folder.

SPDX-License-Identifier: Apache-2.0

    registry = Registry("ONNX", __name__)     # in importers/onnx/__init__.py

    @registry.op("Relu")                      # in any module of that folder
    def relu(b: Builder, n: SourceNode) -> str:
        return b.op("Activation", n.inputs[0], activation="RELU")

A function returns the engine tensor(s) that stand for the node's outputs, and raises
`Unsupported` for a use of the operator that it cannot express.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Union

from mace_tools.errors import MaceError, ModelError, UnsupportedOp, UnsupportedOps
from mace_tools.importers.builder import Builder
from mace_tools.importers.source import SourceModel, SourceNode
from mace_tools.ir import Graph

Importer = Callable[[Builder, SourceNode], Union[str, Sequence[str]]]

GENERAL_HELP = ("end the model before it (output_tensors in the YAML), replace it in the source "
                "model, or add an importer function (docs/add_an_op.md)")


class Unsupported(MaceError):
    """This use of an operator has no counterpart; `help` says what would have one."""

    def __init__(self, reason: str, help: str = "") -> None:
        super().__init__(reason)
        self.help = help


class Registry:
    """The importer functions of one framework."""

    def __init__(self, framework: str, package: str) -> None:
        self.framework = framework
        self._package = package
        self._functions: dict[str, Importer] = {}
        self._help: dict[str, str] = {}
        self._discovered = False

    def op(self, *names: str) -> Callable[[Importer], Importer]:
        def register(function: Importer) -> Importer:
            for name in names:
                if name in self._functions:
                    raise ValueError(f"{self.framework} operator {name} has two importers")
                self._functions[name] = function
            return function

        return register

    def help_for(self, help: str, *names: str) -> None:
        """What to tell users of operators that have no importer."""
        self._help.update({name: help for name in names})

    def supported(self) -> list[str]:
        self._discover()
        return sorted(self._functions)

    def translate(self, model: SourceModel) -> Graph:
        """Errors: UnsupportedOps with everything that stands in the way, or ModelError."""
        self._discover()
        builder = Builder(model)
        problems: dict[tuple[str, str], UnsupportedOp] = {}
        for node in model.nodes:
            try:
                self._translate_node(builder, node)
            except Unsupported as e:
                record = UnsupportedOp(node.op, [], str(e), e.help or GENERAL_HELP)
                record = problems.setdefault((node.op, str(e)), record)
                record.nodes.append(node.name)
                builder.poison(node)
        if problems:
            raise UnsupportedOps(self.framework, list(problems.values()))
        return builder.finish()

    def _translate_node(self, builder: Builder, node: SourceNode) -> None:
        function = self._functions.get(node.op)
        if function is None:
            raise Unsupported("no importer knows this operator", self._help_for(node.op))
        if builder.poisoned(node):
            builder.poison(node)
            return
        try:
            results = function(builder, builder.localize(node))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as e:
            raise ModelError(f"{self.framework} {node.op} '{node.name}' is malformed: "
                             f"{type(e).__name__}: {e}") from e
        builder.bind(node, [results] if isinstance(results, str) else list(results))

    def _help_for(self, op: str) -> str:
        if op in self._help:
            return self._help[op]
        near = get_close_matches(op, self._functions, 1, 0.75)
        return (f"nearest operator that converts: {near[0]}; else " if near else "") + GENERAL_HELP

    def _discover(self) -> None:
        """Imports every module of the importer's folder but its tests."""
        if self._discovered:
            return
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            if not module.name.endswith("_test"):
                importlib.import_module(f"{self._package}.{module.name}")
        self._discovered = True
