"""Registry: one decorated function for each source operator; all modules of a folder are imported.

SPDX-License-Identifier: Apache-2.0

    registry = Registry("ONNX", __name__)     # in importers/onnx/__init__.py

    @registry.op("Relu")                      # in any module of that folder
    def relu(b: Builder, n: SourceNode) -> str:
        return b.op("Activation", n.inputs[0], activation="RELU")

A function returns the engine tensor(s) for the node's outputs, and raises
`Unsupported` for a use of the operator that it cannot express. A node is refused, too, if it has
an attribute that the function did not read: nothing is ignored silently.
"""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Union

from mace_tools.convert.importers import custom
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.source import SourceModel, SourceNode, shown
from mace_tools.convert.passes import fp16_constants
from mace_tools.graph.ir import Graph
from mace_tools.support.errors import ModelError, Unsupported, UnsupportedOp, UnsupportedOps

Importer = Callable[[Builder, SourceNode], Union[str, Sequence[str]]]
Otherwise = Callable[[Builder, SourceNode], Union[Sequence[str], None]]

GENERAL_HELP = ("end the model before it (output_tensors in the YAML), replace it in the source "
                "model, compute it in the app (allow_custom_ops in the YAML, docs/custom_ops.md), "
                "or add an importer function (docs/add_an_op.md)")

ENDS_OF_NUMBERS = ("begin the model before the node that quantizes, and end it behind the one "
                   "that dequantizes (input_tensors and output_tensors in the YAML)")


class Registry:
    """The importer functions of one framework."""

    def __init__(self, framework: str, package: str) -> None:
        self.framework = framework
        self.package = package  # where its functions are
        self._functions: dict[str, Importer] = {}
        self._help: dict[str, str] = {}
        self._reasons: dict[str, str] = {}
        self._otherwise: Otherwise | None = None
        self._ignored: list[tuple[str, frozenset[str]]] = []
        self._discovered = False

    def op(self, *names: str) -> Callable[[Importer], Importer]:
        def register(function: Importer) -> Importer:
            for name in names:
                if name in self._functions:
                    raise ValueError(f"{self.framework} operator {name} has two importers")
                self._functions[name] = function
            return function

        return register

    def otherwise(self, function: Otherwise) -> Otherwise:
        """Registers what is asked about operators that have neither importer nor advice; it returns
        None for those that it does not know either."""
        self._otherwise = function
        return function

    def help_for(self, help: str, *names: str, reason: str = "") -> None:
        """Registers advice about operators that have no importer, and why they have none."""
        self._help.update({name: help for name in names})
        self._reasons.update({name: reason for name in names if reason})

    def refuse_texts(self, *names: str) -> None:
        """Registers operators of texts, which have no importer."""
        self.help_for("do in the app what computes with texts, and begin the model with the "
                      "numbers that it makes of them (input_tensors in the YAML)", *names,
                      reason="a text operator: the engine computes with numbers")

    def supported(self) -> list[str]:
        self._discover()
        return sorted(self._functions)

    def functions(self) -> dict[str, Importer]:
        """The importer function of each operator."""
        self._discover()
        return dict(self._functions)

    def advice(self) -> dict[str, str]:
        """The advice about operators that have no importer."""
        self._discover()
        return {op: help for op, help in self._help.items() if op not in self._functions}

    def without_meaning(self, reason: str, *names: str, ops: Sequence[str] = ()) -> None:
        """Registers attributes that do not change what a node computes, of these operators or of
        all.

        `reason` says why not. A name that ends in * stands for all names with this prefix."""
        self._ignored += [(name, frozenset(ops)) for name in names]

    def translate(self, model: SourceModel) -> Graph:
        """Translates a model. Errors: UnsupportedOps with everything that cannot be converted;
        ModelError."""
        self._discover()
        builder = Builder(model)
        problems: list[tuple[SourceNode, Unsupported]] = []

        def translate(node: SourceNode) -> None:
            try:
                self._translate_node(builder, node)
            except Unsupported as e:
                problems.append((node, e))
                builder.placeholder(node)

        builder.translate = translate
        for node in model.nodes:
            translate(node)
        self._report(model, problems,
                     _needed_after_inlining(model, builder) if problems else set())
        return builder.finish()

    def _report(
        self,
        model: SourceModel,
        problems: Sequence[tuple[SourceNode, Unsupported]],
        needed: set[SourceNode],
    ) -> None:
        records: dict[tuple[str, str], UnsupportedOp] = {}

        def refuse(op: str, name: str, reason: str, help: str) -> None:
            record = UnsupportedOp(op, [], reason, help or GENERAL_HELP)
            records.setdefault((op, reason), record).nodes.append(name)

        first: dict[SourceNode, Unsupported] = {}  # bodies of loops are translated several times
        for node, e in problems:
            first.setdefault(node, e)
        for node, e in first.items():
            if node in needed:
                refuse(node.op, node.name, str(e), e.help)
        read = {name for node in model.nodes for name in node.inputs}
        for name in dict.fromkeys([*model.inputs, *model.outputs]):
            if name in model.unusable and name not in read and not records:
                reason, help = model.unusable[name]
                refuse("model input or output", name, f"it is {reason}", help)
            if name in model.quantized:
                refuse("model input or output", name, "it is a quantized tensor; a float tensor "
                       "is required", ENDS_OF_NUMBERS)
        if records:
            raise UnsupportedOps(self.framework, list(records.values()))

    def _translate_node(self, builder: Builder, node: SourceNode) -> None:
        """Errors: Unsupported where the node itself is the reason, ModelError."""
        function = self._function_of(builder.model, node.op)
        for name in (*node.inputs, *node.outputs):
            if name in builder.model.unusable:
                reason, help = builder.model.unusable[name]
                verb = "reads" if name in node.inputs else "makes"
                raise Unsupported(f"it {verb} {reason}", help)
        local, first = builder.localize(node), len(builder.graph.nodes)
        builder.check_sequences(function, local.inputs)
        kind = fp16_constants.kind_of(builder.tensors(local.inputs))
        try:
            results = function(builder, local)
            self._check_all_read(local)
            results = [results] if isinstance(results, str) else list(results)
            read = [i for made in builder.graph.nodes[first:] for i in made.inputs]
            fp16_constants.keep(kind, builder.tensors([*read, *results]))
            builder.bind(node, results)
            builder.fold(first)
        except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError,
                ValueError) as e:
            if not builder.guessing:
                raise ModelError(f"{self.framework} {node.op} '{node.name}' is malformed: "
                                 f"{type(e).__name__}: {e}") from e
            builder.placeholder(node)
        except (ModelError, Unsupported) as e:
            # After a refused node, missing information is no reason to refuse this one.
            if not builder.guessing or isinstance(e, Unsupported) and not builder.missed:
                raise
            builder.placeholder(node)

    def _function_of(self, model: SourceModel, op: str) -> Importer:
        """Errors: Unsupported where nothing knows the operator."""
        if op in self._functions:
            return self._functions[op]
        if custom.allows(model.custom_ops, op):
            return custom.custom
        unknown = Unsupported(self._reasons.get(op, "no importer knows this operator"),
                              model.help.get(op) or self._help_for(op))
        ask = self._otherwise
        if ask is None or op in self._help or op in model.help:
            raise unknown

        def function(b: Builder, n: SourceNode) -> Sequence[str]:
            results = ask(b, n)
            if results is None:
                raise unknown
            return results

        return function

    def _check_all_read(self, node: SourceNode) -> None:
        """Refuses attributes that the importer function did not read, as they may change the
        result.

        Errors: Unsupported with those that are not registered as meaningless."""
        unread = {name: value for name, value in node.unread().items()
                  if not self._is_ignored(node.op, name)}
        if unread:
            text = ", ".join(f"{name} = {shown(value)}" for name, value in unread.items())
            raise Unsupported(f"the importer does not know its attribute {text}")

    def _is_ignored(self, op: str, attr: str) -> bool:
        return any((attr.startswith(name[:-1]) if name.endswith("*") else attr == name)
                   and (not ops or op in ops) for name, ops in self._ignored)

    def _help_for(self, op: str) -> str:
        if op in self._help:
            return self._help[op]
        near = get_close_matches(op, self._functions, 1, 0.75)
        return (f"nearest operator that converts: {near[0]}; else " if near else "") + GENERAL_HELP

    def _discover(self) -> None:
        """Imports every module of the importer's folder except its tests."""
        if self._discovered:
            return
        package = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(package.__path__):
            if not module.name.endswith("_test"):
                importlib.import_module(f"{self.package}.{module.name}")
        self._discovered = True


def _needed_after_inlining(model: SourceModel, builder: Builder) -> set[SourceNode]:
    """The nodes that the outputs need once one branch has replaced an If."""
    made = {out: n for n in model.nodes for out in n.outputs if out}
    for graphs in builder.inlined.values():
        made.update((out, n) for g in graphs for n in g.nodes for out in n.outputs if out)
    needed: set[SourceNode] = set()
    stack = list(model.outputs)
    while stack:
        node = made.get(stack.pop())
        if node is None or node in needed:
            continue
        needed.add(node)
        inlined = builder.inlined.get(tuple(node.outputs))
        stack += node.inputs + (node.captures if inlined is None
                                else [out for g in inlined for out in g.outputs])
    return needed
