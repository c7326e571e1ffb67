"""The bits of numbers as numbers of another type of the same size.

SPDX-License-Identifier: Apache-2.0

Types that the engine lacks lie in wider ones (uint16, uint32, bfloat16) or in a narrower one
(float64), so that their bits take some arithmetic.
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.exact import plain_ops
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.tensors import BFLOAT16, ELEMENT
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.unsigned import HELD_AS, kind_of
from mace_tools.graph.ir import NUMPY, dtype_name

_BYTES = {"bfloat16": 2, "float64": 8, **{kind: np.dtype(kind).itemsize for kind in HELD_AS},
          **{kind: np.dtype(t).itemsize for kind, t in NUMPY.items()}}
_SIGNED = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}
_MASKS = {"uint16": 0xFFFF, "uint32": 0xFFFFFFFF}
_MORE = 1023 - 127  # what the exponents of float64 have more than those of float32


@registry.op("BitCast")
def bit_cast(b: Builder, n: SourceNode) -> str:
    """Between types of the same size; float64 is a float32 in the engine, and so are its bits"""
    x, number = n.inputs[0], n.attr("to")
    own, to = kind_of(b, x) or b.source_type(0) or b.dtype(x), _kind(number)
    if own not in _BYTES or to not in _BYTES or _BYTES[own] != _BYTES[to]:
        raise Unsupported(f"the bits of {own} as {to or f'ONNX element type {number}'}",
                          "use two types of the same size")
    if "bool" in (own, to):
        if {own, to} <= {"bool", "u8"}:  # true is 1
            return b.op("Cast", x, to=to)
        raise Unsupported("the bits of truth values", "cast them")
    if own == "float64":
        b.graph.notes.append(f"BitCast '{n.name}' takes the bits that float64 numbers have after "
                             "they were rounded to float32")
    return _of_bits(b, _bits(b, x, own), to)


def _kind(number: int) -> str:
    """ONNX's element type by its own name if the engine lacks it, else by the engine's."""
    if number == BFLOAT16 or number not in ELEMENT:
        return "bfloat16" if number == BFLOAT16 else ""
    name = np.dtype(ELEMENT[number]).name
    return name if name in _BYTES else dtype_name(ELEMENT[number])


def _bits(b: Builder, x: str, kind: str) -> str:
    """As signed integers of the same size."""
    if kind == "float64":
        return _bits_of_double(b, x)
    if kind == "bfloat16":
        return b.op("Cast", _shift(b, "RIGHT", b.op("Bitcast", x, to="i32"), 16), to="i16")
    signed = _SIGNED[_BYTES[kind]]
    if kind in HELD_AS:
        same = b.dtype(x) == signed
        return plain_ops(b, *(("Identity", [x], 1, {}) if same else
                              ("Cast", [x], 1, {"to": signed})))[0]
    return x if kind == signed else b.op("Bitcast", x, to=signed)


def _of_bits(b: Builder, y: str, kind: str) -> str:
    """Numbers of a type, of signed integers of the same size."""
    if kind == "float64":
        return _double(b, y)
    if kind == "bfloat16":
        return b.op("Bitcast", _shift(b, "LEFT", b.op("Cast", y, to="i32"), 16), to="f32")
    if kind not in HELD_AS:
        return b.op("Identity", y) if kind == b.dtype(y) else b.op("Bitcast", y, to=kind)
    if kind in _MASKS:
        y = _and(b, b.op("Cast", y, to=HELD_AS[kind]), _MASKS[kind])
    else:
        y = b.op("Identity", y)
    b.graph.tensors[y].unsigned = kind
    return y


def _const(b: Builder, value: int, like: str) -> str:
    return b.add_const(np.array(value), b.dtype(like))


def _and(b: Builder, x: str, mask: int) -> str:
    return b.op("Bitwise", x, _const(b, mask, x), type="AND")


def _shift(b: Builder, direction: str, x: str, by: int) -> str:
    return b.op("Bitwise", x, _const(b, by, x), type=f"SHIFT_{direction}")


def _sum(b: Builder, x: str, y: str) -> str:
    return b.op("Eltwise", x, y, type="SUM")


def _chosen(b: Builder, x: str, kind: str, limit: int, then: str, other: str) -> str:
    return b.op("Select", b.op("Compare", x, _const(b, limit, x), type=kind), then, other)


def _bits_of_double(b: Builder, x: str) -> str:
    """Of the same number as a float64. Denormal numbers are 0, as everywhere in the engine."""
    bits = b.op("Cast", b.op("Bitcast", x, to="i32"), to="i64")
    size = _and(b, bits, (1 << 31) - 1)
    wide = _shift(b, "LEFT", size, 29)
    moved = _sum(b, wide, _const(b, _MORE << 52, wide))
    odd = _sum(b, wide, _const(b, 2 * _MORE << 52, wide))  # infinity and NaN
    moved = _chosen(b, size, "LESS", 255 << 23, moved, odd)
    moved = _chosen(b, size, "LESS", 1 << 23, _const(b, 0, moved), moved)
    return b.op("Bitwise", moved, _and(b, bits, -(1 << 63)), type="OR")


def _double(b: Builder, bits: str) -> str:
    """The float32 nearest to a float64 that is given by its bits."""
    size = _and(b, bits, (1 << 63) - 1)
    is_odd = _and(b, _shift(b, "RIGHT", size, 29), 1)
    near = _sum(b, _sum(b, size, _const(b, (1 << 28) - 1, size)), is_odd)
    near = _sum(b, _shift(b, "RIGHT", near, 29), _const(b, -_MORE << 23, size))
    near = _chosen(b, near, "LESS", 1 << 23, _const(b, 0, near), near)
    near = _chosen(b, near, "GREATER", 255 << 23, _const(b, 255 << 23, near), near)
    near = _chosen(b, size, "GREATER", 2047 << 52, _const(b, (255 << 23) + 1, near), near)
    sign = _and(b, _shift(b, "RIGHT", bits, 32), -(1 << 31))
    whole = b.op("Bitwise", near, sign, type="OR")
    return b.op("Bitcast", b.op("Cast", whole, to="i32"), to="f32")
