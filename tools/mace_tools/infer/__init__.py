"""Shape and type inference over the engine's ops, as far as the source model tells.

SPDX-License-Identifier: Apache-2.0

The engine infers everything again when it plans; this serves importers and passes, so unknown
extents (None) and unknown ranks are allowed everywhere. One function per op, in the modules of
this folder.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Union

import numpy as np

from mace_tools.errors import ModelError
from mace_tools.ir import Graph, Node, Shape, Tensor

Type = tuple[str, Union[Shape, None]]  # element type and shape
MAX_VALUE_ELEMENTS = 4096


class View:
    """A node with the types of its operands, as inference rules look at it."""

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph = graph
        self.node = node

    def has(self, i: int) -> bool:
        return self.node.has_input(i)

    def tensor(self, i: int) -> Tensor:
        return self.graph.tensors[self.node.inputs[i]]

    def shape(self, i: int = 0) -> Shape | None:
        return self.tensor(i).shape

    def dtype(self, i: int = 0) -> str:
        return self.tensor(i).dtype

    def value(self, i: int) -> np.ndarray | None:
        """The contents of operand `i` if constant or fixed by the input shapes."""
        if not self.has(i):
            return None
        data = self.tensor(i).data
        return data if data is not None else self.graph.values.get(self.node.inputs[i])

    def attr(self, name: str, default=None):
        return self.node.attrs.get(name, default)

    def ints(self, i: int, attr: str) -> list[int] | None:
        """A list of integers given as operand `i` or else as an attribute; None if unknown."""
        if self.has(i):
            value = self.value(i)
            return None if value is None else [int(v) for v in np.asarray(value).reshape(-1)]
        return list(self.attr(attr)) if self.attr(attr) is not None else None


Rule = Callable[[View], Union[Type, list[Type]]]
_RULES: dict[str, Rule] = {}


def rule(*ops: str) -> Callable[[Rule], Rule]:
    """Registers the inference rule of one or more ops."""

    def register(function: Rule) -> Rule:
        _RULES.update({op: function for op in ops})
        return function

    return register


def infer_node(graph: Graph, node: Node) -> None:
    """Sets dtype and shape of a node's outputs, and their contents where those are known.

    Errors: ModelError for operands that contradict each other."""
    _load_rules()
    function = _RULES.get(node.op)
    if function is None:
        types: list[Type] = [(graph.tensors[node.inputs[0]].dtype, None)] * len(node.outputs)
    else:
        try:
            result = function(View(graph, node))
        except (ArithmeticError, LookupError, TypeError, ValueError) as e:
            shapes = ", ".join(f"{i} {_show(graph.tensors[i])}" for i in node.inputs if i)
            raise ModelError(f"{node}: {e}; inputs: {shapes}") from e
        types = result if isinstance(result, list) else [result]
    for name, (dtype, shape) in zip(node.outputs, types):
        tensor = graph.tensors[name]
        tensor.dtype = dtype
        tensor.shape = None if shape is None else tuple(shape)
    _propagate_value(graph, node)


def infer_graph(graph: Graph) -> None:
    """Infers all nodes, which must be sorted."""
    graph.values.clear()
    for node in graph.nodes:
        infer_node(graph, node)


def _show(t: Tensor) -> str:
    dims = "?" if t.shape is None else ",".join("?" if d is None else str(d) for d in t.shape)
    return f"{t.dtype}[{dims}]"


def _propagate_value(graph: Graph, node: Node) -> None:
    """Follows shape arithmetic: Shape of a known shape, and small integers computed from it."""
    from mace_tools.reference import evaluate

    outs = [graph.tensors[o] for o in node.outputs]
    if node.op == "Shape":
        shape = graph.tensors[node.inputs[0]].static_shape
        if shape is not None:
            end = node.attrs.get("end")
            part = shape[node.attrs.get("start", 0) : end]
            dtype = np.int32 if node.attrs.get("output_type") == "i32" else np.int64
            graph.values[node.outputs[0]] = np.array(part, dtype)
        return
    operands = []
    for name in node.inputs:
        value = None
        if name:
            value = graph.const(name)
            value = graph.values.get(name) if value is None else value
            if value is None or value.size > MAX_VALUE_ELEMENTS:
                return
        operands.append(value)
    for out in outs:
        size = 0 if out.static_shape is None else int(np.prod(out.static_shape))
        if out.static_shape is None or size > MAX_VALUE_ELEMENTS:
            return
    results = evaluate(node, operands)
    if results is not None:
        graph.values.update(zip(node.outputs, results))


def _load_rules() -> None:
    if not _RULES:
        for module in pkgutil.iter_modules(__path__):
            if not module.name.endswith("_test"):
                importlib.import_module(f"{__name__}.{module.name}")
