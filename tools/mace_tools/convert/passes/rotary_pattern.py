"""Finds rotary embeddings that exporters wrote out, and turns queries and keys by one node.

SPDX-License-Identifier: Apache-2.0

    x cos + [-x2, x1] sin                         x1, x2 the halves of x: Llama, GPT-NeoX
    x cos + [-x1, x0, -x3, x2, ...] sin           pairs of neighbours: GPT-J
    [x1 cos - x2 sin, x1 sin + x2 cos]            and the same of pairs, where a pair has one angle

however the parts are taken and joined: the last axis is followed element by element. Elements
behind those that are turned are part of the node, too (`size`).
"""

from dataclasses import dataclass

import numpy as np

from mace_tools.convert.passes.last_axis import Factor, elements
from mace_tools.convert.passes.match import is_op
from mace_tools.convert.shape_inference import infer_node
from mace_tools.graph.ir import Graph, Node

_SWAP = [0, 2, 1, 3]
_JOINED = ("Eltwise", "Concat", "Reshape", "ExpandDims")  # what a last Concat joins
_MAX_ANCESTORS = 4096


@dataclass
class _Run:
    """Elements [start, start + count) of the last axis of a tensor."""

    tensor: str
    start: int
    count: int


@dataclass
class _Turn:
    x: _Run
    cos: _Run
    sin: _Run
    size: int
    interleaved: bool


def rotary_pattern(graph: Graph) -> None:
    for node in reversed(list(graph.nodes)):
        if graph.is_quantized(node) or not _may_end(graph, node):
            continue
        found = elements(graph, node.outputs[0])
        turn = None if found is None else _turn(list(found))
        if turn is not None and _fits(graph, node, turn):
            _become(graph, node, turn)


def join_rotary(graph: Graph) -> None:
    """One node for the queries and the keys of an attention where both are turned by the same
    angles."""
    for node in [n for n in graph.nodes if n.op == "Attention"]:
        q, k = (_turned(graph, name) for name in node.inputs[:2])
        if q is None or k is None or q is k or q.inputs[:2] != k.inputs[:2] or any(
                q.attr(a) != k.attr(a) for a in ("size", "interleaved")):
            continue
        if _depends(graph, q, k) or _depends(graph, k, q):
            continue
        heads = [(n.attr("heads") or [0])[0] for n in (q, k)]
        inputs, outputs = [*q.inputs, k.inputs[2]], [q.outputs[0], k.outputs[0]]
        name, attrs = q.name, {**q.attrs, "heads": heads}
        graph.remove(q)
        graph.remove(k)
        graph.add("RotaryEmbedding", inputs, outputs, name=name, **attrs)


def _may_end(graph: Graph, node: Node) -> bool:
    """Whether a rotary embedding may end with the node: a cheap test before the exact one."""
    if is_op(node, "Eltwise", type="SUM") and len(node.inputs) == 2:
        return all(is_op(graph.producer(n), "Eltwise", type="PROD") for n in node.inputs)
    rank = graph.rank(node.outputs[0])
    made_by = {n.op for n in map(graph.producer, node.inputs) if n is not None}
    if node.op == "Concat" and rank:
        return node.attr("axis") in (-1, rank - 1) and bool(made_by & set(_JOINED))
    return node.op == "Reshape" and bool(made_by & {"Concat", "Stack"})


def _turn(found: list[list[tuple[int, tuple[Factor, ...]]]]) -> _Turn | None:
    """What a list of sums of products is, if it is a rotation of pairs."""
    kept = [terms[0][1][0] for terms in found
            if len(terms) == 1 and terms[0][0] == 1 and len(terms[0][1]) == 1]
    size = len(found) - len(kept)
    turned = found[:size]
    if size < 2 or size % 2 or any(len(t) != 2 or any(len(f) != 2 for _, f in t) for t in turned):
        return None
    tensors = [{name for name, _ in factors} for terms in turned for _, factors in terms]
    for x in sorted(set.intersection(*tensors)):
        start = min(i for terms in turned for _, factors in terms for name, i in factors
                    if name == x)
        if kept != [(x, start + size + i) for i in range(len(kept))]:
            continue
        for interleaved in (False, True):
            angles = _angles(turned, x, start, interleaved)
            if angles is not None:
                return _Turn(_Run(x, start, len(found)), *angles, size, interleaved)
    return None


def _angles(turned: list[list[tuple[int, tuple[Factor, ...]]]], x: str, start: int,
            interleaved: bool) -> tuple[_Run, _Run] | None:
    """The cosines and the sines, if the terms are those of pairs of this sort."""
    size = len(turned)
    cos: list[Factor] = []
    sin: list[Factor] = []
    for j, terms in enumerate(turned):
        is_first = j % 2 == 0 if interleaved else j < size // 2
        step = 1 if interleaved else size // 2
        partner = j + step if is_first else j - step
        for at, sign, into in ((j, 1, cos), (partner, -1 if is_first else 1, sin)):
            of_x = (x, start + at)
            rest = [f[0] if f[1] == of_x else f[1] for s, f in terms if s == sign and of_x in f]
            if len(rest) != 1:
                return None
            into.append(rest[0])
    runs = [_run(angles, interleaved) for angles in (cos, sin)]
    if runs[0] is None or runs[1] is None or runs[0].count != runs[1].count:
        return None
    return runs[0], runs[1]


def _run(angles: list[Factor], interleaved: bool) -> _Run | None:
    """The angles as a run of a tensor, one for each element or one for each pair."""
    if len({name for name, _ in angles}) != 1:
        return None
    at, size = np.array([i for _, i in angles]), len(angles)
    pairs = np.repeat(np.arange(size // 2), 2) if interleaved else np.tile(np.arange(size // 2), 2)
    for order, count in ((np.arange(size), size), (pairs, size // 2)):
        if np.array_equal(at - at[0], order):
            return _Run(angles[0][0], int(at[0]), count)
    return None


def _fits(graph: Graph, node: Node, turn: _Turn) -> bool:
    """Whether the angles broadcast to x, and not x to the angles."""
    y, x = graph.shape(node.outputs[0]), graph.shape(turn.x.tensor)
    if x is None or y is None or len(x) != 4 or len(y) != 4 or x[:3] != y[:3]:
        return False
    for angles in (turn.cos, turn.sin):
        shape = graph.shape(angles.tensor)
        if shape is None or len(shape) > 4 or graph.tensors[angles.tensor].dtype != "f32":
            return False
        for a, b in zip(reversed(shape[:-1]), reversed(x[:3])):
            if a not in (1, b):
                return False
    return graph.tensors[turn.x.tensor].dtype == "f32"


def _become(graph: Graph, node: Node, turn: _Turn) -> None:
    x, cos, sin = (_taken(graph, run) for run in (turn.x, turn.cos, turn.sin))
    attrs = {"size": turn.size if turn.size < turn.x.count else 0,
             "interleaved": int(turn.interleaved)}
    after = graph.only_consumer(node.outputs[0])
    ranks = [graph.rank(n) for n in (cos, sin)]
    if is_op(after, "Transpose") and list(after.attr("dims")) == _SWAP and ranks == [4, 4]:
        # Heads before rows, as attention has them.
        x, cos, sin = (_swapped(graph, n) for n in (x, cos, sin))
        node = after
    graph.set_inputs(node, [cos, sin, x])
    node.op, node.attrs = "RotaryEmbedding", attrs


def _taken(graph: Graph, run: _Run) -> str:
    shape = graph.shape(run.tensor)
    assert shape is not None  # of which the elements were followed
    if run.start == 0 and run.count == shape[-1]:
        return run.tensor
    return _once(graph, "Slice", run.tensor, starts=[run.start], ends=[run.start + run.count],
                 axes=[len(shape) - 1])


def _swapped(graph: Graph, name: str) -> str:
    return _once(graph, "Transpose", name, dims=_SWAP)


def _once(graph: Graph, op: str, x: str, **attrs: list[int]) -> str:
    """What the op makes of x; of a node that is there already, if there is one."""
    for node in graph.consumers(x):
        if node.op == op and node.inputs == [x] and node.attrs == attrs:
            return node.outputs[0]
    node = graph.add(op, [x], name=f"{x}/{op.lower()}", **attrs)
    infer_node(graph, node)
    return node.outputs[0]


def _turned(graph: Graph, name: str) -> Node | None:
    """The node that turned an operand of an attention, also where earlier keys come before it."""
    node = graph.producer(name)
    if is_op(node, "Concat") and len(node.inputs) == 2 and node.attr("axis") in (2, -2):
        node = graph.producer(node.inputs[1])
    return node if is_op(node, "RotaryEmbedding") and len(node.inputs) == 3 else None


def _depends(graph: Graph, node: Node, other: Node) -> bool:
    """Whether a node needs, perhaps through others, what another one computes; also if that is too
    long to tell."""
    seen, left = {node}, [node]
    while left:
        for name in left.pop().inputs:
            before = graph.producer(name)
            if before is other or len(seen) > _MAX_ANCESTORS:
                return True
            if before is not None and before not in seen:
                seen.add(before)
                left.append(before)
    return False
