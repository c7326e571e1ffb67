# ruff: noqa: N999 - no statement imports it
"""If: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np

from mace_tools.convert.ops.common.branches import Run, common, outputs_of
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.graph.ir import Graph, Node


def infer(v: View) -> list[Type]:
    branches = zip(outputs_of(v, "then_branch"), outputs_of(v, "else_branch"))
    return [(a.dtype, common(a.shape, b.shape)) for a, b in branches]


def run(graph: Graph, node: Node, operands: list[Any], run_graph: Run) -> list[np.ndarray]:
    name = node.attrs["then_branch" if operands[0].item() else "else_branch"]
    branch = graph.subgraphs[str(name)]
    made = run_graph(branch, dict(zip(branch.inputs, operands[1:])))
    return [made[name] for name in branch.outputs]
