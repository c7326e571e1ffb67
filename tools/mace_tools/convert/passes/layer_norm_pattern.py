"""Finds layer normalization, and RMS normalization, that exporters wrote out.

SPDX-License-Identifier: Apache-2.0

    d = x - mean(x);  d / sqrt(mean(d * d) + epsilon) * gamma + beta           PyTorch
    x * a + (beta - mean(x) * a),  a = rsqrt(var(x) + epsilon) * gamma         TensorFlow
    x / sqrt(mean(x * x) + epsilon) * gamma                                    RMS, see rms_norm.py
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mace_tools.convert.passes.match import is_op, plain, squared, with_constant, with_number
from mace_tools.convert.passes.rms_norm import find_rms
from mace_tools.graph.ir import Graph, Node


@dataclass
class Norm:
    """LayerNorm of x over its last axes."""

    x: str
    axis: int
    epsilon: float
    centered: bool = True  # else RMS normalization


def layer_norm_pattern(graph: Graph) -> None:
    for node in list(graph.nodes):
        if graph.is_quantized(node):
            continue
        if node.op != "Eltwise" or not plain(node):
            continue
        norm = _divided(graph, node) or _by_rms(graph, node)
        if norm is not None:
            if not _keeps_rank(graph, node, norm):
                continue
            _become(graph, node, norm)
            _absorb(graph, node, norm)
            continue
        found = _shifted(graph, node)
        if found is not None and _keeps_rank(graph, node, found[0]):
            _become(graph, node, *found)


def _keeps_rank(graph: Graph, node: Node, norm: Norm) -> bool:
    """Whether no constant adds axes."""
    return graph.rank(norm.x) == graph.rank(node.outputs[0])


def _become(
    graph: Graph, node: Node, norm: Norm, gamma: np.ndarray | None = None,
    beta: np.ndarray | None = None,
) -> None:
    inputs = [norm.x]
    if gamma is not None or beta is not None:
        shape = graph.shape(norm.x)[norm.axis :]
        parts = [np.ones(1) if gamma is None else gamma, np.zeros(1) if beta is None else beta]
        inputs += [graph.add_const(f"{node.name}_{what}", np.broadcast_to(
            part.reshape(part.shape[-len(shape) :]), shape).astype(np.float32))
            for what, part in zip(("gamma", "beta"), parts)]
    graph.set_inputs(node, inputs)
    node.op, node.attrs = "LayerNorm", {"axis": norm.axis, "epsilon": norm.epsilon}
    if not norm.centered:
        node.attrs["centered"] = 0


def _absorb(graph: Graph, node: Node, norm: Norm) -> None:
    """Fuses the product and the sum with constants that follow into the node."""
    out, gamma, taken = node.outputs[0], None, []
    after = graph.only_consumer(out)
    if _is_plain(after, "PROD"):
        gamma = _parameter(graph, after, norm)
        if gamma is None:
            return
        taken.append(after)
        after = graph.only_consumer(after.outputs[0])
    beta = None
    if _is_plain(after, "SUM"):
        beta = _parameter(graph, after, norm)
        taken += [after] if beta is not None else []
    if taken:
        _become(graph, node, norm, gamma, beta)
        for one in taken:
            x = next(i for i in one.inputs if graph.const(i) is None)
            graph.bypass(one, x, fused=True)


def _parameter(graph: Graph, node: Node, norm: Norm) -> np.ndarray | None:
    """A constant operand that varies along the normalized axes only."""
    found = with_constant(graph, node)
    return None if found is None else _along(graph, found[1], norm)


def _along(graph: Graph, array: np.ndarray, norm: Norm) -> np.ndarray | None:
    shape = graph.shape(norm.x)[norm.axis :]
    if None in shape or array.ndim > len(graph.shape(norm.x)):
        return None
    lead = array.shape[: max(array.ndim - len(shape), 0)]
    if any(d != 1 for d in lead):
        return None
    tail = array.shape[len(lead) :]
    fits = all(d in (1, s) for d, s in zip(reversed(tail), reversed(shape)))
    return array.reshape(tail) if fits else None


def _divided(graph: Graph, node: Node) -> Norm | None:
    """(x - mean) / sqrt(var + epsilon), or times its reciprocal."""
    if node.attrs["type"] == "DIV":
        root = graph.producer(node.inputs[1])
        pairs = [(node.inputs[0], root)] if is_op(root, "Unary", type="SQRT") else []
    elif node.attrs["type"] == "PROD":
        pairs = [(d, root) for d, root in _with_makers(graph, node.inputs)
                 if is_op(root, "Unary", type="RSQRT")]
    else:
        return None
    for d, root in pairs:
        sub = graph.producer(d)
        if _is_plain(sub, "SUB"):
            norm = _norm(graph, root.inputs[0], sub.inputs[0], sub.inputs[1], d)
            if norm is not None:
                return norm
    return None


def _by_rms(graph: Graph, node: Node) -> Norm | None:
    found = find_rms(graph, node)
    if found is None:
        return None
    x, mean, epsilon = found
    axis = _last_axes(graph, mean, graph.rank(x))
    shape = graph.shape(x)
    if axis is None or shape is None or shape != graph.shape(node.outputs[0]):
        return None
    return Norm(x, axis, epsilon, centered=False)


def _shifted(graph: Graph, node: Node) -> tuple[Norm, np.ndarray | None, np.ndarray] | None:
    """x * a + (beta - mean * a)."""
    if node.attrs["type"] != "SUM":
        return None
    for scaled, shift in _both(node.inputs):
        product, sub = graph.producer(scaled), graph.producer(shift)
        if not (_is_plain(product, "PROD") and _is_plain(sub, "SUB")):
            continue
        beta, other = graph.const(sub.inputs[0]), graph.producer(sub.inputs[1])
        if beta is None or not _is_plain(other, "PROD"):
            continue
        for x, a in _both(product.inputs):
            mean = next((m for m, b in _both(other.inputs) if b == a), None)
            found = _scaled(graph, a, x, mean) if mean else None
            beta_along = _along(graph, beta, found[0]) if found else None
            if beta_along is not None:
                return found[0], found[1], beta_along
    return None


def _scaled(graph: Graph, a: str, x: str, mean: str) -> tuple[Norm, np.ndarray | None] | None:
    """a = rsqrt(var + epsilon) [* gamma]: the norm and gamma."""
    maker, gamma = graph.producer(a), None
    if _is_plain(maker, "PROD"):
        found = with_constant(graph, maker)
        if found is None:
            return None
        maker, gamma = graph.producer(found[0]), found[1]
    if not is_op(maker, "Unary", type="RSQRT"):
        return None
    norm = _norm(graph, maker.inputs[0], x, mean, "")
    if norm is None or gamma is None:
        return None if norm is None else (norm, None)
    gamma = _along(graph, gamma, norm)
    return None if gamma is None else (norm, gamma)


def _norm(graph: Graph, name: str, x: str, mean: str, difference: str) -> Norm | None:
    """Whether `name` is the variance of x plus epsilon, `mean` its mean, over the same axes."""
    add = graph.producer(name)
    found = with_number(graph, add) if _is_plain(add, "SUM") else None
    if found is None:
        return None
    variance, average = graph.producer(found[0]), graph.producer(mean)
    axes = _last_axes(graph, variance, graph.rank(x))
    if axes is None or axes != _last_axes(graph, average, graph.rank(x)):
        return None
    if average.inputs[0] != x or not _is_square(graph, variance.inputs[0], x, mean, difference):
        return None
    return Norm(x, axes, float(found[1]))


def _last_axes(graph: Graph, node: Node | None, rank: int | None) -> int | None:
    """The first axis of a mean over the last axes, which keep extent 1."""
    if not is_op(node, "Reduce", reduce_type="MEAN", keepdims=1) or rank is None:
        return None
    axes = sorted(a % rank for a in node.attr("axis"))
    return axes[0] if axes and axes == list(range(axes[0], rank)) else None


def _is_square(graph: Graph, name: str, x: str, mean: str, difference: str) -> bool:
    """(x - mean)^2 in one of its spellings."""
    node = graph.producer(name)
    if _is_plain(node, "SQR_DIFF"):
        return set(node.inputs) == {x, mean}
    base = squared(graph, name)
    maker = graph.producer(base)
    return bool(base) and (base == difference or (
        _is_plain(maker, "SUB") and maker.inputs == [x, mean]))


def _is_plain(node: Node | None, kind: str) -> bool:
    """Whether it is an Eltwise of this type whose result no activation changes."""
    return is_op(node, "Eltwise", type=kind) and plain(node)  # type: ignore[arg-type]


def _both(names: list[str]) -> Iterable[tuple[str, str]]:
    return (names[0], names[1]), (names[1], names[0])


def _with_makers(graph: Graph, names: list[str]) -> Iterable[tuple[str, Node | None]]:
    return [(a, graph.producer(b)) for a, b in _both(names)]
