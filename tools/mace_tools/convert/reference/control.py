"""Branches, loops, and what data decides, in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mace_tools.convert.reference import Operands, op
from mace_tools.graph.ir import Graph, Node

Run = Callable[[Graph, Mapping[str, np.ndarray]], dict[str, np.ndarray]]


@op("NonZero")
def non_zero(operands: Operands, attrs: Mapping[str, Any]) -> list[np.ndarray]:
    x = operands[0]
    assert x is not None
    found = np.array(np.nonzero(x), np.int64)
    indices = np.zeros((x.ndim, x.size), np.int64)
    indices[:, : found.shape[1]] = found
    return [indices, np.array([found.shape[1]], np.int64)][: attrs["num_outputs"]]


@op("Unique")
def unique(operands: Operands, attrs: Mapping[str, Any]) -> list[np.ndarray]:
    x = operands[0]
    assert x is not None
    count = len(x)
    # NaN comes behind all numbers and equals nothing: it is told apart by its place.
    rows = [tuple((v != v, i if v != v else v) for v in row.reshape(-1)) for i, row in enumerate(x)]
    order = sorted(range(count), key=lambda i: (rows[i], i))
    first = [i for k, i in enumerate(order) if k == 0 or rows[i] != rows[order[k - 1]]]
    first = first if attrs["sorted"] else sorted(first)
    numbers = {rows[i]: k for k, i in enumerate(first)}
    inverse = [numbers[row] for row in rows]
    lists = [np.array([*values, *[0] * (count - len(values))], np.int64)
             for values in (first, inverse, np.bincount(np.array(inverse, np.int64)))]
    return [*lists, np.array([len(first)], np.int64)][: attrs["num_outputs"]]


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
