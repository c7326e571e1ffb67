"""Loop: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np

from mace_tools.convert.ops.common.branches import Run, common, outputs_of
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.graph.ir import Graph, Node


def infer(v: View) -> list[Type]:
    carried, made = v.attr("carried"), outputs_of(v, "body")[1:]
    types: list[Type] = [(t.dtype, common(v.shape(k + 2), t.shape))
                         for k, t in enumerate(made[:carried])]
    return types + [(t.dtype, None if t.shape is None else (None, *t.shape))
                    for t in made[carried:]]


def run(graph: Graph, node: Node, operands: list[Any], run_graph: Run) -> list[np.ndarray]:
    body, carried = graph.subgraphs[str(node.attrs["body"])], node.attr("carried")
    count, goes_on, *given = operands
    values, captured = given[:carried], given[carried:]
    stacked: list[list[np.ndarray]] = [[] for _ in body.outputs[carried + 1:]]
    i = 0
    while i < count.item() and goes_on.item():
        feeds = [np.array(i, np.int64), goes_on, *values, *captured]
        made = run_graph(body, dict(zip(body.inputs, feeds)))
        goes_on, *results = [made[name] for name in body.outputs]
        values = results[:carried]
        for k, value in enumerate(results[carried:]):
            stacked[k].append(value)
        i += 1
    return [*values, *(np.stack(parts) for parts in stacked)]
