"""The engine's ops, one file each: found by the op's name, and loaded when it is needed.

SPDX-License-Identifier: Apache-2.0

DepthToSpace is in depth_to_space.py, as in mace/ops, which defines what it computes. A file has

    infer(v: View)         the types of the outputs; extents and ranks may be unknown (None)
    evaluate(xs, attrs)    optional: the outputs in NumPy, slow and simple, for constant folding and
                           for comparison in tests
    run(graph, node, operands, run_graph)    in place of evaluate, for ops with subgraphs
    RANDOM_SHAPES, random_shape              optional: see mace_tools/testing/random_nodes.py
"""

import functools
import importlib
import re
from types import ModuleType

from mace_tools.graph.op_schema import all_ops


def file_name(op: str) -> str:
    """The name of an op's files, without what follows the dot."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", op).lower()


@functools.cache
def find(op: str) -> ModuleType | None:
    """The module of an op; None for one that the engine does not have."""
    return importlib.import_module(f"{__name__}.{file_name(op)}") if op in all_ops() else None
