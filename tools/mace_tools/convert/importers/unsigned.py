"""Unsigned integers of 16, 32 and 64 bits, which the engine holds in signed ones.

SPDX-License-Identifier: Apache-2.0

uint16 lies in int32 and uint32 in int64, with the same value: what may leave the range of the type
is cut to its low bits. uint64 lies in int64 with the same bits, so that sums and products are right
by themselves; what depends on the order of numbers is computed with the highest bit flipped.
Tensor.unsigned has the type.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mace_tools.convert.importers.exact import plain_ops
from mace_tools.convert.importers.node_maker import NodeMaker
from mace_tools.graph.ir import dtype_name
from mace_tools.support.errors import Unsupported

HELD_AS = {kind: dtype_name(kind) for kind in ("uint16", "uint32", "uint64")}
_MASKS = {"uint16": 0xFFFF, "uint32": 0xFFFFFFFF}
_HIGHEST = -(1 << 63)  # as int64

# The attribute that decides what an op computes, and the operands that are its numbers, where they
# are more than the first.
_VARIANT = {"Eltwise": "type", "Bitwise": "type", "Compare": "type", "Unary": "type",
            "Reduce": "reduce_type", "ScatterElements": "reduction", "ScatterNd": "reduction",
            "Resize": "mode"}
_NUMBERS = {"Select": slice(1, 3), "ScatterElements": slice(0, None, 2),
            "ScatterNd": slice(0, None, 2), "Pad": slice(0, 1),
            **dict.fromkeys(("Eltwise", "Bitwise", "Compare", "Concat", "Stack", "Clip", "Range",
                             "MatMul"), slice(None))}
# Ops that only move numbers, or choose among them.
_MOVES = {"Identity", "Reshape", "Transpose", "Squeeze", "ExpandDims", "Flatten", "Concat", "Stack",
          "Unstack", "Split", "Slice", "StridedSlice", "Gather", "GatherElements", "GatherNd",
          "Tile", "Expand", "Pad", "Reverse", "ReverseSequence", "BatchToSpaceNd",
          "SpaceToBatchNd", "DepthToSpace", "SpaceToDepth", "ChannelShuffle", "Select",
          "Resize:NEAREST"}
_SCATTERS = ("ScatterElements", "ScatterNd")
# Their results do not leave the range of the operands.
_STAYS = {*_MOVES, "TopK", "Clip", "Bitwise:AND", "Bitwise:OR", "Bitwise:SHIFT_RIGHT",
          "Unary:ABS", "Unary:SIGN", "Reduce:MAX", "Reduce:MIN", "Reduce:MEAN",
          *(f"Eltwise:{kind}" for kind in ("MIN", "MAX", "DIV", "FLOOR_DIV", "MOD", "FMOD")),
          *(f"{op}:{kind}" for op in _SCATTERS for kind in ("NONE", "MIN", "MAX"))}
# Their low bits depend on those of the operands alone.
_WRAPS = {"Bitwise:XOR", "Bitwise:SHIFT_LEFT", "Unary:NEG", "Unary:SQUARE", "Cumsum", "Range",
          "MatMul", *(f"Eltwise:{kind}" for kind in ("SUM", "SUB", "PROD", "POW", "SQR_DIFF")),
          *(f"Reduce:{kind}" for kind in ("SUM", "PROD", "L1", "SUM_SQUARE")),
          *(f"{op}:{kind}" for op in _SCATTERS for kind in ("SUM", "PROD"))}
# Their results have a type of their own.
_OTHERS = {"Cast", "ArgMax", "NonZero", "Shape", "Unique",
           *(f"Compare:{kind}" for kind in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER",
                                            "GREATER_EQUAL"))}
# Operators of sources whose int64 results are no numbers of their operands.
_PLACES = {"Shape", "Size", "Rank", "ArgMax", "ArgMin", "ARG_MAX", "ARG_MIN", "NonZero", "Where",
           "OneHot", "Cast", "BitCast"}


def kind_of(b: NodeMaker, name: str) -> str:
    """The unsigned type whose numbers a tensor holds; "" for any other tensor."""
    return b.graph.tensors[name].unsigned if name else ""


def ops(b: NodeMaker, op: str, inputs: Sequence[str], outputs: int, attrs: dict[str, Any]
        ) -> list[str]:
    """Adds a node, and what it takes where its operands are unsigned.

    Errors: Unsupported for an op that is not computed of unsigned numbers."""
    numbers = inputs[_NUMBERS.get(op, slice(0, 1))]
    kind = next((k for k in (kind_of(b, x) for x in numbers) if k), "")
    if not kind or op in ("If", "Loop"):
        return plain_ops(b, op, inputs, outputs, attrs)
    key = f"{op}:{attrs.get(_VARIANT[op], 'NONE')}" if op in _VARIANT else op
    if key not in _STAYS | _WRAPS | _OTHERS or key == "Reduce:MEAN" and kind == "uint64":
        raise Unsupported(f"{key.replace(':', ' ')} of {kind} numbers",
                          "cast them to int64 or float32 in the source model")
    special = _UINT64.get(key) if kind == "uint64" else None
    if special is not None:
        made = special(b, op, list(inputs), outputs, attrs)
    else:
        made = plain_ops(b, op, inputs, outputs, attrs)
    if key in _WRAPS:
        made = [cut(b, y, kind) for y in made]
    if key not in _OTHERS:
        for y in made if key in ("Split", "Unstack") else made[:1]:
            b.graph.tensors[y].unsigned = kind
    return made


def cut(b: NodeMaker, y: str, kind: str) -> str:
    """The low bits of y, as many as the type has."""
    mask = _MASKS.get(kind)
    return y if mask is None else _bits(b, "AND", y, _const(b, mask, b.dtype(y)))


def declared(b: NodeMaker, op: str, source: str, operands: Sequence[str], result: str) -> str:
    """A result of a source's operator as the type that the source states for it."""
    t, maker = b.graph.tensors[result], b.graph.producer(result)
    kind, known = b.model.retyped.get(source, ""), b.model.info.get(source)
    if op == "CastLike":
        kind = kind_of(b, operands[1])
    elif not kind and op not in _PLACES and (known is None or known.dtype != t.dtype):
        kind = next((k for k in (kind_of(b, x) for x in operands) if k), "")
    if kind not in HELD_AS or t.unsigned == kind or t.dtype != HELD_AS[kind] or (
            maker is not None and maker.is_custom) or op in _PLACES - {"Cast"}:
        return result
    if kind == "uint64" and maker is not None and maker.op == "Cast" and \
            b.dtype(maker.inputs[0]) == "f32":
        result = _from_float(b, maker.inputs[0], result)
    result = cut(b, result, kind)
    b.graph.tensors[result].unsigned = kind
    return result


# --- uint64, in nodes on int64 ---

def _node(b: NodeMaker, op: str, *inputs: str, **attrs: Any) -> str:
    return plain_ops(b, op, inputs, 1, attrs)[0]


def _const(b: NodeMaker, value: int, dtype: str = "i64") -> str:
    return b.add_const(np.array(value), dtype)


def _bits(b: NodeMaker, kind: str, x: str, y: str) -> str:
    return _node(b, "Bitwise", x, y, type=kind)


def _arithmetic(b: NodeMaker, kind: str, x: str, y: str) -> str:
    return _node(b, "Eltwise", x, y, type=kind)


def _flipped(b: NodeMaker, x: str) -> str:
    return _bits(b, "XOR", x, _const(b, _HIGHEST)) if x else x


def _ordered(b: NodeMaker, op: str, inputs: list[str], outputs: int, attrs: dict[str, Any]
             ) -> list[str]:
    """By the order of the numbers"""
    where = _NUMBERS.get(op, slice(0, 1))
    inputs[where] = [_flipped(b, x) for x in inputs[where]]
    made = plain_ops(b, op, inputs, outputs, attrs)
    return made if op in ("Compare", "ArgMax", "Unique") else [_flipped(b, made[0]), *made[1:]]


def _clipped(b: NodeMaker, op: str, inputs: list[str], outputs: int, attrs: dict[str, Any]
             ) -> list[str]:
    given = ["" if attrs.get(name) is None else _const(b, int(attrs[name]))
             for name in ("min", "max")]
    return _ordered(b, op, inputs if len(inputs) > 1 else [inputs[0], *given], outputs, {})


def _halved(b: NodeMaker, x: str) -> str:
    return _bits(b, "AND", _bits(b, "SHIFT_RIGHT", x, _const(b, 1)), _const(b, ~_HIGHEST))


def _shifted(b: NodeMaker, op: str, inputs: list[str], outputs: int, attrs: dict[str, Any]
             ) -> list[str]:
    """To the right, without a sign: half of the number first"""
    x, by = inputs
    less = _arithmetic(b, "SUB", by, _const(b, 1))
    none = _node(b, "Compare", by, _const(b, 0), type="EQUAL")
    return [_node(b, "Select", none, x, _bits(b, "SHIFT_RIGHT", _halved(b, x), less))]


def _quotient(b: NodeMaker, op: str, inputs: list[str], outputs: int, attrs: dict[str, Any]
              ) -> list[str]:
    """Twice the quotient of half the number, or one more; 0 or 1 for large divisors.

    Source: Warren, Hacker's Delight, 2nd edition, 9-3."""
    x, y = inputs
    q = _bits(b, "SHIFT_LEFT", _arithmetic(b, "DIV", _halved(b, x), y), _const(b, 1))
    rest = _arithmetic(b, "SUB", x, _arithmetic(b, "PROD", q, y))
    q = _arithmetic(b, "SUM", q, _not_below(b, rest, y))
    large = _node(b, "Compare", y, _const(b, 0), type="LESS")
    q = _node(b, "Select", large, _not_below(b, x, y), q)
    zero = _const(b, 0)  # as the engine divides by 0
    return [_node(b, "Select", _node(b, "Compare", y, zero, type="EQUAL"), zero, q)]


def _not_below(b: NodeMaker, x: str, y: str) -> str:
    """1 where x >= y, else 0."""
    return _node(b, "Cast", _node(b, "Compare", _flipped(b, x), _flipped(b, y),
                                  type="GREATER_EQUAL"), to="i64")


def _remainder(b: NodeMaker, op: str, inputs: list[str], outputs: int, attrs: dict[str, Any]
               ) -> list[str]:
    x, y = inputs
    q = _quotient(b, op, [x, y], 1, {})[0]
    rest = _arithmetic(b, "SUB", x, _arithmetic(b, "PROD", q, y))
    zero = _const(b, 0)
    return [_node(b, "Select", _node(b, "Compare", y, zero, type="EQUAL"), zero, rest)]


def _sign(b: NodeMaker, op: str, inputs: list[str], outputs: int, attrs: dict[str, Any]
          ) -> list[str]:
    some = _node(b, "Compare", inputs[0], _const(b, 0), type="NOT_EQUAL")
    return [_node(b, "Cast", some, to="i64")]


def _cast(b: NodeMaker, op: str, inputs: list[str], outputs: int, attrs: dict[str, Any]
          ) -> list[str]:
    """To floats: large numbers by half, with a bit for those that the half does not have"""
    x, to = inputs[0], attrs["to"]
    plain = _node(b, "Cast", x, to=to)
    if to not in ("f32", "f16", "bf16"):
        return [plain]
    half = _bits(b, "OR", _halved(b, x), _bits(b, "AND", x, _const(b, 1)))
    twice = _arithmetic(b, "PROD", _node(b, "Cast", half, to="f32"), b.add_const(np.float32(2)))
    twice = twice if to == "f32" else _node(b, "Cast", twice, to=to)
    large = _node(b, "Compare", x, _const(b, 0), type="LESS")
    return [_node(b, "Select", large, twice, plain)]


def _from_float(b: NodeMaker, x: str, plain: str) -> str:
    """Numbers from 2^63 on, which int64 does not hold."""
    limit = b.add_const(np.float32(-_HIGHEST))
    large = _node(b, "Compare", x, limit, type="GREATER_EQUAL")
    rest = _node(b, "Cast", _arithmetic(b, "SUB", x, limit), to="i64")
    return _node(b, "Select", large, _flipped(b, rest), plain)


def _identity(b: NodeMaker, op: str, inputs: list[str], outputs: int, attrs: dict[str, Any]
              ) -> list[str]:
    return [_node(b, "Identity", inputs[0])]


def _sum(b: NodeMaker, op: str, inputs: list[str], outputs: int, attrs: dict[str, Any]
         ) -> list[str]:
    return plain_ops(b, op, inputs, outputs, {**attrs, "reduce_type": "SUM"})


_UINT64: dict[str, Callable[[NodeMaker, str, list[str], int, dict[str, Any]], list[str]]] = {
    **dict.fromkeys((f"Compare:{kind}" for kind in ("LESS", "LESS_EQUAL", "GREATER",
                                                    "GREATER_EQUAL")), _ordered),
    **dict.fromkeys(("ArgMax", "TopK", "Unique"), _ordered),
    **dict.fromkeys((f"{op}:{kind}" for op in ("Eltwise", "Reduce", *_SCATTERS)
                     for kind in ("MIN", "MAX")), _ordered),
    "Clip": _clipped, "Bitwise:SHIFT_RIGHT": _shifted, "Cast": _cast, "Reduce:L1": _sum,
    "Eltwise:DIV": _quotient, "Eltwise:FLOOR_DIV": _quotient, "Eltwise:MOD": _remainder,
    "Eltwise:FMOD": _remainder, "Unary:ABS": _identity, "Unary:SIGN": _sign,
}
