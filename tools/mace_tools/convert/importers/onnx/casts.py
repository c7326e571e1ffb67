"""Cast and CastLike. Numbers of types that the engine lacks lie in wider ones, rounded as there.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers import narrow_types
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.tensors import NUMBERS, held_as, type_name
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.unsigned import kind_of
from mace_tools.graph.ir import NUMPY, dtype_name

_UPPER_HALF = -1 << 16  # of the bits of a float32: those of a bfloat16


@registry.op("Cast")
def cast(b: Builder, n: SourceNode) -> str:
    return _cast(b, n, type_name(n.attr("to")))


@registry.op("CastLike")
def cast_like(b: Builder, n: SourceNode) -> str:
    like = n.inputs[1]
    stored = "bfloat16" if b.graph.tensors[like].stored == "bf16" else ""
    own = np.dtype(NUMPY[b.dtype(like)]).name
    return _cast(b, n, kind_of(b, like) or b.source_type(1) or stored or own)


def _cast(b: Builder, n: SourceNode, kind: str) -> str:
    """To an element type of ONNX, by its name."""
    x, saturates = n.inputs[0], n.flag("saturate", 1)
    n.attr("round_mode")  # of float8e8m0 only
    held = held_as(NUMBERS.get(kind, 0))
    if held is None or kind == "float8e8m0":
        raise Unsupported(f"cast to {kind}, which the engine does not have")
    if kind == "bfloat16" or kind in narrow_types.TYPES:
        b.model.retyped[n.outputs[0]] = kind
    if kind in narrow_types.INTEGERS:
        return _integer(b, x, narrow_types.INTEGERS[kind])
    if kind != "bfloat16" and kind not in narrow_types.FLOATS:
        return b.op("Cast", x, to=dtype_name(held))
    floats = x if b.dtype(x) == "f32" else b.op("Cast", x, to="f32")
    return _bfloat16(b, floats) if kind == "bfloat16" else rounded(b, floats, kind, bool(saturates))


def _integer(b: Builder, x: str, form: narrow_types.Integer) -> str:
    """The low bits, as for wider integers."""
    y = _bits(b, "AND", b.op("Cast", x, to="i32"), (1 << form.bits) - 1)
    if form.held is np.int8:
        sign = 1 << (form.bits - 1)
        y = b.op("Eltwise", _bits(b, "XOR", y, sign), b.add_const(np.array(sign), "i32"),
                 type="SUB")
    return b.op("Cast", y, to=dtype_name(form.held))


def _bits(b: Builder, kind: str, x: str, value: int) -> str:
    return b.op("Bitwise", x, b.add_const(np.array(value), "i32"), type=kind)


def _bfloat16(b: Builder, x: str) -> str:
    """The nearest, halves to even: one more in the upper half of the bits, or not."""
    bits = b.op("Bitcast", x, to="i32")
    odd = _bits(b, "AND", _bits(b, "SHIFT_RIGHT", bits, 16), 1)
    more = b.op("Eltwise", odd, b.add_const(np.array(0x7FFF), "i32"), type="SUM")
    near = _bits(b, "AND", b.op("Eltwise", bits, more, type="SUM"), _UPPER_HALF)
    return b.op("Select", b.op("Unary", x, type="IS_NAN"), x, b.op("Bitcast", near, to="f32"))


def rounded(b: Builder, x: str, kind: str, saturates: bool) -> str:
    """The nearest multiple, halves to even, of the distance between numbers of this size."""
    form = narrow_types.FLOATS[kind]
    known = narrow_types.numbers(kind, np.arange(1 << form.bits).astype(np.uint8))
    most = float(known[np.isfinite(known)].max())
    inside = b.op("Clip", x, min=-2 * most, max=2 * most)  # infinity has no distance
    power = b.op("Bitcast", _bits(b, "AND", b.op("Bitcast", inside, to="i32"), 0xFF << 23),
                 to="f32")
    power = b.op("Eltwise", power, _float(b, 2.0 ** (1 - form.bias)), type="MAX")
    step = b.op("Eltwise", power, _float(b, 2.0**-form.fraction), type="PROD")
    count = b.op("Unary", b.op("Eltwise", inside, step, type="DIV"), type="ROUND")
    y = b.op("Eltwise", count, step, type="PROD")
    if saturates or not form.special:
        y = b.op("Clip", y, min=-most, max=most)
    else:
        for sign, beyond in ((1, "GREATER"), (-1, "LESS")):
            out = b.op("Compare", y, _float(b, sign * most), type=beyond)
            value = sign * np.inf if form.special == "ieee" else np.nan
            y = b.op("Select", out, _float(b, value), y)
    odd = x if form.special else _float(b, 0)  # a type without NaN has 0 in its place
    return b.op("Select", b.op("Unary", x, type="IS_NAN"), odd, y)


def _float(b: Builder, value: float) -> str:
    return b.add_const(np.float32(value), "f32")
