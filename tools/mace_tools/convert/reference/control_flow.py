"""Branches and loops in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mace_tools.graph.ir import Graph, Node

Run = Callable[[Graph, Mapping[str, np.ndarray]], dict[str, np.ndarray]]


def run_node(graph: Graph, node: Node, operands: list[Any], run: Run) -> list[np.ndarray] | None:
    """The outputs of an If or a Loop; None for any other node."""
    if node.op == "If":
        name = node.attrs["then_branch" if operands[0].item() else "else_branch"]
        branch = graph.subgraphs[str(name)]
        made = run(branch, dict(zip(branch.inputs, operands[1:])))
        return [made[name] for name in branch.outputs]
    if node.op == "Loop":
        return _loop(graph.subgraphs[str(node.attrs["body"])], node.attr("carried"), operands, run)
    return None


def _loop(body: Graph, carried: int, operands: list[Any], run: Run) -> list[np.ndarray]:
    count, goes_on, *given = operands
    values, captured = given[:carried], given[carried:]
    stacked: list[list[np.ndarray]] = [[] for _ in body.outputs[carried + 1:]]
    i = 0
    while i < count.item() and goes_on.item():
        feeds = [np.array(i, np.int64), goes_on, *values, *captured]
        made = run(body, dict(zip(body.inputs, feeds)))
        goes_on, *results = [made[name] for name in body.outputs]
        values = results[:carried]
        for k, value in enumerate(results[carried:]):
            stacked[k].append(value)
        i += 1
    return [*values, *(np.stack(parts) for parts in stacked)]
