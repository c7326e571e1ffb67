"""Moves transposes down past ops that do not depend on the order of axes, until they cancel.

SPDX-License-Identifier: Apache-2.0

    conv -> [NHWC->NCHW] -> relu -> add -> [NCHW->NHWC] -> conv
    conv -> relu -> add -> [NHWC->NCHW] -> [NCHW->NHWC] -> conv          sunk
    conv -> relu -> add -> conv                                          cancelled

The rule of each op is in sink_rules.py. A transpose moves past an op with several operands if all
come in the same order, or once if transposing the others pays; so transposes only move down, and
the pass ends.
"""

from mace_tools.convert.passes import sink_rules
from mace_tools.convert.passes.sink_rules import Sink
from mace_tools.convert.passes.static_shapes import certain_shapes
from mace_tools.graph.ir import Graph, Node, Tensor
from mace_tools.graph.permute import compose, inverse, is_identity, moves_only_ones


def sink_transposes(graph: Graph) -> None:
    changed = True
    evened: set[Node] = set()  # nodes with operands that were transposed to match the others
    while changed:
        changed = False
        alive = set(graph.nodes)
        for node in list(graph.nodes):
            if node in alive and _visit(graph, node, evened):
                changed = True
                alive = set(graph.nodes)
        if changed:
            graph.prune()
            graph.topo_sort()


def transposed(graph: Graph, name: str) -> tuple[str, list[int]] | None:
    """x and perm of a tensor that is Transpose(x, perm)."""
    maker = graph.producer(name) if name else None
    if maker is None or maker.op != "Transpose" or "dims" not in maker.attrs:
        return None
    return maker.inputs[0], list(maker.attrs["dims"])


def _visit(graph: Graph, node: Node, evened: set[Node]) -> bool:
    if node.op == "Transpose":
        return _merge(graph, node)
    if node.op in sink_rules.JOINING:
        return _sink_joining(graph, node, evened)
    rule = sink_rules.RULES.get(node.op)
    found = transposed(graph, node.inputs[0]) if rule and node.inputs else None
    if found is None:
        return False
    sink = Sink(graph, node, found[1], [found[0], *node.inputs[1:]], dict(node.attrs))
    perms = rule(sink)
    if perms is None:
        return False
    return _apply(graph, sink, perms)


def _merge(graph: Graph, node: Node) -> bool:
    """Merges a transpose of a transpose, or removes both if they cancel."""
    found = transposed(graph, node.inputs[0])
    if found is None or "dims" not in node.attrs:
        return False
    x, dims = found[0], compose(found[1], node.attrs["dims"])
    if is_identity(dims) and graph.bypass(node, x):
        return True
    graph.set_inputs(node, [x])
    node.attrs["dims"] = dims
    return True


def _sink_joining(graph: Graph, node: Node, evened: set[Node]) -> bool:
    """Elementwise ops and Concat: all operands must come in the same order."""
    perms = [t[1] for t in map(lambda i: transposed(graph, i), node.inputs) if t]
    for perm in sorted(perms, key=lambda p: -perms.count(p)):
        others = _others(graph, node, perm)
        if others is None or (others and (node in evened or not _pays(graph, node, perm, others))):
            continue
        if others:
            evened.add(node)
        sink = Sink(graph, node, perm, list(node.inputs), dict(node.attrs))
        if node.op == "Concat":
            sink.attrs["axis"] = sink.axis(node.attr("axis"))
        for k, name in enumerate(node.inputs):
            sink.inputs[k] = name and _in_order(graph, node, name, perm)
        return _apply(graph, sink, [perm])
    return False


def _others(graph: Graph, node: Node, perm: list[int]) -> list[str] | None:
    """The computed operands that are not transposed by `perm`; None if one of them cannot be."""
    others = []
    for name in set(node.inputs) - {""}:
        found = transposed(graph, name)
        tensor = graph.tensors[name]
        if found and found[1] == perm:
            continue
        if tensor.rank is None or tensor.rank > len(perm):
            return None
        if node.op == "Concat" and tensor.rank != len(perm):
            return None
        if not tensor.is_const and (node.op == "Concat" or not _is_single(graph, name)):
            others.append(name)
    return others


def _pays(graph: Graph, node: Node, perm: list[int], others: list[str]) -> bool:
    """Whether transposing the others reduces the number of transposes."""
    cost = 0
    for name in others:
        shape = graph.tensors[name].shape
        padded = (1,) * (len(perm) - len(shape)) + tuple(shape)
        cost += not moves_only_ones(inverse(perm), padded)
    moving = [name for name in set(node.inputs) - {"", *others}
              if _moves(graph, name, perm)]
    if cost == 0:
        return bool(moving)
    gone = sum(graph.only_consumer(name) is not None or node.inputs.count(name) > 1
               for name in moving)
    ends = _all_undo(graph, node.outputs[0], perm)
    return gone > cost + 1 or (gone >= cost and ends)


def _moves(graph: Graph, name: str, perm: list[int]) -> bool:
    """Whether an operand is a transpose that moves elements."""
    found = transposed(graph, name)
    return found is not None and not moves_only_ones(perm, graph.shape(found[0]))


def _is_single(graph: Graph, name: str) -> bool:
    """Whether a tensor has one element in every run."""
    tensor = graph.tensors[name]
    if tensor.static_shape is None or any(d != 1 for d in tensor.static_shape):
        return False
    if tensor.is_const:
        return True
    shape = certain_shapes(graph).get(name)
    return shape is not None and all(d == 1 for d in shape)


def _all_undo(graph: Graph, name: str, perm: list[int], depth: int = 8) -> bool:
    """Whether every reader of a tensor undoes `perm`, maybe below ops of one operand."""
    readers = graph.consumers(name)
    if not readers or name in graph.outputs or depth == 0:
        return False
    for reader in readers:
        if reader.op == "Transpose" and is_identity(compose(perm, reader.attr("dims"))):
            continue
        if _has_one_operand(graph, reader, name) and _all_undo(
                graph, reader.outputs[0], perm, depth - 1):
            continue
        return False
    return True


def _has_one_operand(graph: Graph, node: Node, name: str) -> bool:
    """Whether an elementwise node has no other operand whose axes have an order."""
    return node.op in sink_rules.ELEMENTWISE and all(
        i in ("", name) or _is_single(graph, i) for i in node.inputs)


def _in_order(graph: Graph, node: Node, name: str, perm: list[int]) -> str:
    """The operand z for which Transpose(z, perm) is the operand `name`, which is made if
    necessary."""
    found = transposed(graph, name)
    if found and found[1] == perm:
        return found[0]
    tensor = graph.tensors[name]
    if _is_single(graph, name) and node.op != "Concat":
        return name
    missing = len(perm) - len(tensor.shape)
    if tensor.data is not None:
        array = tensor.data.reshape((1,) * missing + tensor.data.shape).transpose(inverse(perm))
        while node.op != "Concat" and array.ndim and array.shape[0] == 1:
            array = array[0]
        moved = graph.add_const(name, array, like=name)
        if tensor.source_quant is not None and tensor.source_quant.axis is None:
            graph.tensors[moved].source_quant = tensor.source_quant
        return moved
    if missing:
        shape = (1,) * missing + tuple(tensor.shape)
        name = _new(graph, "ExpandDims", name, shape, axis=list(range(missing)))
    shape = graph.shape(name)
    back = inverse(perm)
    out = _new(graph, "Transpose", name, tuple(shape[k] for k in back), dims=back)
    graph.set_origin(out, name, back)
    return out


def _new(graph: Graph, op: str, source: str, shape: tuple, **attrs: object) -> str:
    out = graph.fresh(f"{source}/{op.lower()}")
    graph.add(op, [source], [out], **attrs)
    graph.tensors[out].shape, graph.tensors[out].dtype = shape, graph.tensors[source].dtype
    return out


def _apply(graph: Graph, sink: Sink, perms: list[list[int]]) -> bool:
    """Gives the node its new operands and attributes, and transposes each of its outputs."""
    node = sink.node
    graph.set_inputs(node, sink.inputs)
    node.attrs = sink.attrs
    for k, perm in enumerate(perms):
        out = node.outputs[k]
        if is_identity(perm):
            continue
        tensor = graph.tensors[out]
        inner = graph.fresh(f"{node.name}/permuted")
        shape = None if tensor.shape is None else tuple(tensor.shape[p] for p in inverse(perm))
        graph.add_tensor(Tensor(inner, tensor.dtype, shape, quant=tensor.quant))
        graph.set_origin(inner, out, inverse(perm))
        graph.set_output(node, k, inner)
        graph.add("Transpose", [inner], [out], dims=list(perm))
    return True
