"""Resource variables: VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE, and CALL_ONCE, which gives them
their first values.

SPDX-License-Identifier: Apache-2.0

A handle names a variable; operators that read or write by a handle are made to do so by the
variable itself, so that handles and CALL_ONCE disappear.
"""

from collections.abc import Callable, Iterable

import numpy as np

from mace_tools.convert.importers.source import SourceModel, SourceNode

_USERS = ("READ_VARIABLE", "ASSIGN_VARIABLE")


def settle(model: SourceModel, of_graph: Callable[[int], list[SourceNode]]) -> None:
    """Makes variables of what handles name. `of_graph` reads the operators of a graph of the file.

    Variables without a constant first value stay as they are, and are refused with the advice for
    their operators. Errors: ValueError for a graph that is not there."""
    once = [n for n in model.nodes if n.op == "CALL_ONCE"]
    firsts = [of_graph(int(n.attr("InitSubgraphIndex", 0))) for n in once]
    handles = _handles((*model.nodes, *(n for nodes in firsts for n in nodes)))
    values: dict[tuple[str, str], np.ndarray] = {}
    for node in (n for nodes in firsts for n in nodes if n.op == "ASSIGN_VARIABLE"):
        value = model.constants.get(node.inputs[1])
        if value is not None and node.inputs[0] in handles:
            values[handles[node.inputs[0]]] = value
    taken = (model.info.keys() | model.variables.keys()) - handles.keys()
    names = {}
    for key in values:
        names[key] = _fresh(key[1], taken)
        taken.add(names[key])
    kept: list[SourceNode] = []
    for node in model.nodes:
        key = handles.get(node.inputs[0]) if node.op in _USERS and node.inputs else None
        if key in names:
            node = _by_name(model, node, names[key], len(kept))
        kept.append(node)
    for key, name in names.items():
        model.variables[name] = values[key]
    left = {i for i in (*model.outputs, *(i for n in kept for i in n.inputs)) if i in handles}
    model.nodes = [n for n in kept if not (n.op == "VAR_HANDLE" and not left & set(n.outputs))
                   and not (n.op == "CALL_ONCE" and not left and not n.outputs)]


def _handles(nodes: Iterable[SourceNode]) -> dict[str, tuple[str, str]]:
    """The container and the name of the variable for which each handle stands."""
    return {n.outputs[0]: (str(n.attr("Container") or ""), str(n.attr("SharedName") or ""))
            for n in nodes if n.op == "VAR_HANDLE" and n.outputs}


def _fresh(name: str, taken: set[str]) -> str:
    while not name or name in taken:
        name += "_variable"
    return name


def _by_name(model: SourceModel, node: SourceNode, variable: str, k: int) -> SourceNode:
    """The operator with the variable in the place of its handle. An ASSIGN_VARIABLE gets a result,
    by which the model keeps it."""
    outputs = list(node.outputs)
    if node.op == "ASSIGN_VARIABLE":
        outputs = [f"{variable}/assigned_{k}"]
        model.writers.setdefault(variable, []).append(outputs[0])
    return SourceNode(outputs[0], node.op, [variable, *node.inputs[1:]], outputs, node.attrs)
