"""What the engine can run: tools/ops.json, so that converting needs no compiler.

SPDX-License-Identifier: Apache-2.0

The file is what `mace_run --list_ops` prints; op_docs_test.py keeps it so.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

from mace_tools.errors import UnsupportedOp, UnsupportedOps
from mace_tools.ir import Graph, Node
from mace_tools.protos import REPO

LIST = REPO / "tools" / "ops.json"
HELP = ("end the model before it (output_tensors in the YAML), or add it to mace/ops "
        "(docs/add_an_op.md)")


@dataclass(frozen=True)
class EngineOp:
    min_inputs: int
    max_inputs: int  # -1: no limit
    attrs: frozenset[str]


@functools.cache
def engine_ops() -> dict[str, EngineOp]:
    return {o["name"]: EngineOp(o["min_inputs"], o["max_inputs"], frozenset(o["attrs"]))
            for o in json.loads(LIST.read_text())}


def check(graph: Graph) -> None:
    """Errors: UnsupportedOps with all nodes that the engine would refuse."""
    found: dict[tuple[str, str], UnsupportedOp] = {}
    for node in graph.nodes:
        reason = _refused(node)
        if reason:
            record = found.setdefault((node.op, reason), UnsupportedOp(node.op, [], reason, HELP))
            record.nodes.append(node.name)
    if found:
        raise UnsupportedOps("engine", list(found.values()))


def _refused(node: Node) -> str:
    op = engine_ops().get(node.op)
    if op is None:
        return "the engine has no such op"
    count = len(node.inputs)
    if count < op.min_inputs or op.max_inputs != -1 and count > op.max_inputs:
        return f"it has {count} inputs, the engine's has {_counts(op)}"
    unknown = sorted(set(node.attrs) - op.attrs)
    return f"the engine's has no attribute {', '.join(unknown)}" if unknown else ""


def _counts(op: EngineOp) -> str:
    if op.min_inputs == op.max_inputs:
        return str(op.min_inputs)
    return f"{op.min_inputs} {'or more' if op.max_inputs == -1 else f'to {op.max_inputs}'}"
