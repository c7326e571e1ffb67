"""Arithmetic, comparisons and logic, element by element.

SPDX-License-Identifier: Apache-2.0
"""

from functools import reduce

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.frames import takes_sequences
from mace_tools.convert.importers.narrow_integers import eltwise
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.unsigned import kind_of

_BINARY = {"Add": "SUM", "Sub": "SUB", "Mul": "PROD", "Div": "DIV"}
_COMPARE = {"Equal": "EQUAL", "Less": "LESS", "LessOrEqual": "LESS_EQUAL", "Greater": "GREATER",
            "GreaterOrEqual": "GREATER_EQUAL"}
_UNARY = {"Abs": "ABS", "Neg": "NEG", "Exp": "EXP", "Log": "LOG", "Sqrt": "SQRT",
          "Reciprocal": "RECIPROCAL", "Floor": "FLOOR", "Ceil": "CEIL", "Round": "ROUND",
          "Sign": "SIGN", "Sin": "SIN", "Cos": "COS", "Tan": "TAN", "Asin": "ASIN",
          "Acos": "ACOS", "Atan": "ATAN", "Sinh": "SINH", "Cosh": "COSH", "Asinh": "ASINH",
          "Acosh": "ACOSH", "Atanh": "ATANH", "Erf": "ERF", "IsNaN": "IS_NAN"}


@registry.op(*_BINARY)
def binary(b: Builder, n: SourceNode) -> str:
    return eltwise(b, _BINARY[n.op], *operands(b, n))


def operands(b: Builder, n: SourceNode) -> tuple[str, str]:
    """Two operands, the second one with the axes that nodes before opset 7 give it."""
    x, y = n.inputs
    broadcast, axis = n.flag("broadcast", 0), n.attr("axis")
    if broadcast and axis is not None:
        missing = b.rank(x) - axis % b.rank(x) - b.rank(y)
        y = b.op("ExpandDims", y, axis=[b.rank(y) + k for k in range(missing)])
    return x, y


@registry.op(*_COMPARE)
def compare(b: Builder, n: SourceNode) -> str:
    return b.op("Compare", *operands(b, n), type=_COMPARE[n.op])


@registry.op(*_UNARY)
def unary(b: Builder, n: SourceNode) -> str:
    return b.op("Unary", n.inputs[0], type=_UNARY[n.op])


@registry.op("IsInf")
def is_inf(b: Builder, n: SourceNode) -> str:
    x, below, above = n.inputs[0], n.flag("detect_negative", 1), n.flag("detect_positive", 1)
    if below == above:
        found = b.op("Unary", x, type="IS_INF")
        never = b.add_const(np.array(False))
        return found if below else b.op("Logical", found, never, type="AND")
    limit = b.add_const(np.array(np.inf if above else -np.inf), b.dtype(x))
    return b.op("Compare", x, limit, type="EQUAL")


@registry.op("Min", "Max", "Sum")
def variadic(b: Builder, n: SourceNode) -> str:
    kind = n.op.upper()
    if len(n.inputs) == 1:
        return b.op("Identity", n.inputs[0])
    return reduce(lambda x, y: eltwise(b, kind, x, y), n.inputs)


@registry.op("Mean")
def mean(b: Builder, n: SourceNode) -> str:
    total = variadic(b, SourceNode(n.name, "Sum", n.inputs, n.outputs))
    count = b.add_const(np.float32(len(n.inputs)), name="count")
    return total if len(n.inputs) == 1 else b.op("Eltwise", total, count, type="DIV")


@registry.op("Pow")
def power(b: Builder, n: SourceNode) -> str:
    x, y = operands(b, n)
    kind, other = b.dtype(x), b.dtype(y)
    if kind == other:
        return b.op("Eltwise", x, y, type="POW")
    if kind in ("f32", "f16"):
        return b.op("Eltwise", x, b.op("Cast", y, to=kind), type="POW")
    if other in ("f32", "f16"):
        floats = b.op("Eltwise", b.op("Cast", x, to=other), y, type="POW")
        return b.op("Cast", floats, to=kind)
    return b.op("Eltwise", x, b.op("Cast", y, to=kind), type="POW")


@registry.op("Mod")
def mod(b: Builder, n: SourceNode) -> str:
    return eltwise(b, "FMOD" if n.flag("fmod", 0) else "MOD", *n.inputs)


@registry.op("And", "Or", "Xor", "Not")
def logical(b: Builder, n: SourceNode) -> str:
    names = n.inputs if n.op == "Not" else operands(b, n)
    return b.op("Logical", *names, type=n.op.upper())


@registry.op("Where")
def where(b: Builder, n: SourceNode) -> str:
    return b.op("Select", *n.inputs)


@registry.op("Clip")
def clip(b: Builder, n: SourceNode) -> str:
    bounds: dict[str, float | int] = {}
    for k, name in ((1, "min"), (2, "max")):
        given = n.inputs[k] if len(n.inputs) > k else ""
        if given and (b.const(given) is None or kind_of(b, given) == "uint64"):
            return b.op("Clip", *n.inputs)
        value = b.const(given).item() if given else n.attr(name)
        if value is not None:
            bounds[name] = value
    return b.op("Clip", n.inputs[0], **bounds)


@registry.op("Identity")
@takes_sequences
def identity(b: Builder, n: SourceNode) -> str:
    return n.inputs[0] if n.inputs[0] in b.sequences else b.op("Identity", n.inputs[0])


@registry.op("Dropout")
def dropout(b: Builder, n: SourceNode) -> list[str]:
    n.only("is_test", 1, "export for inference")
    ratio, training = (b.const(n.inputs[k]) if len(n.inputs) > k else None for k in (1, 2))
    if len(n.inputs) > 2 and n.inputs[2] and training is None:
        raise Unsupported("Dropout whose training_mode is computed", "export for inference")
    if training is not None and training.item() and (ratio is None or ratio.item() != 0):
        raise Unsupported("Dropout in training mode is random", "export for inference")
    x = n.inputs[0]
    if len(n.outputs) < 2:
        return [b.op("Identity", x)]
    mask = b.op("Fill", b.op("Shape", x, output_type="i32"), value=1.0, dtype="bool")
    return [b.op("Identity", x), mask]
