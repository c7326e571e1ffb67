"""How a transpose of the operand moves past each op: op(T(x)) = T'(op'(x)).

SPDX-License-Identifier: Apache-2.0

A rule changes `inputs` and `attrs` of its Sink to those of op' and returns the permutation T' of
each output, or None if a transpose cannot move past this op with these attributes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mace_tools.convert.passes.static_shapes import certain_shapes
from mace_tools.graph import op_schema
from mace_tools.graph.ir import Graph, Node, Tensor
from mace_tools.graph.permute import Perm, drop, insert, inverse

# Elementwise ops: all operands must be transposed alike.
ELEMENTWISE = op_schema.in_order("any")
# Ops for which it suffices to adapt the attributes that name axes.
NAMED = op_schema.in_order("named")
Part = tuple[list[int], list[int]]  # axes of an operand, and those of a result
# Ops that join several operands.
JOINING = (*ELEMENTWISE, "Concat")


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

    def axes(self, axes: list[int]) -> list[int]:
        return [self.axis(a) for a in axes]

    def attr(self, name: str) -> Any:
        """As Node.attr, but for op'."""
        default = op_schema.all_ops()[self.node.op].default
        return self.attrs[name] if name in self.attrs else default(name)


Rule = Callable[[Sink], list[Perm] | None]
RULES: dict[str, Rule] = {}


def rule(*ops: str) -> Callable[[Rule], Rule]:
    def register(function: Rule) -> Rule:
        RULES.update({op: function for op in ops})
        return function

    return register


@rule(*(op for op in NAMED if op not in JOINING))
def named_axes(s: Sink) -> list[Perm]:
    for name in op_schema.all_ops()[s.node.op].axes():
        axes = s.attr(name)
        s.attrs[name] = s.axes(axes) if isinstance(axes, list) else s.axis(axes)
    return [s.perm] * len(s.node.outputs)


@rule("Slice")
def slice_(s: Sink) -> list[Perm] | None:
    if len(s.inputs) > 1:
        return None
    s.attrs["axes"] = s.axes(s.attr("axes") or list(range(len(s.attr("starts")))))
    return [s.perm]


@rule("Pad")
def pad(s: Sink) -> list[Perm] | None:
    if len(s.inputs) > 1:
        return None
    pairs = np.reshape(s.attr("paddings"), (-1, 2))
    s.attrs["paddings"] = pairs[inverse(s.perm)].reshape(-1).tolist()
    return [s.perm]


@rule("Tile")
def tile(s: Sink) -> list[Perm] | None:
    if len(s.inputs) > 1:
        return None
    s.attrs["repeats"] = [s.attr("repeats")[k] for k in inverse(s.perm)]
    return [s.perm]


@rule("Expand")
def expand(s: Sink) -> list[Perm] | None:
    dims = s.attr("shape")
    if len(s.inputs) > 1 or len(dims) > len(s.perm):
        return None
    dims = [1] * (len(s.perm) - len(dims)) + list(dims)
    s.attrs["shape"] = [dims[k] for k in inverse(s.perm)]
    return [s.perm]


@rule("Reduce")
def reduce(s: Sink) -> list[Perm] | None:
    if len(s.inputs) > 1:
        return None
    axes = [a % len(s.perm) for a in s.attr("axis")] or list(range(len(s.perm)))
    if s.attr("axis"):
        s.attrs["axis"] = sorted(s.perm[a] for a in axes)
    return [s.perm if s.attr("keepdims") else drop(s.perm, axes)]


@rule("ArgMax")
def arg_max(s: Sink) -> list[Perm]:
    axis = s.attr("axis") % len(s.perm)
    s.attrs["axis"] = s.axis(axis)
    return [s.perm if s.attr("keepdims") else drop(s.perm, [axis])]


@rule("Gather")
def gather(s: Sink) -> list[Perm] | None:
    rank = s.graph.rank(s.inputs[1])
    if rank not in (0, 1) or s.attr("batch_dims"):
        return None
    axis = s.attr("axis") % len(s.perm)
    s.attrs["axis"] = s.axis(axis)
    return [s.perm if rank == 1 else drop(s.perm, [axis])]


@rule("Squeeze")
def squeeze(s: Sink) -> list[Perm] | None:
    axes = [a % len(s.perm) for a in s.attr("axis")]
    if not axes:
        return None
    s.attrs["axis"] = sorted(s.perm[a] for a in axes)
    return [drop(s.perm, axes)]


@rule("ExpandDims")
def expand_dims(s: Sink) -> list[Perm]:
    rank = len(s.perm) + len(s.attr("axis"))
    s.attrs["axis"] = sorted(a % rank for a in s.attr("axis"))
    return [insert(s.perm, s.attrs["axis"])]


@rule("Shape")
def shape(s: Sink) -> list[Perm]:
    """The extents of T(x) are those of x in another order."""
    part = s.perm[s.attr("start") : s.attr("end")]
    s.attrs = {k: v for k, v in s.attrs.items() if k not in ("start", "end")}
    out = s.node.outputs[0]
    inner = s.graph.fresh(f"{out}/inner")
    s.graph.add_tensor(Tensor(inner, s.graph.tensors[out].dtype, (len(s.perm),)))
    s.graph.set_output(s.node, 0, inner)
    order = s.graph.add_const(f"{out}/order", np.array(part, np.int32))
    s.graph.add("Gather", [inner, order], [out], axis=0)
    return []


@rule("Reshape", "Flatten")
def reshape(s: Sink) -> list[Perm] | None:
    """A reshape that splits and joins only axes that are adjacent in x as well."""
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
    if not all(_stays(axis, parts, given) for axis in _open_axes(s)):
        return None
    axes = [axis for _, out in order for axis in out]
    dims = _reordered(s.perm, axes, given)
    if dims is None:
        return None
    s.node.op, s.attrs = "Reshape", {"dim": dims}
    return [inverse(axes)]


def _open_axes(s: Sink) -> list[int]:
    """The axes of the operand whose extents a run may choose."""
    shape = certain_shapes(s.graph).get(s.node.inputs[0])
    return [] if shape is None else [k for k, d in enumerate(shape) if d is None]


def _stays(axis: int, parts: list[Part], dims: list[int]) -> bool:
    """Whether a reshape to `dims` leaves an axis of its operand where `parts` have it, whatever
    its extent is: it is copied, or in the part whose extent is inferred."""
    out = next((out for axes, out in parts if axis in axes), [])
    return any(dims[k] == -1 or dims[k] == 0 and k == axis for k in out)


def _reordered(perm: Perm, axes: list[int], dims: list[int]) -> list[int] | None:
    """Reshape's attribute for the result axes in another order. An extent that the operand decides
    (0: copied from the same place) must not become a number: it is inferred or copied."""
    new: list[int] = []
    for place, axis in enumerate(axes):
        copied = dims[axis] == 0 and not (axis < len(perm) and perm[axis] == place)
        new.append(-1 if copied else dims[axis])
    return new if new.count(-1) <= 1 else None


def _aligned(y: tuple[int, ...], z: tuple[int, ...]) -> list[Part] | None:
    """Runs of axes of y and of z that hold the same elements, as short as possible."""
    if 0 in y or 0 in z:
        return None
    parts: list[Part] = []
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
