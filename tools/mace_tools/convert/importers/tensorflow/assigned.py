"""Variables to which a signature assigns: they keep their values from run to run.

SPDX-License-Identifier: Apache-2.0

TensorFlow orders reads and writes by control edges. A read that a write comes before has the value
written, any other the value of the run before.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mace_tools.convert.importers.source import SourceModel, SourceNode

WRITE, READ = "AssignVariableOp", "ReadVariableOp"
_SUMS = {"AssignAddVariableOp": "AddV2", "AssignSubVariableOp": "Sub"}
_PASS = ("Identity", "IdentityN", "Enter", "Merge", "Switch")  # by which handles get into loops
_CURE = ("give the state as an input and an output of the model (`states` in the YAML keeps it "
         "from run to run)")


def settle(model: SourceModel, outputs: Iterable[str]) -> None:
    """Makes states of the constants of a model that were variables, and to which nodes assign that
    run for these outputs. Those that cannot be followed are refused where they are read."""
    made = model.producers()
    run = set(_before(model, made, list(outputs)))
    writes: dict[str, list[SourceNode]] = {}
    for node in model.nodes:
        if node in run and (node.op == WRITE or node.op in _SUMS) and node.inputs:
            writes.setdefault(origin(made, node.inputs[0]), []).append(node)
    replaced: dict[SourceNode, list[SourceNode]] = {}
    for name, nodes in writes.items():
        if name not in model.constants:
            continue
        value = model.constants.pop(name)
        reason = "several times" if len(nodes) > 1 else (
            "inside of a loop or a branch" if _is_inside(made, nodes[0]) else "")
        if reason:
            model.unusable[name] = (f"the variable '{name}', to which a run assigns {reason}",
                                    _CURE)
            continue
        model.variables[name], model.writers[name] = value, [nodes[0].name]
        replaced[nodes[0]] = _write(nodes[0], name)
        for node in model.nodes:
            if node.op == READ and node.inputs and origin(made, node.inputs[0]) == name and (
                    nodes[0] in _before(model, made, [*node.outputs])):
                replaced[node] = [replace(node, op="Identity", inputs=[nodes[0].name], attrs={})]
    model.nodes = [new for node in model.nodes for new in replaced.get(node, [node])]


def _write(node: SourceNode, variable: str) -> list[SourceNode]:
    """The write with the variable in place of its handle, and what is written as its result."""
    value, nodes = node.inputs[1], []
    if node.op in _SUMS:
        value = f"{node.name}/value"
        nodes = [SourceNode(value, _SUMS[node.op], [variable, node.inputs[1]], [value])]
    return [*nodes, SourceNode(node.name, WRITE, [variable, value], [node.name],
                               after=node.after)]


def _before(
    model: SourceModel, made: dict[str, SourceNode], tensors: list[str]
) -> Iterator[SourceNode]:
    """The nodes that run for these tensors."""
    named = {node.name: node for node in model.nodes}
    seen: set[SourceNode] = set()
    stack = [made.get(t) for t in tensors]
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            yield node
            stack += [*(made.get(i) for i in node.inputs), *(named.get(n) for n in node.after)]


def origin(made: dict[str, SourceNode], name: str) -> str:
    """The tensor that nodes pass on as this one."""
    for _ in made:  # a damaged file may have a cycle
        node = made.get(name)
        if node is None or node.op not in _PASS or not node.inputs:
            break
        name = node.inputs[node.outputs.index(name) if node.op == "IdentityN" else 0]
    return name


def _is_inside(made: dict[str, SourceNode], node: SourceNode) -> bool:
    """Whether a node is inside of a loop or a conditional, whose results are Exits and Merges."""
    stack, seen = [*node.inputs], set()
    while stack:
        name = stack.pop()
        maker = made.get(name)
        if maker is None or name in seen or maker.op in ("Exit", "Merge"):
            continue
        if maker.op in ("Switch", "Enter"):
            return True
        seen.add(name)
        stack += maker.inputs
    return False
