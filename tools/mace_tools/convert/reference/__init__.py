"""The engine's ops in NumPy: slow and simple, for constant folding and for comparison in tests.

SPDX-License-Identifier: Apache-2.0

The evaluation of an op is `evaluate` in its file in ../ops. Semantics are those of mace/ops.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mace_tools.convert import ops
from mace_tools.convert.ops.common.values import Operands
from mace_tools.convert.reference import quantized
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Graph, Node


def evaluates(name: str) -> bool:
    """Whether an op is evaluated here."""
    return hasattr(ops.find(name), "evaluate")


def evaluate(node: Node, operands: Operands) -> list[np.ndarray] | None:
    """The outputs of a node; None for an op that is not evaluated here."""
    function = getattr(ops.find(node.op), "evaluate", None)
    if function is None:
        return None
    attrs = {**op_schema.all_ops()[node.op].defaults(), **node.attrs,
             "num_outputs": len(node.outputs)}
    result = function(operands, attrs)
    return list(result) if isinstance(result, (list, tuple)) else [np.asarray(result)]


def run(graph: Graph, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs of a whole graph. Errors: KeyError for an op that is not evaluated here."""
    values: dict[str, Any] = {n: t.data for n, t in graph.tensors.items() if t.is_const}
    values.update(inputs)
    for node in graph.nodes:
        operands = [values[i] if i else None for i in node.inputs]
        run_node = getattr(ops.find(node.op), "run", None)
        if run_node is not None:
            results = run_node(graph, node, operands, run)
        elif graph.is_quantized(node):
            results = quantized.evaluate(graph, node, operands, evaluate)
        else:
            results = evaluate(node, operands)
        if results is None:
            raise KeyError(f"no NumPy evaluation of {node}")
        values.update(zip(node.outputs, results))
    return {name: values[name] for name in graph.outputs}
