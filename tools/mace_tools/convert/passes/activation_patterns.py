"""Finds activations that exporters wrote out: hard sigmoid, hard swish, swish, GELU.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Collection

from mace_tools.convert.passes.match import (
    is_op,
    number,
    only_producer,
    plain,
    scalar,
    scaled,
)
from mace_tools.graph.ir import Graph, Node

_MAX_FACTORS = 8  # of a product that is looked at
_MAX_NESTED = 8  # products within a product


def activation_patterns(graph: Graph) -> None:
    for find in (_hard_sigmoid, _product, _hard_swish, _gelu):
        for node in list(graph.nodes):
            if graph.is_quantized(node):
                continue
            if node in graph.nodes and node.op == "Eltwise" and plain(node):
                find(graph, node)


def _become(graph: Graph, node: Node, x: str, **attrs: object) -> None:
    if graph.rank(x) != graph.rank(node.outputs[0]):  # numbers of higher rank add axes
        return
    graph.set_inputs(node, [x])
    node.op, node.attrs = "Activation", dict(attrs)  # type: ignore[arg-type]


def _scaled_by_sixth(graph: Graph, node: Node) -> str | None:
    """x of x / 6 or x * (1 / 6)."""
    found = scaled(graph, node)
    limit = 1e-5 / 36 if node.attrs["type"] == "DIV" else 1e-5  # 6 or 1 / 6 within 1e-5
    return found[1] if found is not None and abs(found[0] - 1 / 6) <= limit else None


def _shifted_relu6(graph: Graph, name: str) -> str | None:
    """x of relu6(x + 3)."""
    clip = only_producer(graph, name)
    if not is_op(clip, "Activation", activation="RELUX", max_limit=6.0):
        return None
    add = only_producer(graph, clip.inputs[0])
    return scalar(graph, add, 3) if is_op(add, "Eltwise", type="SUM") and plain(add) else None


def _hard_sigmoid(graph: Graph, node: Node) -> None:
    """relu6(x + 3) / 6."""
    inner = _scaled_by_sixth(graph, node)
    x = _shifted_relu6(graph, inner) if inner else None
    if x:
        _become(graph, node, x, activation="HARDSIGMOID", activation_coefficient=1 / 6,
                hardsigmoid_beta=0.5)


def _product(graph: Graph, node: Node) -> None:
    """x * sigmoid(a x) and x * hardsigmoid(x)."""
    if node.attrs["type"] != "PROD":
        return
    for x, gate in (node.inputs, reversed(node.inputs)):
        maker = only_producer(graph, gate)
        if is_op(maker, "Activation", activation="SIGMOID"):
            scale = _scale_of(graph, maker.inputs[0], x)
            if scale:
                slope = {} if scale == 1 else {"activation_coefficient": scale}
                _become(graph, node, x, activation="SWISH", **slope)
                return
        if not is_op(maker, "Activation") or maker.inputs[0] != x:
            continue
        kind = maker.attrs["activation"]
        slope, offset = (maker.attr(a)
                         for a in ("activation_coefficient", "hardsigmoid_beta"))
        if kind == "HARDSIGMOID" and abs(slope - 1 / 6) < 1e-4 and abs(offset - 0.5) < 1e-6:
            _become(graph, node, x, activation="HARDSWISH")
            return


def _scale_of(graph: Graph, name: str, x: str) -> float:
    """a, where the tensor is a x; 0 if it is something else."""
    if name == x:
        return 1.0
    maker = only_producer(graph, name)
    found = scaled(graph, maker) if is_op(maker, "Eltwise", type="PROD") else None
    return found[0] if found is not None and found[1] == x else 0.0


def _hard_swish(graph: Graph, node: Node) -> None:
    """(x * relu6(x + 3)) / 6."""
    inner = _scaled_by_sixth(graph, node)
    product = only_producer(graph, inner) if inner else None
    if not is_op(product, "Eltwise", type="PROD") or not plain(product):
        return
    for x, gate in (product.inputs, reversed(product.inputs)):
        if _shifted_relu6(graph, gate) == x:
            _become(graph, node, x, activation="HARDSWISH")
            return


def _gelu(graph: Graph, node: Node) -> None:
    """x (1 + erf(x / sqrt(2))) / 2, with 1 + erf also as erfc(-x / sqrt(2)), and
    x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, in each order of the factors."""
    for gate in _factors(graph, node):
        for activation, find in (("GELU", _one_plus_erf), ("GELU_TANH", _one_plus_tanh)):
            x, times = find(graph, gate)
            if not x:
                continue
            number, rest = _product_of(graph, node.outputs[0], {x, gate})
            if sorted(rest) == sorted((x, gate)) and abs(number * times - 0.5) < 1e-6:
                _become(graph, node, x, activation=activation)
                return


def _factors(graph: Graph, node: Node) -> list[str]:
    """What is multiplied, of a product whose factors may be products, and divided by numbers."""
    names, stack = [], [node]
    while stack and len(names) <= _MAX_FACTORS:
        for name in stack.pop().inputs:
            inner = only_producer(graph, name)
            is_product = is_op(inner, "Eltwise", type="PROD") or is_op(inner, "Eltwise", type="DIV")
            if inner is not None and is_product and plain(inner):
                stack.append(inner)
            elif graph.const(name) is None:
                names.append(name)
    return names


def _multiple_of(graph: Graph, name: str, factor: float) -> str | None:
    """x, where the tensor is x times this factor."""
    found = 1.0
    for _ in range(_MAX_FACTORS):
        if abs(found - factor) < 1e-4:
            return name
        node = only_producer(graph, name)
        if is_op(node, "Unary", type="NEG"):
            found, name = -found, node.inputs[0]
            continue
        by = scaled(graph, node)
        if by is None:
            return None
        found, name = found * by[0], by[1]
    return None


def _one_plus(graph: Graph, name: str) -> tuple[Node | None, float]:
    """What makes y of s (1 + y), and s, which is 1 or 1/2."""
    add = only_producer(graph, name)
    if not is_op(add, "Eltwise", type="SUM") or not plain(add):
        return None, 0.0
    for half in (1.0, 0.5):
        inner = scalar(graph, add, half)
        y = _multiple_of(graph, inner, half) if inner else None
        if y:
            return only_producer(graph, y), half
    return None, 0.0


def _one_plus_erf(graph: Graph, name: str) -> tuple[str | None, float]:
    """x and s, where the tensor is s (1 + erf(x / sqrt(2)))."""
    node = only_producer(graph, name)
    if is_op(node, "Unary", type="ERFC"):
        return _multiple_of(graph, node.inputs[0], -math.sqrt(0.5)), 1.0
    erf, half = _one_plus(graph, name)
    if not is_op(erf, "Unary", type="ERF"):
        return None, 0.0
    return _multiple_of(graph, erf.inputs[0], math.sqrt(0.5)), half


def _one_plus_tanh(graph: Graph, name: str) -> tuple[str | None, float]:
    """x and s, where the tensor is s (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), also as
    x (1 + 0.044715 x^2)."""
    bend, half = _one_plus(graph, name)
    if not is_op(bend, "Activation", activation="TANH"):
        return None, 0.0
    factors, rest = _product_of(graph, bend.inputs[0])
    if abs(factors - math.sqrt(2 / math.pi)) > 1e-4:
        return None, 0.0
    if len(rest) == 1:  # x + cube
        add = only_producer(graph, rest[0])
        if is_op(add, "Eltwise", type="SUM") and plain(add):
            for x, cube in (add.inputs, reversed(add.inputs)):
                if _is_power(graph, cube, x, 0.044715, 3):
                    return x, half
    if len(rest) == 2:
        for x, sum_ in (rest, reversed(rest)):
            add = only_producer(graph, sum_)
            square = scalar(graph, add, 1) if is_op(add, "Eltwise", type="SUM") else None
            if square and _is_power(graph, square, x, 0.044715, 2):
                return x, half
    return None, 0.0


def _is_power(graph: Graph, name: str, x: str, factor: float, power: int) -> bool:
    """Whether the tensor is factor * x^power."""
    found, rest = _product_of(graph, name, {x})
    return abs(found - factor) < 1e-6 and rest == [x] * power


def _product_of(graph: Graph, name: str, whole: Collection[str] = (), depth: int = _MAX_NESTED
                ) -> tuple[float, list[str]]:
    """A product, with its powers, as a number and tensors; those of `whole` are not taken apart,
    nor what is nested deeper."""
    node = None if depth == 0 or name in whole else graph.producer(name)
    constant = number(graph, name)
    if constant is not None:
        return float(constant), []
    if is_op(node, "Eltwise", type="PROD") and plain(node):
        parts = [_product_of(graph, i, whole, depth - 1) for i in node.inputs]
        return parts[0][0] * parts[1][0], parts[0][1] + parts[1][1]
    by = scaled(graph, node) if is_op(node, "Eltwise", type="DIV") else None
    if by is not None:
        factor, rest = _product_of(graph, by[1], whole, depth - 1)
        return factor * by[0], rest
    if is_op(node, "Unary", type="NEG"):
        factor, rest = _product_of(graph, node.inputs[0], whole, depth - 1)
        return -factor, rest
    if is_op(node, "Unary", type="SQUARE"):
        factor, rest = _product_of(graph, node.inputs[0], whole, depth - 1)
        return factor**2, rest * 2
    if is_op(node, "Eltwise", type="POW") and plain(node):
        times = number(graph, node.inputs[1])
        if times in (2, 3):
            factor, rest = _product_of(graph, node.inputs[0], whole, depth - 1)
            return factor**times, rest * int(times)
    return 1.0, [name]
