"""What the engine can run: tools/ops.json, so that converting needs no compiler.

SPDX-License-Identifier: Apache-2.0

The file is what `mace_run --list_ops` prints; op_docs_test.py keeps it so.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass

from mace_tools.errors import UnsupportedOp, UnsupportedOps
from mace_tools.ir import NUMPY, Graph, Node
from mace_tools.protos import REPO

LIST = REPO / "tools" / "ops.json"
HELP = ("end the model before it (output_tensors in the YAML), or add it to mace/ops "
        "(docs/add_an_op.md)")

# Ops that take fewer types with some values of an attribute: the attribute, the types by value,
# and those of the other values. test/golden/what_converts_runs_test.py asks the engine whether it
# is so.
_INTS = ("i32", "i64")
_BY_ATTR: dict[str, tuple[str, dict[str, tuple[str, ...]], tuple[str, ...]]] = {
    "Reduce": ("reduce_type", dict.fromkeys(("ALL", "ANY"), ("bool",)), ("f32", *_INTS)),
    "Resize": ("mode", {"NEAREST": tuple(NUMPY)}, ("f32",)),
    "Unary": ("type", dict.fromkeys(("ABS", "NEG", "SQUARE", "SIGN"), ("f32", *_INTS)), ("f32",)),
}


@dataclass(frozen=True)
class EngineOp:
    min_inputs: int
    max_inputs: int  # -1: no limit
    attrs: frozenset[str]
    types: tuple[str, ...]  # of the first input, for which the CPU has a kernel
    known: dict[int, str]  # inputs that must be known before the model runs, with their names
    reads_types_only: bool  # what it computes is known before the model runs


@functools.cache
def engine_ops() -> dict[str, EngineOp]:
    return {o["name"]: EngineOp(
        o["min_inputs"], o["max_inputs"], frozenset(o["attrs"]), tuple(o["cpu"]),
        {int(k): name for k, name in o["known_inputs"].items()}, o["reads_types_only"])
        for o in json.loads(LIST.read_text())}


def check(graph: Graph) -> None:
    """Errors: UnsupportedOps with all nodes that the engine would refuse."""
    found: dict[tuple[str, str], UnsupportedOp] = {}
    computed = _computed(graph)
    for node in graph.nodes:
        for reason, help in _refusals(graph, node, computed):
            record = found.setdefault((node.op, reason), UnsupportedOp(node.op, [], reason, help))
            record.nodes.append(node.name)
            break
    if found:
        raise UnsupportedOps("engine", list(found.values()))


def _refusals(graph: Graph, node: Node, computed: set[str]) -> Iterator[tuple[str, str]]:
    reason = _refused(node)
    if reason:
        yield reason, HELP
        return
    op = engine_ops()[node.op]
    kind = graph.tensors[node.inputs[0] if node.inputs else node.outputs[0]].dtype
    what, types = types_of(node)
    if kind not in types:
        yield (f"the engine computes {what} in {', '.join(types)}, not in {kind}",
               f"cast its operands to one of these types in the source model, or {HELP}")
    for i, name in op.known.items():
        if node.has_input(i) and node.inputs[i] in computed:
            made_of = ", ".join(f"'{n}'" for n in graph.inputs_of(node.inputs[i]))
            yield (f"its {name} (input {i}, '{node.inputs[i]}'), which the engine must know before "
                   f"the model runs, is computed from the model's input {made_of}",
                   f"make the {name} constant in the source model, or compute it from constants "
                   "and shapes")


def types_of(node: Node) -> tuple[str, tuple[str, ...]]:
    """What a message calls the use of an op, and the types of its first input."""
    op = engine_ops()[node.op]
    if node.op not in _BY_ATTR:
        return "it", op.types
    attr, by_value, others = _BY_ATTR[node.op]
    value = str(node.attrs.get(attr))
    types = by_value.get(value, others)
    return f"{attr} {value}", tuple(t for t in op.types if t in types)


def _computed(graph: Graph) -> set[str]:
    """The tensors that are not known before the model runs: what neither is constant nor follows
    from constants and shapes."""
    computed = set(graph.inputs)
    for node in graph.nodes:
        op = engine_ops().get(node.op)
        if computed & set(node.inputs) and not (op is not None and op.reads_types_only):
            computed.update(node.outputs)
    return computed


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
