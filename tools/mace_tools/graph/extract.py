"""Cuts parts out of a converted graph: from tensors whose values are given to tensors to compute.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mace_tools.graph import op_schema
from mace_tools.graph.ir import NUMPY, Graph, Node
from mace_tools.graph.run_io import first_values

Arrays = dict[str, np.ndarray]


@dataclass
class Part:
    """A graph of its own, whose inputs are called in0, in1, ... and its outputs out0, out1, ...,
    with a _ behind where the whole graph has such a tensor."""

    graph: Graph
    feeds: Arrays
    outputs: dict[str, str]  # the names in the whole graph, by the names here
    nodes: dict[Node, Node] = field(default_factory=dict)  # of the whole graph -> here

    def copy(self) -> Part:
        """With nodes and constants that may be changed."""
        again = cut(self.graph, self.feeds, list(self.outputs), keep_names=True)
        same = {old: again.nodes[new] for old, new in self.nodes.items()}
        return Part(again.graph, self.feeds, self.outputs, same)


def nodes_between(graph: Graph, starts: Mapping[str, object], ends: Sequence[str]) -> list[Node]:
    """The nodes, in their order, that compute `ends` from `starts`."""
    needed: set[Node] = set()
    stack = list(ends)
    while stack:
        name = stack.pop()
        node = None if name in starts else graph.producer(name)
        if node is not None and node not in needed:
            needed.add(node)
            stack.extend(i for i in node.inputs if i)
    return [n for n in graph.nodes if n in needed]


def starts_of(graph: Graph, end: str, given: Mapping[str, object]) -> list[str]:
    """Those of the tensors `given` from which `end` is computed, other than itself."""
    found: dict[str, None] = {}
    maker = graph.producer(end)
    stack, seen = list(maker.inputs) if maker else [], set()
    while stack:
        name = stack.pop()
        if not name or name in seen or graph.tensors[name].is_const:
            continue
        seen.add(name)
        if name in given:
            found[name] = None
        else:
            maker = graph.producer(name)
            stack.extend(maker.inputs if maker else ())
    return list(found)


def cut(graph: Graph, feeds: Mapping[str, np.ndarray], outputs: Sequence[str],
        keep_names: bool = False) -> Part:
    """REQUIRES: every path to `outputs` begins with `feeds` or constants, and no output is a feed.

    Operands that decide shapes must be known when the engine plans, so they become constants.
    States that are not fed hold their first values."""
    feeds = {**first_values(graph), **feeds}
    nodes = nodes_between(graph, feeds, outputs)
    read = {i for node in nodes for i in node.inputs if i}
    known = {node.inputs[k] for node in nodes for k in _decides_shapes(node)
             if node.has_input(k) and node.inputs[k] in feeds}
    started = [f for f in feeds if f in read and f not in known]
    names = {} if keep_names else {
        **{f: _free(graph, f"in{k}") for k, f in enumerate(started)},
        **{o: _free(graph, f"out{k}") for k, o in enumerate(outputs)}}
    part = Graph("part")
    part.subgraphs = graph.subgraphs
    for name in started:
        tensor = graph.tensors[name]
        part.add_input(names.get(name, name), tensor.dtype, tuple(feeds[name].shape)
                       ).quant = tensor.quant
    for name in known:
        part.add_const(name, feeds[name], graph.tensors[name].dtype)
    copies = {}
    for node in nodes:
        for i in node.inputs:
            if i and graph.tensors[i].is_const and i not in part.tensors:
                part.add_tensor(replace(graph.tensors[i], name=i))
        for out in node.outputs:
            old, new = graph.tensors[out], names.get(out, out)
            # With other extents than the graph's the engine infers all shapes again.
            part.add_tensor(replace(old, name=new, data_format="NONE"))
        copies[node] = part.add(node.op, [names.get(i, i) for i in node.inputs],
                                [names.get(o, o) for o in node.outputs], node.name)
        copies[node].attrs, copies[node].types = dict(node.attrs), node.types
    part.outputs = [names.get(o, o) for o in outputs]
    given = {names.get(f, f): fitted(feeds[f], graph.tensors[f].dtype) for f in started}
    return Part(part, given, {names.get(o, o): o for o in outputs}, copies)


def _free(graph: Graph, name: str) -> str:
    while name in graph.tensors:
        name += "_"
    return name


def fitted(array: np.ndarray, dtype: str) -> np.ndarray:
    """The array in the element type of a tensor of the engine."""
    with np.errstate(all="ignore"):
        array = np.asarray(array).astype(NUMPY[dtype], copy=False)
    return np.ascontiguousarray(array).reshape(array.shape)


def _decides_shapes(node: Node) -> Sequence[int]:
    schema = op_schema.all_ops().get(node.op)
    return () if schema is None else list(schema.known)
