"""The engine's ops in NumPy: slow and simple, for constant folding and for comparison in tests.

SPDX-License-Identifier: Apache-2.0

One function per op, in the modules of this folder. Semantics are those of mace/ops.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from mace_tools.convert.reference import control_flow, quantized
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Graph, Node

Operands = Sequence[Optional[np.ndarray]]
Function = Callable[[Operands, Mapping[str, Any]], Union[np.ndarray, list[np.ndarray]]]
_FUNCTIONS: dict[str, Function] = {}


def op(*names: str) -> Callable[[Function], Function]:
    """Registers the evaluation of one or more ops."""

    def register(function: Function) -> Function:
        _FUNCTIONS.update({name: function for name in names})
        return function

    return register


def evaluates(name: str) -> bool:
    """Whether an op is evaluated here."""
    _load()
    return name in _FUNCTIONS


@functools.cache
def _load() -> None:
    for module in pkgutil.iter_modules(__path__):
        if not module.name.endswith("_test"):
            importlib.import_module(f"{__name__}.{module.name}")


def evaluate(node: Node, operands: Operands) -> list[np.ndarray] | None:
    """The outputs of a node; None for an op that is not evaluated here."""
    function = _FUNCTIONS.get(node.op) if evaluates(node.op) else None
    if function is None:
        return None
    op = op_schema.all_ops().get(node.op)
    defaults = op.defaults() if op is not None else {}
    attrs = {**defaults, **node.attrs, "num_outputs": len(node.outputs)}
    result = function(operands, attrs)
    return list(result) if isinstance(result, (list, tuple)) else [np.asarray(result)]


def run(graph: Graph, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs of a whole graph. Errors: KeyError for an op that is not evaluated here."""
    values: dict[str, Any] = {n: t.data for n, t in graph.tensors.items() if t.is_const}
    values.update(inputs)
    for node in graph.nodes:
        operands = [values[i] if i else None for i in node.inputs]
        if node.op in ("If", "Loop"):
            results = control_flow.run_node(graph, node, operands, run)
        elif graph.is_quantized(node):
            results = quantized.evaluate(graph, node, operands, evaluate)
        else:
            results = evaluate(node, operands)
        if results is None:
            raise KeyError(f"no NumPy evaluation of {node}")
        values.update(zip(node.outputs, results))
    return {name: values[name] for name in graph.outputs}
