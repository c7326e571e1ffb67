"""What the body of a loop computes, as sums of products of its operands with constant matrices.

SPDX-License-Identifier: Apache-2.0

Tensors are [batch, elements]. A Sum is the linear part of a cell, however it is written: one
product of what is side by side, several products that are added, columns that are split. What is
not linear is an atom of such sums: an operand of the body, a product of two sums, an activation of
a sum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

import numpy as np

from mace_tools.convert.passes.match import is_op, plain
from mace_tools.graph.ir import Graph, Node

KINDS = ("SIGMOID", "TANH", "RELU")


@dataclass(eq=False)
class Operand:
    """An input of the cell: a slice of the sequence, or a state."""

    name: str
    width: int


@dataclass(eq=False)
class Product:
    """The product of two sums, element by element."""

    a: Sum
    b: Sum
    width: int


@dataclass(eq=False)
class Activated:
    """An activation of KINDS of a sum."""

    kind: str
    x: Sum
    width: int


Atom = Union[Operand, Product, Activated]
Factor = Union[float, np.ndarray]  # one number, or a matrix [elements of the atom, width]


@dataclass(eq=False)
class Sum:
    """The sum of atom @ factor over all terms, and a bias [width]."""

    width: int
    terms: dict[Atom, Factor] = field(default_factory=dict)
    bias: np.ndarray | None = None

    def alone(self) -> Atom | None:
        """The atom that this is; None if it is more than one."""
        if len(self.terms) != 1 or self.bias is not None:
            return None
        atom, factor = next(iter(self.terms.items()))
        return atom if isinstance(factor, float) and factor == 1.0 else None

    def matrix(self, atom: Atom) -> np.ndarray:
        """The factor of an atom as a matrix [elements, width]."""
        factor = self.terms.get(atom, 0.0)
        if isinstance(factor, float):
            return np.eye(atom.width, self.width, dtype=np.float32) * np.float32(factor)
        return factor

    def offset(self) -> np.ndarray:
        return np.zeros(self.width, np.float32) if self.bias is None else self.bias


class Formula:
    """Reads tensors of a body as sums. `operands`: those of its tensors that are inputs of the
    cell, and tensors of the same width."""

    def __init__(self, body: Graph, operands: list[tuple[str, str]]) -> None:
        self.body = body
        self.operands: dict[str, Operand] = {}
        self._sums: dict[str, Sum | None] = {}
        for name, like in operands:
            width = _width(body, name) or _width(body, like)
            if width is not None:
                self.operands[name] = Operand(name, width)
                self._sums[name] = Sum(width, {self.operands[name]: 1.0})

    def read(self, name: str) -> Sum | None:
        """A tensor as a sum; None if it is computed in another way."""
        stack = [name]
        while stack:
            top = stack[-1]
            node = self.body.producer(top)
            open_ = [] if top in self._sums or node is None else [
                i for i in node.inputs if i and self.body.producer(i) and i not in self._sums]
            if open_:
                stack += open_
                continue
            stack.pop()
            if top not in self._sums:
                self._sums[top] = None if node is None else self._computed(node, top)
        return self._sums[name]

    def _computed(self, node: Node, out: str) -> Sum | None:
        width = _width(self.body, out)
        if width is None:
            return None
        if not plain(node) and node.op != "Activation":
            return _activated(node, self._linear(node, out, width))
        return self._linear(node, out, width)

    def _linear(self, node: Node, out: str, width: int) -> Sum | None:
        """What a node computes before the activation that it may apply besides."""
        if node.op == "Identity":
            return self._sums.get(node.inputs[0])
        if node.op in ("MatMul", "FullyConnected"):
            return self._multiplied(node, width)
        if node.op in ("Eltwise", "BiasAdd"):
            return self._combined(node, width)
        if node.op == "Concat":
            return self._joined(node, width)
        if node.op in ("Split", "Slice", "StridedSlice"):
            x = self._sums.get(node.inputs[0])
            columns = None if x is None else _columns(self.body, node, out, x.width)
            return None if x is None or columns is None else _part(x, *columns)
        return _activated(node, self._sums.get(node.inputs[0])) if node.op == "Activation" else None

    def _multiplied(self, node: Node, width: int) -> Sum | None:
        x, w = self._sums.get(node.inputs[0]), self.body.const(node.inputs[1])
        if x is None or w is None or w.ndim != 2 or w.dtype != np.float32:
            return None
        if node.op == "MatMul":
            if node.attr("transpose_a"):
                return None
            w = w.T if node.attr("transpose_b") else w
        else:
            w = w.T
        if w.shape != (x.width, width):
            return None
        bias = x.bias @ w if x.bias is not None else None
        if node.has_input(2):
            more = self._vector(node.inputs[2], width)
            if more is None:
                return None
            bias = more if bias is None else bias + more
        alone = x.alone()
        factors = {alone: w} if alone is not None else {
            atom: x.matrix(atom) @ w for atom in x.terms}
        return Sum(width, dict(factors), bias)

    def _vector(self, name: str, width: int) -> np.ndarray | None:
        """A constant that is added to each row."""
        value = self.body.const(name)
        if value is None or value.dtype != np.float32 or value.size not in (1, width):
            return None
        if value.size == width and value.ndim and value.shape[-1] != width:
            return None
        return np.broadcast_to(value.reshape(-1), (width,))

    def _combined(self, node: Node, width: int) -> Sum | None:
        kind = "SUM" if node.op == "BiasAdd" else node.attrs.get("type")
        if len(node.inputs) != 2 or kind not in ("SUM", "SUB", "PROD"):
            return None
        sides = []
        for name in node.inputs:
            value = self._vector(name, width)
            side = self._sums.get(name) if value is None else Sum(width, {}, value)
            if side is None or side.width != width:
                return None
            sides.append(side)
        a, b = sides
        if kind == "PROD":
            return _product(a, b, width)
        return _added(a, b, 1.0 if kind == "SUM" else -1.0)

    def _joined(self, node: Node, width: int) -> Sum | None:
        rank = self.body.rank(node.outputs[0])
        parts = [self._sums.get(i) for i in node.inputs]
        if rank != 2 or node.attr("axis") not in (1, -1) or any(p is None for p in parts):
            return None
        whole, first = Sum(width), 0
        bias = np.zeros(width, np.float32)
        for part in parts:
            assert part is not None
            for atom in part.terms:
                factor = whole.terms.setdefault(atom, np.zeros((atom.width, width), np.float32))
                assert isinstance(factor, np.ndarray)
                factor[:, first:first + part.width] += part.matrix(atom)
            bias[first:first + part.width] = part.offset()
            first += part.width
        whole.bias = bias if bias.any() else None
        return whole if first == width else None


def _activated(node: Node, x: Sum | None) -> Sum | None:
    kind = str(node.attrs.get("activation"))
    if x is None or kind not in KINDS:
        return None
    return Sum(x.width, {Activated(kind, x, x.width): 1.0})


def _width(body: Graph, name: str) -> int | None:
    shape = body.shape(name)
    return shape[1] if shape is not None and len(shape) == 2 else None


def _added(a: Sum, b: Sum, sign: float) -> Sum:
    terms = dict(a.terms)
    for atom, factor in b.terms.items():
        signed = factor * np.float32(sign) if isinstance(factor, np.ndarray) else factor * sign
        if atom not in terms:
            terms[atom] = signed
        elif isinstance(terms[atom], float) and isinstance(signed, float):
            terms[atom] += signed
        else:
            terms[atom] = a.matrix(atom) + b.matrix(atom) * np.float32(sign)
    bias = None if a.bias is None and b.bias is None else (
        a.offset() + np.float32(sign) * b.offset())
    return Sum(a.width, terms, bias)


def _product(a: Sum, b: Sum, width: int) -> Sum | None:
    if a.terms and b.terms:
        return Sum(width, {Product(a, b, width): 1.0})
    x, factors = (a, b.offset()) if a.terms else (b, a.offset())
    if np.any(factors != factors[0]):
        return None
    factor = float(factors[0])
    terms = {atom: f * np.float32(factor) if isinstance(f, np.ndarray) else f * factor
             for atom, f in x.terms.items()}
    return Sum(width, terms, None if x.bias is None else x.bias * factors)


def _part(x: Sum, first: int, end: int) -> Sum:
    terms: dict[Atom, Factor] = {atom: x.matrix(atom)[:, first:end] for atom in x.terms}
    return Sum(end - first, terms, None if x.bias is None else x.bias[first:end])


def _columns(body: Graph, node: Node, out: str, width: int) -> tuple[int, int] | None:
    """The columns [first, end) of a matrix that a node takes, if it takes all rows."""
    if node.op == "Split":
        if node.attr("axis") not in (1, -1) or len(node.inputs) != 1:
            return None
        widths = [_width(body, o) or 0 for o in node.outputs]
        first = sum(widths[: node.outputs.index(out)])
        return (first, first + widths[node.outputs.index(out)]) if sum(widths) == width else None
    if len(node.inputs) != 1:
        return None
    if node.op == "Slice":
        axes = [axis % 2 for axis in node.attr("axes") or range(len(node.attrs["starts"]))]
        steps = node.attr("steps") or [1] * len(axes)
        pairs = dict(zip(axes, zip(node.attrs["starts"], node.attrs["ends"])))
        if any(s != 1 for s in steps) or 0 in pairs and not _all(*pairs[0]):
            return None
        return slice(*pairs.get(1, (0, width))).indices(width)[:2]
    return _strided(node, width)


def _all(start: int, end: int) -> bool:
    return start == 0 and end >= (1 << 31) - 1


def _strided(node: Node, width: int) -> tuple[int, int] | None:
    begin, end, strides = node.attrs["begin"], node.attrs["end"], node.attrs["strides"]
    if len(begin) != 2 or list(strides) != [1, 1] or any(
            node.attr(mask) for mask in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")):
        return None
    begins, ends = node.attr("begin_mask"), node.attr("end_mask")
    if not (begins & 1 or begin[0] == 0) or not ends & 1:
        return None
    first = 0 if begins & 2 else begin[1]
    last = width if ends & 2 else end[1]
    return slice(first, last).indices(width)[:2]


def is_gather(node: Node | None) -> bool:
    """Whether a node takes slices along axis 0."""
    return is_op(node, "Gather", axis=0, batch_dims=0)
