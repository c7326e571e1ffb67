"""Finds attention that exporters wrote out: products, scale, mask, softmax, and the reshapes and
transposes that divide features into heads.

SPDX-License-Identifier: Apache-2.0

    softmax(q k' * scale + mask) v      becomes Attention, which never holds all scores
    transpose(reshape(x, [N, S, heads, D]), 0 2 1 3)      becomes x itself, with `heads`
    heads of k and v that are repeated for several of q    become kv_heads

A factor of q or k instead of the scores counts, too. A mask is added, or chosen by Where with a
number so low that its exponential is 0. Where(IsNaN(p), 0, p) around the softmax is what Attention
does for queries without keys.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from mace_tools.convert.passes.match import is_op, number, only_producer, plain, scaled
from mace_tools.convert.passes.rows import certain, keeps_rows
from mace_tools.convert.shape_inference import infer_node
from mace_tools.graph.ir import Graph, Node

# Scores that are replaced by less than this give exponentials of 0 beside any other, also where
# they are added: what is added absorbs the score.
_ABSORBS = -1e30
# The same if some score stays, for scores of usual sizes.
_HIDES = -1000.0
_SPLIT = [0, 2, 1, 3]


@dataclass
class Heads:
    """An operand [N, heads, rows, depth]: where it comes from."""

    name: str  # with four dimensions
    flat: str = ""  # [N, rows, heads * depth], if there is such a tensor
    heads: int = 0  # of `flat`


@dataclass
class Found:
    q: str
    k: str  # [N, heads, rows, depth]
    v: str
    mask: str
    scale: float
    mask_low: float | None = None  # the mask chooses the scores; others become this


def attention_pattern(graph: Graph) -> None:
    for node in list(graph.nodes):
        if node.op != "MatMul" or node not in graph.nodes or graph.is_quantized(node):
            continue
        found = _find(graph, node)
        if found is not None:
            _rewrite(graph, node, found)


def _find(graph: Graph, node: Node) -> Found | None:
    """What the product of probabilities with v computes, if it is attention."""
    if node.attr("transpose_a") or node.attr("transpose_b"):
        return None
    probabilities, guard = _without_nan(graph, node.inputs[0])
    softmax = (graph.producer if guard else partial(only_producer, graph))(probabilities)
    if not is_op(softmax, "Softmax") or softmax.attr("axis") not in (-1, 3) or softmax.attr(
            "use_log"):
        return None
    if any(graph.rank(n) != 4 for n in (softmax.inputs[0], node.inputs[1])):
        return None
    scores, mask, low = _masked(graph, softmax.inputs[0])
    factor, product = _scaled(graph, scores)
    maker = only_producer(graph, product)
    if not is_op(maker, "MatMul") or maker.attr("transpose_a") or maker.inputs[0] == "":
        return None
    q_factor, q = _scaled(graph, maker.inputs[0])
    k_factor, k = _scaled(graph, maker.inputs[1])
    if any(graph.rank(n) != 4 for n in (q, k)):
        return None
    if not maker.attr("transpose_b"):
        k = _turned_back(graph, k)
    scale = factor * q_factor * k_factor
    if not scale or not np.isfinite(scale) or not _fit(graph, q, k, node.inputs[1]):
        return None
    if guard:  # the softmax must have one reader: the test goes with the choice
        choose, is_nan = guard
        graph.bypass(choose, probabilities)
        graph.remove(is_nan)
    return Found(q, k, node.inputs[1], mask, scale, low)


def _fit(graph: Graph, q: str, k: str, v: str) -> bool:
    """Whether the products broadcast nothing but heads of k and v."""
    shapes = [graph.shape(n) or (None,) * 4 for n in (q, k, v)]
    heads, shared, again = (s[1] for s in shapes)
    if len({s[0] for s in shapes}) > 1 or shared != again:
        return False
    return heads == shared or (bool(heads) and bool(shared) and heads % shared == 0)


def _without_nan(graph: Graph, name: str) -> tuple[str, tuple[Node, Node] | None]:
    """p of Where(IsNaN(p), 0, p) with these two nodes, which alone read p; or the tensor itself.
    Changes nothing."""
    choose = only_producer(graph, name)
    if not is_op(choose, "Select"):
        return name, None
    test, zero, p = choose.inputs
    is_nan, value = graph.producer(test), graph.const(zero)
    right = (is_op(is_nan, "Unary", type="IS_NAN") and is_nan.inputs[0] == p
             and graph.only_consumer(test) is choose and p not in graph.outputs
             and graph.shape(p) == graph.shape(name) and value is not None and not value.any()
             and {n.name for n in graph.consumers(p)} == {is_nan.name, choose.name})
    return (p, (choose, is_nan)) if right else (name, None)


def _masked(graph: Graph, name: str) -> tuple[str, str, float | None]:
    """The scores, the mask, and what scores without a mask become."""
    node = only_producer(graph, name)
    if is_op(node, "Eltwise", type="SUM") and plain(node):
        for scores, mask in (node.inputs, reversed(node.inputs)):
            if (_is_scores(graph, scores) and graph.tensors[mask].dtype == "f32"
                    and graph.shape(scores) == graph.shape(name)):
                return scores, mask, None
    if is_op(node, "Select"):
        sees, scores, low = node.inputs
        value = number(graph, low)
        if value is not None and _is_scores(graph, scores) and (
                graph.shape(scores) == graph.shape(name)) and (
                value <= _ABSORBS or value <= _HIDES and _always_sees(graph, sees)):
            return scores, sees, float(value)
    return name, "", None


def _always_sees(graph: Graph, name: str) -> bool:
    """Whether each query sees a key: a part of a constant lower triangle."""
    for _ in range(3):
        table = graph.const(name)
        if table is not None:
            return table.ndim >= 2 and bool(np.diagonal(table, 0, -2, -1).all())
        node = graph.producer(name)
        if node is None or node.op not in ("Slice", "Cast", "StridedSlice"):
            return False
        name = node.inputs[0]
    return False


def _is_scores(graph: Graph, name: str) -> bool:
    _, product = _scaled(graph, name)
    return is_op(only_producer(graph, product), "MatMul")


def _scaled(graph: Graph, name: str) -> tuple[float, str]:
    """A number and the tensor that it multiplies."""
    return scaled(graph, only_producer(graph, name)) or (1.0, name)


def _turned_back(graph: Graph, name: str) -> str:
    """k of k', [N, heads, depth, rows]."""
    node = graph.producer(name)
    dims = list(node.attr("dims")) if is_op(node, "Transpose") else []
    if dims == [0, 1, 3, 2]:
        return node.inputs[0]
    swapped, source = [0, 1, 3, 2], name
    if dims == [0, 2, 3, 1]:
        swapped, source = _SPLIT, node.inputs[0]
    rank4 = graph.add("Transpose", [source], name=f"{name}/rows", dims=swapped)
    infer_node(graph, rank4)
    return rank4.outputs[0]


def _heads(graph: Graph, name: str) -> Heads:
    """The tensor before it was divided into heads, if that is proven."""
    node = graph.producer(name)
    if is_op(node, "RotaryEmbedding") and len(node.inputs) == 3:
        return _turned_heads(graph, node)
    if not is_op(node, "Transpose") or list(node.attr("dims")) != _SPLIT:
        packed = _of_packed(graph, name)
        return packed or Heads(name)
    shaped = graph.producer(node.inputs[0])
    if not is_op(shaped, "Reshape"):
        return Heads(name)
    x = shaped.inputs[0]
    parts = [certain(graph, node.inputs[0], a) for a in (2, 3)]
    shape = graph.shape(x)
    if None in parts or shape is None or len(shape) != 3 or shape[2] != parts[0] * parts[1]:
        return Heads(name)
    if certain(graph, x, 2) is None or not keeps_rows(graph, shaped, x):
        return Heads(name)
    return Heads(name, x, parts[0])


def _turned_heads(graph: Graph, node: Node) -> Heads:
    """What is turned may be turned before it is divided into heads; the node that does so goes
    again if it is not used."""
    cos, sin, x = node.inputs
    before = _heads(graph, x)
    if not before.flat:
        return Heads(node.outputs[0])
    attrs = {**node.attrs, "heads": [before.heads]}
    turned = graph.add("RotaryEmbedding", [cos, sin, before.flat], name=f"{node.name}/flat",
                       **attrs)
    infer_node(graph, turned)
    return Heads(node.outputs[0], turned.outputs[0], before.heads)


def _of_packed(graph: Graph, name: str) -> Heads | None:
    """One of q, k and v that one product made: part i of transpose(reshape(x, [N, S, 3, heads,
    depth]), 2 0 3 1 4)."""
    part, index, count = _part(graph, name)
    node = graph.producer(part) if part else None
    if not is_op(node, "Transpose") or list(node.attr("dims")) != [2, 0, 3, 1, 4]:
        return None
    shaped = graph.producer(node.inputs[0])
    if not is_op(shaped, "Reshape") or graph.rank(shaped.inputs[0]) != 3:
        return None
    x = shaped.inputs[0]
    parts = [certain(graph, node.inputs[0], a) for a in (2, 3, 4)]
    wide = certain(graph, x, 2)
    if None in parts or wide != np.prod(parts) or not keeps_rows(graph, shaped, x):
        return None
    if count not in (None, parts[0]):
        return None
    split = next((n for n in graph.consumers(x) if n.op == "Split" and n.attr("axis") == 2
                  and len(n.outputs) == parts[0] and len(n.inputs) == 1), None)
    if split is None:
        outs = [graph.fresh(f"{x}/part{k or ''}") for k in range(parts[0])]
        split = graph.add("Split", [x], outs, name=f"{x}/split", axis=2)
        infer_node(graph, split)
    return Heads(name, split.outputs[index], parts[1])


def _part(graph: Graph, name: str) -> tuple[str, int, int | None]:
    """The tensor of which this one is a part along axis 0, the part's number, and how many there
    are if the node tells. '' if it is none."""
    node = graph.producer(name)
    if is_op(node, "Gather") and node.attr("axis") == 0:
        index = graph.const(node.inputs[1])
        return (node.inputs[0], int(index), None) if index is not None and index.ndim == 0 and (
            index >= 0) else ("", 0, None)
    if is_op(node, "Unstack") and node.attr("axis") == 0:
        return node.inputs[0], node.outputs.index(name), len(node.outputs)
    if is_op(node, "Squeeze") and list(node.attr("axis")) == [0]:
        split = graph.producer(node.inputs[0])
        if is_op(split, "Split") and split.attr("axis") == 0 and len(split.inputs) == 1:
            sizes = split.attr("sizes")
            if not sizes or set(sizes) == {1}:
                return (split.inputs[0], split.outputs.index(node.inputs[0]), len(split.outputs))
    return "", 0, None


def _unrepeated(graph: Graph, name: str) -> tuple[str, int]:
    """Heads before each was repeated for several queries, and how often: Reshape(Expand(ExpandDims(
    x, 2)))."""
    node = graph.producer(name)
    wide = graph.producer(node.inputs[0]) if is_op(node, "Reshape") else None
    if wide is None or wide.op not in ("Expand", "Tile"):
        return name, 1
    inner = graph.producer(wide.inputs[0])
    if not is_op(inner, "ExpandDims") or [a % 5 for a in inner.attr("axis")] != [2]:
        return name, 1
    x = inner.inputs[0]
    heads, repeats = certain(graph, x, 1), certain(graph, wide.outputs[0], 2)
    total = certain(graph, name, 1)
    depth, kept = certain(graph, x, 3), certain(graph, name, 3)
    if graph.rank(x) != 4 or not heads or not repeats or total != heads * repeats or (
            depth is None or depth != kept):
        return name, 1
    return x, repeats


def _rewrite(graph: Graph, node: Node, found: Found) -> None:
    k, repeats = _unrepeated(graph, found.k)
    v, again = _unrepeated(graph, found.v)
    if repeats != again:
        k, v = found.k, found.v
    q = _heads(graph, found.q)
    out = _joined(graph, node, q) if q.flat else None
    operands, attrs = [q.name], {"scale": found.scale}
    if out is not None:
        operands, attrs["heads"] = [q.flat], q.heads
    shared = [_heads(graph, n) for n in (k, v)]
    flats = [s.flat and out is not None for s in shared]
    heads = {s.heads for s, flat in zip(shared, flats) if flat}
    if len(heads) == 1:
        attrs["kv_heads"] = heads.pop()
    else:
        flats = [False, False]
        if out is not None:
            known = certain(graph, k, 1)
            attrs["kv_heads"] = known if known is not None else q.heads // max(repeats, 1)
            if known is None and repeats == 1:
                del attrs["kv_heads"]
    operands += [s.flat if flat else s.name for s, flat in zip(shared, flats)]
    if found.mask:
        operands.append(_mask(graph, node, found))
    if out is None:
        graph.set_inputs(node, operands)
        node.op, node.attrs = "Attention", attrs
        return
    name = out.outputs[0]
    graph.remove(out)
    graph.add("Attention", operands, [name], name=node.name, **attrs)


def _mask(graph: Graph, node: Node, found: Found) -> str:
    """The mask as Attention takes it: numbers to add."""
    if found.mask_low is None:
        return found.mask
    zero, low = (graph.add_const(f"{node.name}/mask", np.float32(x)) for x in (0, found.mask_low))
    same = [n for n in graph.consumers(found.mask) if n.op == "Select" and n.inputs[0] == found.mask
            and [number(graph, n.inputs[k]) for k in (1, 2)] == [0, np.float32(found.mask_low)]]
    if same:
        return same[0].outputs[0]
    choose = graph.add("Select", [found.mask, zero, low], name=f"{node.name}/mask_to_add")
    infer_node(graph, choose)
    return choose.outputs[0]


def _joined(graph: Graph, node: Node, q: Heads) -> Node | None:
    """The Reshape that joins the heads of the result again, if that is what it does."""
    turn = graph.only_consumer(node.outputs[0])
    if not is_op(turn, "Transpose") or list(turn.attr("dims")) != _SPLIT:
        return None
    if turn.outputs[0] in graph.outputs:
        return None
    readers = [n for n in graph.consumers(turn.outputs[0]) if n.op != "Shape"]
    join = readers[0] if len(readers) == 1 else None
    if not is_op(join, "Reshape") or graph.rank(join.outputs[0]) != 3:
        return None
    if not keeps_rows(graph, join, q.flat):
        return None
    return join
