"""Element by element, and products.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_int, scalar, select_rows
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tf_shared import typed
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.activations import fused
from mace_tools.convert.importers.tflite.flat import TENSOR_TYPES

_ELTWISE = {
    "ADD": "SUM", "SUB": "SUB", "MUL": "PROD", "DIV": "DIV", "MAXIMUM": "MAX", "MINIMUM": "MIN",
    "POW": "POW", "SQUARED_DIFFERENCE": "SQR_DIFF", "FLOOR_DIV": "FLOOR_DIV", "FLOOR_MOD": "MOD",
}
_COMPARE = {
    "EQUAL": "EQUAL", "NOT_EQUAL": "NOT_EQUAL", "LESS": "LESS", "LESS_EQUAL": "LESS_EQUAL",
    "GREATER": "GREATER", "GREATER_EQUAL": "GREATER_EQUAL",
}
_LOGICAL = {"LOGICAL_AND": "AND", "LOGICAL_OR": "OR", "LOGICAL_NOT": "NOT"}
_UNARY = {
    "ABS": "ABS", "NEG": "NEG", "EXP": "EXP", "LOG": "LOG", "SQRT": "SQRT", "RSQRT": "RSQRT",
    "SQUARE": "SQUARE", "FLOOR": "FLOOR", "CEIL": "CEIL", "ROUND": "ROUND", "SIGN": "SIGN",
    "SIN": "SIN", "COS": "COS",
}

registry.op(*_COMPARE)(typed("Compare", _COMPARE, 2))
registry.op(*_LOGICAL)(typed("Logical", _LOGICAL, 2))
registry.op(*_UNARY)(typed("Unary", _UNARY, 1))


@registry.op(*_ELTWISE)
def eltwise(b: Builder, n: SourceNode) -> str:
    return fused(b, n, "Eltwise", *n.inputs[:2], type=_ELTWISE[n.op])


@registry.op("SOFTMAX")
def softmax(b: Builder, n: SourceNode) -> str:
    x, beta = n.inputs[0], n.attr("Beta", 1.0)
    if beta != 1.0:
        x = b.op("Eltwise", x, scalar(b, beta, x), type="PROD")
    return b.op("Softmax", x, axis=-1)


@registry.op("LOG_SOFTMAX")
def log_softmax(b: Builder, n: SourceNode) -> str:
    return b.op("Softmax", n.inputs[0], axis=-1, use_log=1)


@registry.op("BATCH_MATMUL")
def batch_matmul(b: Builder, n: SourceNode) -> str:
    return b.op("MatMul", *n.inputs[:2], transpose_a=n.attr("AdjX", False),
                transpose_b=n.attr("AdjY", False))


@registry.op("ARG_MAX", "ARG_MIN")
def arg_max(b: Builder, n: SourceNode) -> str:
    wide = TENSOR_TYPES[n.attr("OutputType", 0)] == "INT64"
    return b.op("ArgMax", n.inputs[0], axis=fixed_int(b, n.inputs[1], "axis"), keepdims=0,
                argmin=n.op == "ARG_MIN", output_type="i64" if wide else "i32")


@registry.op("CAST")
def cast(b: Builder, n: SourceNode) -> str:
    return b.op("Cast", n.inputs[0], to=b.model.info[n.outputs[0]].dtype)


@registry.op("QUANTIZE")
def quantize(b: Builder, n: SourceNode) -> str:
    return b.op("Quantize", n.inputs[0], to=b.model.info[n.outputs[0]].dtype)


@registry.op("DEQUANTIZE")
def dequantize(b: Builder, n: SourceNode) -> str:
    """Makes floats of float16 weights and of quantized values."""
    x = n.inputs[0]
    if b.quant(x) is not None:
        return b.op("Dequantize", x)
    if b.dtype(x) != "f16":
        raise Unsupported(f"of {b.dtype(x)}", "use the float model")
    data = b.const(x)
    if data is None:
        return b.op("Cast", x, to="f32")
    widened = b.add_const(data.astype(np.float32), name="widened")
    b.graph.tensors[widened].stored = "f16"
    return widened


@registry.op("SELECT", "SELECT_V2")
def select(b: Builder, n: SourceNode) -> str:
    cond, x, y = n.inputs[:3]
    if n.op == "SELECT":
        return select_rows(b, cond, x, y)
    return b.op("Select", cond, x, y)


@registry.op("ATAN2")
def atan2(b: Builder, n: SourceNode) -> str:
    """The angle of (x, y), from that of their magnitudes and from their signs, which zeros have,
    too."""
    y, x = n.inputs[:2]
    rise, run = (b.op("Unary", v, type="ABS") for v in (y, x))
    angle = b.op("Unary", b.op("Eltwise", rise, run, type="DIV"), type="ATAN")
    for at, other, value in ((rise, run, math.pi / 4), (rise, scalar(b, 0, y), 0.0)):
        angle = b.op("Select", b.op("Compare", at, other, type="EQUAL"), scalar(b, value, y), angle)
    left = b.op("Eltwise", scalar(b, math.pi, y), angle, type="SUB")
    angle = b.op("Select", _negative(b, x), left, angle)
    return b.op("Select", _negative(b, y), b.op("Unary", angle, type="NEG"), angle)


def _negative(b: Builder, x: str) -> str:
    """Whether x has a sign; the reciprocal of -0 is negative."""
    zero = scalar(b, 0, x)
    below = [b.op("Compare", v, zero, type="LESS")
             for v in (x, b.op("Unary", x, type="RECIPROCAL"))]
    return b.op("Logical", *below, type="OR")
