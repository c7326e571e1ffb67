"""A wrong layer once more, with one thing changed that frameworks are known to do differently.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mace_tools.convert.ops.common.windows import AVERAGE, EXPLICIT, SAME, SAME_LOWER, VALID
from mace_tools.convert.passes.match import CONV_LIKE
from mace_tools.graph import op_schema
from mace_tools.graph.extract import Part
from mace_tools.graph.ir import Node

_PADDINGS = {VALID: "VALID", SAME: "SAME", SAME_LOWER: "SAME_LOWER"}
_EPSILONS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 0.0)
_ACTIVATIONS = {"NOOP": {}, "RELU": {}, "RELUX": {"max_limit": 6.0}, "SIGMOID": {}, "TANH": {},
                "HARDSWISH": {}, "SWISH": {}, "GELU": {}, "GELU_TANH": {},
                "ELU": {"activation_coefficient": 1.0}}
_MAX_WEIGHT_BYTES = 64 << 20  # a variant is a file of its own


@dataclass(frozen=True)
class Variant:
    """A change to a node of a part, and in words: what would be wrong, and what is right."""

    cause: str
    words: str
    change: Callable[[Part, Node], None]
    node: Node  # of the part that is changed

    def made(self, part: Part, shape: tuple[int, ...]) -> Part:
        """The part with the change; `shape` is the one that its result should have."""
        again = part.copy()
        same = dict(zip(part.nodes.values(), again.nodes.values()))
        self.change(again, same[self.node])
        for name, tensor in again.graph.tensors.items():
            if not tensor.is_const and name not in again.graph.inputs:  # it may be another now
                tensor.shape = shape if name in again.graph.outputs else None
        return again


def groups(part: Part, epsilons: Sequence[float] = (),
           vectors: Mapping[str, np.ndarray] | None = None) -> Iterator[list[Variant]]:
    """Groups of variants, the most usual causes first. `epsilons` and `vectors` are those of the
    source's nodes."""
    def epsilon(part: Part, node: Node) -> Iterator[Change]:
        return _epsilon(node, [*epsilons, *_EPSILONS])

    def bias(part: Part, node: Node) -> Iterator[Change]:
        return _bias(part, node, vectors or {})

    for makers in ((_padding, _pooling, epsilon, _resize, _axis, _activation, _flags, bias),
                   (_operands, _flattened), (_weights,)):
        yield [Variant(cause, words, change, node) for node in part.nodes.values()
               for maker in makers for cause, words, change in maker(part, node)]


Change = tuple[str, str, Callable[[Part, Node], None]]


def _set(**attrs: object) -> Callable[[Part, Node], None]:
    return lambda part, node: node.attrs.update(attrs)


def _has(node: Node, attr: str) -> bool:
    schema = op_schema.all_ops().get(node.op)
    return schema is not None and attr in schema.attrs


def _padding(part: Part, node: Node) -> Iterator[Change]:
    if not _has(node, "padding"):
        return
    now = node.attr("padding")
    values = list(node.attr("padding_values") or [])
    for mode, name in _PADDINGS.items():
        if mode != now:
            yield "padding", f"padding {name}", _set(padding=mode, padding_values=[])
    sides = {"the paddings before and after exchanged": [2, 3, 0, 1],
             "the paddings of height and width exchanged": [1, 0, 3, 2]}
    for words, order in sides.items():
        if now == EXPLICIT and len(values) == 4 and [values[k] for k in order] != values:
            yield "padding", words, _set(padding_values=[values[k] for k in order])


def _pooling(part: Part, node: Node) -> Iterator[Change]:
    if node.op != "Pooling":
        return
    if node.attr("pooling_type") == AVERAGE:
        now = node.attr("count_include_pad")
        words = "not counted" if now else "counted"
        yield ("divisor of the average", f"padded elements {words} in the divisor",
               _set(count_include_pad=1 - now))
    rounding = 1 - node.attr("round_mode")
    yield ("rounding of the output's extent", "extents rounded " + ("up" if rounding else "down"),
           _set(round_mode=rounding))


def _bias(part: Part, node: Node, vectors: Mapping[str, np.ndarray]) -> Iterator[Change]:
    if node.op not in CONV_LIKE:
        return
    channels = part.graph.shape(node.outputs[0])
    for name, vector in vectors.items():
        if channels and vector.size == channels[-1] and vector.dtype.kind == "f":
            def change(part: Part, node: Node, vector: np.ndarray = vector) -> None:
                own = part.graph.add_const("bias", vector.reshape(-1).astype(np.float32))
                part.graph.set_inputs(node, [*node.inputs[:2], own])
            yield "bias", f"the bias '{name}' of the source", change


def _epsilon(node: Node, values: Sequence[float]) -> Iterator[Change]:
    if _has(node, "epsilon"):
        for value in values:
            if not np.isclose(value, node.attr("epsilon"), rtol=1e-3, atol=0):
                yield "epsilon", f"an epsilon of {value:g}", _set(epsilon=value)


def _resize(part: Part, node: Node) -> Iterator[Change]:
    if node.op != "Resize":
        return
    schema = op_schema.all_ops()["Resize"].attrs
    for attr in ("coordinate", "nearest_mode"):
        for value in schema[attr].choices.values():
            if value != node.attr(attr):
                yield ("coordinates of the resizing", f"{attr} {value}", _set(**{attr: value}))


def _axis(part: Part, node: Node) -> Iterator[Change]:
    rank = part.graph.rank(node.inputs[0]) if node.inputs and node.inputs[0] else None
    if not _has(node, "axis") or rank is None or not isinstance(node.attr("axis"), int):
        return
    for axis in range(rank):
        if axis != node.attr("axis") % rank:
            yield "axis", f"axis {axis}", _set(axis=axis)


def _activation(part: Part, node: Node) -> Iterator[Change]:
    if not _has(node, "activation"):
        return
    now = node.attr("activation")
    for kind, more in _ACTIVATIONS.items():
        if kind != now or any(node.attr(k) != v for k, v in more.items()):
            words = "no activation" if kind == "NOOP" else f"the activation {kind}"
            words += f" up to {more['max_limit']:g}" if "max_limit" in more else ""
            yield "activation", words, _set(activation=kind, **more)


def _flags(part: Part, node: Node) -> Iterator[Change]:
    for attr, cause, words in (
            ("transpose_a", "transposed operand", "the other orientation of the first operand"),
            ("transpose_b", "transposed operand", "the other orientation of the second operand"),
            ("use_log", "logarithm", "the other setting of use_log")):
        if _has(node, attr):
            yield cause, words, _set(**{attr: 1 - int(node.attr(attr))})
    if node.op == "DepthToSpace":
        other = "CRD" if node.attr("mode") == "DCR" else "DCR"
        yield "layout", f"mode {other}", _set(mode=other)


def _operands(part: Part, node: Node) -> Iterator[Change]:
    """Other orders of the operands."""
    if node.op not in ("Eltwise", "Concat", "MatMul", "Stack") or not 2 <= len(node.inputs) <= 4:
        return
    for order in itertools.permutations(range(len(node.inputs))):
        if list(order) != sorted(order):
            def change(part: Part, node: Node, order: tuple[int, ...] = order) -> None:
                part.graph.set_inputs(node, [node.inputs[k] for k in order])
            yield "order of the operands", "its operands in another order", change


def _weights(part: Part, node: Node) -> Iterator[Change]:
    """Other orders of the weight's axes and elements."""
    if node.op not in (*CONV_LIKE, "MatMul") or len(node.inputs) < 2:
        return
    weight = part.graph.const(node.inputs[1])
    if weight is None or weight.ndim < 2 or weight.nbytes > _MAX_WEIGHT_BYTES:
        return
    for cause, words, other in _rearranged(weight):
        if not np.array_equal(other, weight):
            yield cause, words, _with_weight(other)


def _flattened(part: Part, node: Node) -> Iterator[Change]:
    """The weight of features that were flattened in another order of dimensions."""
    weight = part.graph.const(node.inputs[1]) if node.op == "FullyConnected" else None
    view = part.graph.producer(node.inputs[0])
    shape = part.graph.shape(view.inputs[0]) if view is not None and view.inputs else None
    if weight is None or shape is None or len(shape) < 3 or weight.nbytes > _MAX_WEIGHT_BYTES:
        return
    features = shape[1:]
    if None in features or int(np.prod(features)) != weight.shape[1]:
        return
    for order in itertools.permutations(range(1, len(shape))):
        moved = weight.reshape(-1, *(shape[k] for k in order))
        back = moved.transpose(0, *(1 + order.index(k) for k in range(1, len(shape))))
        words = f"features flattened as {[shape[k] for k in order]}"
        yield "layout", words, _with_weight(back.reshape(weight.shape))


def _with_weight(other: np.ndarray) -> Callable[[Part, Node], None]:
    def change(part: Part, node: Node) -> None:
        name = part.graph.add_const(node.inputs[1], other, like=node.inputs[1])
        part.graph.set_inputs(node, [node.inputs[0], name, *node.inputs[2:]])
    return change


def _rearranged(weight: np.ndarray) -> Iterator[tuple[str, str, np.ndarray]]:
    shape, cause = weight.shape, "transposed weight"
    for order in itertools.permutations(range(weight.ndim)):
        if list(order) == sorted(order):
            continue
        moved = tuple(shape[k] for k in order)
        if moved == shape:
            yield cause, f"its weight transposed by {list(order)}", weight.transpose(order)
        yield (cause, f"its weight's elements read as {list(moved)}",
               weight.reshape(moved).transpose(np.argsort(order)))
    if weight.ndim == 4:
        yield cause, "its filters turned by 180 degrees", weight[:, :, ::-1, ::-1]
        yield "channel order", "the input's channels in reverse", weight[:, ::-1]
        yield "channel order", "the output's channels in reverse", weight[::-1]
    elif weight.ndim == 2:
        yield "channel order", "the input's channels in reverse", weight[:, ::-1]
        yield "channel order", "the output's channels in reverse", weight[::-1]
