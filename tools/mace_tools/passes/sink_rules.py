"""How each op lets a transpose of its operand through: op(T(x)) = T'(op'(x)).

SPDX-License-Identifier: Apache-2.0

A rule changes `inputs` and `attrs` of its Sink to those of op' and returns the permutation T' of
each output, or None where this op or these attributes do not let the transpose through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mace_tools.ir import Graph, Node, Tensor
from mace_tools.passes.permute import Perm, drop, insert, inverse

# Ops whose operands must all be transposed alike.
JOINING = ("Eltwise", "Compare", "Logical", "Select", "PRelu", "Concat")
# Ops of one operand that keep its shape whatever the order of axes.
UNARY = ("Activation", "Clip", "Unary", "Cast", "Identity")


@dataclass
class Sink:
    """A node whose first operand is Transpose(inputs[0], perm)."""

    graph: Graph
    node: Node
    perm: Perm
    inputs: list[str]
    attrs: dict[str, Any]

    def axis(self, axis: int) -> int:
        """The axis of x that is axis `axis` of the transposed operand."""
        return self.perm[axis % len(self.perm)]

    def axes(self, name: str) -> list[int]:
        return [self.axis(a) for a in self.attrs[name]]


Rule = Callable[[Sink], list[Perm] | None]
RULES: dict[str, Rule] = {}


def rule(*ops: str) -> Callable[[Rule], Rule]:
    def register(function: Rule) -> Rule:
        RULES.update({op: function for op in ops})
        return function

    return register


@rule(*UNARY)
def unary(s: Sink) -> list[Perm] | None:
    return [s.perm] if all(s.graph.const(i) is not None for i in s.inputs[1:] if i) else None


@rule("Softmax", "LpNorm", "Cumsum")
def along_axis(s: Sink) -> list[Perm]:
    default = 0 if s.node.op == "Cumsum" else -1
    s.attrs["axis"] = s.axis(s.attrs.get("axis", default))
    return [s.perm]


@rule("Reverse")
def reverse(s: Sink) -> list[Perm]:
    s.attrs["axis"] = s.axes("axis")
    return [s.perm]


@rule("Split")
def split(s: Sink) -> list[Perm]:
    s.attrs["axis"] = s.axis(s.attrs.get("axis", 0))
    return [s.perm] * len(s.node.outputs)


@rule("TopK")
def top_k(s: Sink) -> list[Perm]:
    s.attrs["axis"] = s.axis(s.attrs.get("axis", -1))
    return [s.perm] * len(s.node.outputs)


@rule("Slice")
def slice_(s: Sink) -> list[Perm] | None:
    if len(s.inputs) > 1:
        return None
    s.attrs["axes"] = [s.axis(a) for a in s.attrs.get("axes", range(len(s.attrs["starts"])))]
    return [s.perm]


@rule("Pad")
def pad(s: Sink) -> list[Perm] | None:
    if "paddings" not in s.attrs or len(s.inputs) > 1:
        return None
    pairs = np.reshape(s.attrs["paddings"], (-1, 2))
    s.attrs["paddings"] = pairs[inverse(s.perm)].reshape(-1).tolist()
    return [s.perm]


@rule("Tile")
def tile(s: Sink) -> list[Perm] | None:
    if "repeats" not in s.attrs or len(s.inputs) > 1:
        return None
    s.attrs["repeats"] = [s.attrs["repeats"][k] for k in inverse(s.perm)]
    return [s.perm]


@rule("Expand")
def expand(s: Sink) -> list[Perm] | None:
    dims = s.attrs.get("shape")
    if dims is None or len(s.inputs) > 1 or len(dims) > len(s.perm):
        return None
    dims = [1] * (len(s.perm) - len(dims)) + list(dims)
    s.attrs["shape"] = [dims[k] for k in inverse(s.perm)]
    return [s.perm]


@rule("Reduce")
def reduce(s: Sink) -> list[Perm] | None:
    if len(s.inputs) > 1:
        return None
    axes = [a % len(s.perm) for a in s.attrs.get("axis", [])] or list(range(len(s.perm)))
    if s.attrs.get("axis"):
        s.attrs["axis"] = sorted(s.perm[a] for a in axes)
    return [s.perm if s.attrs.get("keepdims", 0) else drop(s.perm, axes)]


@rule("ArgMax")
def arg_max(s: Sink) -> list[Perm]:
    axis = s.attrs.get("axis", 0) % len(s.perm)
    s.attrs["axis"] = s.axis(axis)
    return [s.perm if s.attrs.get("keepdims", 1) else drop(s.perm, [axis])]


@rule("Gather")
def gather(s: Sink) -> list[Perm] | None:
    rank = s.graph.rank(s.inputs[1])
    if rank not in (0, 1) or s.attrs.get("batch_dims", 0):
        return None
    axis = s.attrs.get("axis", 0) % len(s.perm)
    s.attrs["axis"] = s.axis(axis)
    return [s.perm if rank == 1 else drop(s.perm, [axis])]


@rule("Squeeze")
def squeeze(s: Sink) -> list[Perm] | None:
    axes = [a % len(s.perm) for a in s.attrs.get("axis", [])]
    if not axes:
        return None
    s.attrs["axis"] = sorted(s.perm[a] for a in axes)
    return [drop(s.perm, axes)]


@rule("ExpandDims")
def expand_dims(s: Sink) -> list[Perm]:
    rank = len(s.perm) + len(s.attrs["axis"])
    s.attrs["axis"] = sorted(a % rank for a in s.attrs["axis"])
    return [insert(s.perm, s.attrs["axis"])]


@rule("Shape")
def shape(s: Sink) -> list[Perm]:
    """The extents of T(x) are those of x in another order."""
    part = s.perm[s.attrs.pop("start", 0) : s.attrs.pop("end", None)]
    out = s.node.outputs[0]
    inner = s.graph.fresh(f"{out}/inner")
    s.graph.add_tensor(Tensor(inner, s.graph.tensors[out].dtype, (len(s.perm),)))
    s.graph.set_output(s.node, 0, inner)
    order = s.graph.add_const(f"{out}/order", np.array(part, np.int32))
    s.graph.add("Gather", [inner, order], [out], axis=0)
    return []


@rule("Reshape", "Flatten")
def reshape(s: Sink) -> list[Perm] | None:
    """A reshape that splits and joins only axes that are neighbours in x as well."""
    y = s.graph.tensors[s.node.inputs[0]].static_shape
    z = s.graph.tensors[s.node.outputs[0]].static_shape
    parts = _aligned(y, z) if y and z and len(s.inputs) == 1 else None
    if parts is None:
        return None
    for axes, _ in parts:
        if any(s.perm[b] != s.perm[a] + 1 for a, b in zip(axes, axes[1:])):
            return None
    order = sorted(parts, key=lambda part: s.perm[part[0][0]])
    given = s.attrs.get("dim", [0, -1] if z[0] == y[0] else list(z))
    axes = [axis for _, out in order for axis in out]
    dims = _reordered(s.perm, axes, given)
    if dims is None:
        return None
    s.node.op, s.attrs = "Reshape", {"dim": dims}
    return [inverse(axes)]


def _reordered(perm: Perm, axes: list[int], dims: list[int]) -> list[int] | None:
    """Reshape's attribute for the result axes in another order. An extent that the operand decides
    (0: copied from the same place) must not become a number: it is inferred or copied."""
    new: list[int] = []
    for place, axis in enumerate(axes):
        copied = dims[axis] == 0 and not (axis < len(perm) and perm[axis] == place)
        new.append(-1 if copied else dims[axis])
    return new if new.count(-1) <= 1 else None


def _aligned(y: tuple[int, ...], z: tuple[int, ...]) -> list[tuple[list[int], list[int]]] | None:
    """Runs of axes of y and of z that hold the same elements, as short as can be."""
    if 0 in y or 0 in z:
        return None
    parts: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(y) and j < len(z):
        axes, out = [i], [j]
        left, right = y[i], z[j]
        while left != right:
            if left < right:
                axes.append(axes[-1] + 1)
                left *= y[axes[-1]]
            else:
                out.append(out[-1] + 1)
                right *= z[out[-1]]
        parts.append((axes, out))
        i, j = axes[-1] + 1, out[-1] + 1
    if i < len(y):  # ones at the end
        parts[-1][0].extend(range(i, len(y)))
    if j < len(z):
        parts[-1][1].extend(range(j, len(z)))
    return parts
