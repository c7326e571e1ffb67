"""Writes the subgraphs of a model: branches of Ifs and bodies of Loops.

SPDX-License-Identifier: Apache-2.0
"""

import copy
from collections.abc import Callable, Iterator
from typing import Any

from mace_tools.graph.ir import Graph, Tensor
from mace_tools.graph.quantized_weights import digest

# The attributes that name subgraphs, by op.
ATTRIBUTES = {"If": ("then_branch", "else_branch"), "Loop": ("body",)}


def used_by(graph: Graph) -> Iterator[str]:
    """The subgraphs that nodes of a graph name."""
    for node in graph.nodes:
        for attr in ATTRIBUTES.get(node.op, ()):
            yield str(node.attrs[attr])


def needed(graph: Graph) -> list[Graph]:
    """The subgraphs that a model needs, each after those that it uses."""
    names, stack = set(), list(used_by(graph))
    while stack:
        name = stack.pop()
        if name not in names:
            names.add(name)
            stack += used_by(graph.subgraphs[name])
    return [part for name, part in graph.subgraphs.items() if name in names]


def fill(net: Any, graph: Graph, fill_op: Callable[[Any, Any, Graph], None],
         fill_info: Callable[[Any, Tensor], None]) -> list[Graph]:
    """Adds the subgraphs to the NetDef. Returns them with names for weights that differ from
    those of all other tensors, except where they are the same weight."""
    parts = [_copy(part) for part in needed(graph)]
    if not parts:
        return []
    taken = {name for part in (graph, *parts) for name in part.tensors}
    weights = {_key(t): name for name, t in graph.tensors.items() if t.is_const}
    for part in parts:
        for name in [name for name, t in part.tensors.items() if t.is_const]:
            tensor = part.tensors[name]
            same = weights.get(_key(tensor))
            new = same or _fresh(f"{part.name}/{name}", taken)
            weights.setdefault(_key(tensor), new)
            if new in part.tensors and new != name:  # another tensor has the name here
                part.rename(new, _fresh(f"{part.name}/{new}", taken))
            part.rename(name, new)
    for part in parts:
        own = {name for name, t in part.tensors.items() if not t.is_const}
        for name in sorted(own & set(weights.values())):
            part.rename(name, _fresh(f"{part.name}/{name}", taken))
        entry = net.subgraphs.add(name=part.name)
        for k, node in enumerate(part.nodes):
            fill_op(entry.op.add(name=f"{k}: {node.name}"), node, part)
        for name in part.inputs:
            fill_info(entry.input_info.add(), Tensor(name, part.tensors[name].dtype, ()))
        for name in part.outputs:
            fill_info(entry.output_info.add(), Tensor(name, part.tensors[name].dtype, ()))
    return parts


def _copy(graph: Graph) -> Graph:
    """Without copies of the weights."""
    found = copy.copy(graph)
    found.tensors = {name: copy.copy(t) for name, t in graph.tensors.items()}
    found.nodes = [copy.copy(node) for node in graph.nodes]
    for index in ("_producer", "_consumers", "values", "origins"):
        setattr(found, index, {})
    return found


def _key(tensor: Tensor) -> tuple[Any, ...]:
    assert tensor.data is not None
    quant = None if tensor.quant is None else id(tensor.quant)
    return tensor.dtype, tensor.data.shape, tensor.stored, quant, digest(tensor)


def _fresh(name: str, taken: set[str]) -> str:
    free, k = name, 0
    while free in taken:
        k += 1
        free = f"{name}_{k}"
    taken.add(free)
    return free
