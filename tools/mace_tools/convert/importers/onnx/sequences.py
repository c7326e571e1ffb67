"""Sequences of tensors: the engine has none, so importers keep track of their elements.

SPDX-License-Identifier: Apache-2.0

A sequence is known by its elements, or, where a Loop appends one in each iteration, as a tensor of
all of them, one behind the other.
"""

from collections.abc import Sequence

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.frames import TensorSequence, takes_sequences
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.tensors import ELEMENT
from mace_tools.convert.importers.operands import fixed_int
from mace_tools.convert.importers.source import SourceGraph, SourceNode
from mace_tools.graph.ir import dtype_name
from mace_tools.support.errors import ModelError, Unsupported

_LENGTH = "export with sequences whose number of tensors is fixed"


def _sequence(b: Builder, n: SourceNode) -> TensorSequence:
    """The first operand. Errors: ModelError if it is a tensor."""
    found = b.sequences.get(n.inputs[0])
    if found is None:
        raise ModelError(f"{n.op} '{n.name}': its operand '{n.inputs[0]}' is no sequence of "
                         "tensors")
    return found


def _elements(b: Builder, n: SourceNode) -> list[str]:
    found = _sequence(b, n)
    if found.stacked:
        raise Unsupported("a sequence to which a loop appended", _LENGTH)
    return list(found.elements)


def _place(b: Builder, n: SourceNode, index: int, count: int, end: int) -> int:
    """The place, below `end`, that an operand tells. Negative ones count from the end."""
    place = fixed_int(b, n.inputs[index], "place in the sequence")
    if not -count <= place < end:
        raise ModelError(f"{n.op} '{n.name}': the place {place} in a sequence of {count} tensors")
    return place + count if place < 0 else place


@registry.op("SequenceEmpty")
def empty(b: Builder, n: SourceNode) -> str:
    """A sequence of no tensors"""
    kind = n.attr("dtype", 1)
    if kind not in ELEMENT:
        raise Unsupported(f"a sequence of ONNX element type {kind}")
    return b.add_sequence([], dtype_name(ELEMENT[kind]))


@registry.op("SequenceConstruct")
def construct(b: Builder, n: SourceNode) -> str:
    return b.add_sequence(n.inputs)


@registry.op("SequenceInsert")
@takes_sequences
def insert(b: Builder, n: SourceNode) -> str:
    """At a place that is known"""
    elements = _elements(b, n)
    place = len(elements)
    if len(n.inputs) > 2 and n.inputs[2]:
        place = _place(b, n, 2, len(elements), place + 1)
    return b.add_sequence([*elements[:place], n.inputs[1], *elements[place:]])


@registry.op("SequenceErase")
@takes_sequences
def erase(b: Builder, n: SourceNode) -> str:
    """At a place that is known"""
    elements = _elements(b, n)
    kind = b.sequence_type(n.inputs[0])
    count = len(elements)
    if not count:
        raise ModelError(f"SequenceErase '{n.name}': its sequence has no tensors")
    del elements[_place(b, n, 1, count, count) if len(n.inputs) > 1 and n.inputs[1] else -1]
    return b.add_sequence(elements, kind)


@registry.op("SequenceAt")
@takes_sequences
def at(b: Builder, n: SourceNode) -> str:
    """The tensor at a place; a computed one takes tensors of one shape"""
    found, index = _sequence(b, n), n.inputs[1]
    if not found.stacked and b.const(index) is not None:
        count = len(found.elements)
        return b.op("Identity", found.elements[_place(b, n, 1, count, count)])
    index = b.op("Reshape", index, dim=[])
    return b.op("Gather", _stacked(b, n, found), index, axis=0)


@registry.op("SequenceLength")
@takes_sequences
def length(b: Builder, n: SourceNode) -> str:
    found = _sequence(b, n)
    if not found.stacked:
        return b.add_const(np.array(len(found.elements)), "i64", "length")
    return b.op("Squeeze", b.op("Shape", found.stacked, output_type="i64", start=0, end=1),
                axis=[0])


@registry.op("SplitToSequence")
def split(b: Builder, n: SourceNode) -> str:
    """Pieces of one extent, or of the extents that an operand lists; the axis has a known extent"""
    x, axis = n.inputs[0], n.attr("axis", 0)
    axis %= b.rank(x)
    extent, sizes = b.extents(x)[axis], b.const([*n.inputs, ""][1])
    if extent is None or len(n.inputs) > 1 and n.inputs[1] and sizes is None:
        raise Unsupported("the number of its pieces is computed while the model runs", _LENGTH)
    keeps = n.flag("keepdims", 1)
    b.depends_on_shapes(f"SplitToSequence '{n.name}'")
    if sizes is not None and sizes.ndim:
        each = [int(v) for v in sizes]
    else:
        step = 1 if sizes is None else int(sizes)
        each = [min(step, extent - k) for k in range(0, extent, step)]
    pieces = [x] if len(each) == 1 else b.ops("Split", [x], len(each), axis=axis, sizes=each)
    if sizes is None and not keeps:
        pieces = [b.op("Squeeze", piece, axis=[axis]) for piece in pieces]
    return b.add_sequence(pieces, b.dtype(x))


@registry.op("ConcatFromSequence")
@takes_sequences
def concat(b: Builder, n: SourceNode) -> str:
    """Concat, or Stack along a new axis"""
    found, axis, new = _sequence(b, n), n.attr("axis"), n.flag("new_axis", 0)
    if found.stacked:
        return _joined(b, found.stacked, axis, new)
    if not found.elements:
        raise Unsupported("a sequence without tensors", "leave it out")
    if new:
        return b.op("Stack", *found.elements, axis=axis)
    if len(found.elements) == 1:
        return b.op("Identity", found.elements[0])
    return b.op("Concat", *found.elements, axis=axis)


def _joined(b: Builder, x: str, axis: int, new: int) -> str:
    """The tensors along axis 0 of x, along another axis, which may be a new one."""
    rank = b.rank(x)
    axis %= rank if new else rank - 1
    y = b.transpose(x, [*range(1, axis + 1), 0, *range(axis + 1, rank)])
    if new:
        return y
    shape = [b.op("Shape", y, output_type="i64", start=begin, end=end)
             for begin, end in ((0, axis), (axis + 2, rank)) if begin < end]
    shape.insert(1 if axis else 0, b.add_const(np.array([-1]), "i64", "joined"))
    return b.op("Reshape", y, shape[0] if len(shape) == 1 else b.op("Concat", *shape, axis=0))


def _stacked(b: Builder, n: SourceNode, found: TensorSequence) -> str:
    if found.stacked:
        return found.stacked
    shapes = {b.shape(x) for x in found.elements}
    if len(shapes) != 1 or None in shapes:
        raise Unsupported("a computed place in a sequence of tensors of several shapes",
                          "make the place a constant")
    return b.op("Stack", *found.elements, axis=0)


@registry.op("SequenceMap")
@takes_sequences
def sequence_map(b: Builder, n: SourceNode) -> list[str]:
    """Its body for each tensor of the sequence"""
    body = n.attr("body")
    if not isinstance(body, SourceGraph) or len(body.inputs) != len(n.inputs):
        raise ModelError(f"SequenceMap '{n.name}': its body is missing, or has another number of "
                         "inputs than the node")
    lists = [b.sequences[x].elements if x in b.sequences else None for x in n.inputs]
    made: list[Sequence[str]] = []
    for k in range(len(_elements(b, n))):
        for source, x, elements in zip(body.inputs, n.inputs, lists):
            b.rename_input(source, x if elements is None else elements[k])
        made.append(b.inline(n, body))
    return [b.add_sequence([results[j] for results in made], b.sequence_type(n.inputs[0]))
            for j in range(len(body.outputs))]


class Appends:
    """What a loop appends to the sequences that it carries, one tensor in each iteration, and the
    loop without these sequences: the tensors are among what it stacks.

    Errors: Unsupported for a loop that does anything else with a sequence."""

    def __init__(self, b: Builder, body: SourceGraph, carried: Sequence[str]) -> None:
        self._kinds = {k: b.sequences[x] for k, x in enumerate(carried) if x in b.sequences}
        self._count = len(carried)
        self._same: dict[str, str] = {}
        for node in body.nodes:
            if node.op == "Identity":
                self._same[node.outputs[0]] = self._root(node.inputs[0])
        dropped: set[str] = set()
        tensors = []
        for k, found in self._kinds.items():
            node = self._appending(body, k)
            if found.elements or found.stacked or node is None:
                raise Unsupported("a loop that does more with a sequence than to append one tensor "
                                  "in each iteration to an empty one", _LENGTH)
            dropped |= {body.inputs[2 + k], node.outputs[0]}
            tensors.append(node.inputs[1])
        nodes = [m for m in body.nodes if not dropped & {self._root(o) for o in m.outputs}]
        self.carried = [x for k, x in enumerate(carried) if k not in self._kinds]
        self.body = SourceGraph(
            nodes, [o for k, o in enumerate(body.outputs) if k - 1 not in self._kinds] + tensors,
            [i for k, i in enumerate(body.inputs) if k - 2 not in self._kinds])

    def _root(self, name: str) -> str:
        return self._same.get(name, name)

    def _appending(self, body: SourceGraph, k: int) -> SourceNode | None:
        """The node that appends to the carried sequence k, if nothing else reads that."""
        before, after = body.inputs[2 + k], self._root(body.outputs[1 + k])
        maker = next((m for m in body.nodes if after in m.outputs), None)
        if maker is None or maker.op != "SequenceInsert" or any(maker.inputs[2:]):
            return None
        read = [m for m in body.nodes for i in (*m.inputs, *m.captures)
                if m.op != "Identity" and self._root(i) in (before, after)]
        ends = [o for o in body.outputs if self._root(o) in (before, after)]
        alone = read == [maker] and len(ends) == 1 and self._root(maker.inputs[0]) == before
        return maker if alone else None

    def results(self, b: Builder, made: Sequence[str]) -> list[str]:
        """What the loop as it was makes, of what the loop without sequences makes."""
        kept = iter(made)
        stacked = iter(made[len(made) - len(self._kinds):])
        values = [b.add_sequence([], stacked=next(stacked)) if k in self._kinds else next(kept)
                  for k in range(self._count)]
        return values + list(kept)[: len(made) - self._count]
