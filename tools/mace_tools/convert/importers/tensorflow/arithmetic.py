"""Element by element, activations and products.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.integer_products import product
from mace_tools.convert.importers.operands import fixed_int, reshape, scalar
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tf_shared import typed

_ELTWISE = {
    "Add": "SUM", "AddV2": "SUM", "Sub": "SUB", "Mul": "PROD", "Div": "DIV", "RealDiv": "DIV",
    "Maximum": "MAX", "Minimum": "MIN", "Pow": "POW", "SquaredDifference": "SQR_DIFF",
    "FloorDiv": "FLOOR_DIV", "FloorMod": "MOD", "Mod": "FMOD", "TruncateMod": "FMOD",
}
_COMPARE = {
    "Equal": "EQUAL", "NotEqual": "NOT_EQUAL", "Less": "LESS", "LessEqual": "LESS_EQUAL",
    "Greater": "GREATER", "GreaterEqual": "GREATER_EQUAL",
}
_LOGICAL = {"LogicalAnd": "AND", "LogicalOr": "OR", "LogicalNot": "NOT"}
_UNARY = {
    "Abs": "ABS", "Neg": "NEG", "Exp": "EXP", "Log": "LOG", "Sqrt": "SQRT", "Rsqrt": "RSQRT",
    "Square": "SQUARE", "Reciprocal": "RECIPROCAL", "Inv": "RECIPROCAL", "Floor": "FLOOR",
    "Ceil": "CEIL", "Round": "ROUND", "Rint": "ROUND", "Sign": "SIGN", "Sin": "SIN", "Cos": "COS",
    "Tan": "TAN", "Asin": "ASIN", "Acos": "ACOS", "Atan": "ATAN", "Sinh": "SINH", "Cosh": "COSH",
    "Asinh": "ASINH", "Acosh": "ACOSH", "Atanh": "ATANH", "Erf": "ERF", "IsNan": "IS_NAN",
    "IsInf": "IS_INF",
}
_ACTIVATION = {
    "Relu": "RELU", "Tanh": "TANH", "Sigmoid": "SIGMOID", "Elu": "ELU", "Selu": "SELU",
    "Softplus": "SOFTPLUS", "Softsign": "SOFTSIGN",
}

registry.op(*_ELTWISE)(typed("Eltwise", _ELTWISE, 2))
registry.op(*_COMPARE)(typed("Compare", _COMPARE, 2))
registry.op(*_LOGICAL)(typed("Logical", _LOGICAL, 2))
registry.op(*_UNARY)(typed("Unary", _UNARY, 1))


@registry.op("Log1p")
def log1p(b: Builder, n: SourceNode) -> str:
    x = n.inputs[0]
    return b.op("Unary", b.op("Eltwise", x, scalar(b, 1, x), type="SUM"), type="LOG")


@registry.op("Expm1")
def expm1(b: Builder, n: SourceNode) -> str:
    x = n.inputs[0]
    return b.op("Eltwise", b.op("Unary", x, type="EXP"), scalar(b, 1, x), type="SUB")


@registry.op(*_ACTIVATION)
def activation(b: Builder, n: SourceNode) -> str:
    return b.op("Activation", n.inputs[0], activation=_ACTIVATION[n.op],
                activation_coefficient=1.0 if n.op == "Elu" else None)


@registry.op("Relu6")
def relu6(b: Builder, n: SourceNode) -> str:
    return b.op("Activation", n.inputs[0], activation="RELUX", max_limit=6.0)


@registry.op("LeakyRelu")
def leaky_relu(b: Builder, n: SourceNode) -> str:
    return b.op("Activation", n.inputs[0], activation="LEAKYRELU",
                activation_coefficient=n.attr("alpha", 0.2))


@registry.op("ClipByValue")
def clip_by_value(b: Builder, n: SourceNode) -> str:
    x, low, high = n.inputs[:3]
    return b.op("Eltwise", b.op("Eltwise", x, high, type="MIN"), low, type="MAX")


@registry.op("Softmax", "LogSoftmax")
def softmax(b: Builder, n: SourceNode) -> str:
    return b.op("Softmax", n.inputs[0], axis=-1, use_log=1 if n.op == "LogSoftmax" else None)


@registry.op("MatMul")
def matmul(b: Builder, n: SourceNode) -> str:
    if n.attr("a_is_sparse") or n.attr("b_is_sparse"):
        raise Unsupported("an operand is sparse", "use dense operands")
    return b.op("MatMul", *n.inputs[:2], transpose_a=n.attr("transpose_a", False),
                transpose_b=n.attr("transpose_b", False))


@registry.op("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def batch_matmul(b: Builder, n: SourceNode) -> str:
    """Of integers of 8 bits with a result of 32: exact, by floats"""
    operands, result = n.inputs[:2], n.attr("Tout")
    turned = [n.attr("adj_x", False), n.attr("adj_y", False)]
    if result is None or result.engine == b.dtype(operands[0]):
        return b.op("MatMul", *operands, transpose_a=turned[0], transpose_b=turned[1])
    kinds = [b.dtype(x) for x in operands]
    if result.engine != "i32" or not set(kinds) <= {"i8", "u8"}:
        raise Unsupported(f"a result of type {result.name}", "cast it afterwards")
    x, w = (_turned(b, b.op("Cast", x, to="f32")) if turn else b.op("Cast", x, to="f32")
            for x, turn in zip(operands, turned))
    y = product(b, x, w)
    return y if b.dtype(y) == "i32" else b.op("Cast", y, to="i32")


def _turned(b: Builder, x: str) -> str:
    rank = b.rank(x)
    return b.transpose(x, [*range(rank - 2), rank - 1, rank - 2])


@registry.op("L2Loss")
def l2_loss(b: Builder, n: SourceNode) -> str:
    x = n.inputs[0]
    total = b.op("Reduce", x, reduce_type="SUM_SQUARE", axis=[])
    return b.op("Eltwise", total, scalar(b, 0.5, x), type="PROD")


@registry.op("ArgMax", "ArgMin")
def arg_max(b: Builder, n: SourceNode) -> str:
    kind = n.attr("output_type")
    return b.op("ArgMax", n.inputs[0], axis=fixed_int(b, n.inputs[1], "axis"), keepdims=0,
                argmin=n.op == "ArgMin", output_type=kind.engine if kind else "i64")


@registry.op("Cast")
def cast(b: Builder, n: SourceNode) -> str:
    to = n.attr("DstT")
    n.only("Truncate", False, "export the cast with rounding")
    if to is None or to.engine is None:
        raise Unsupported(f"to {to.name if to else 'another type'}", "cast to a number type")
    return b.op("Cast", n.inputs[0], to=to.engine)


@registry.op("Select", "SelectV2")
def select(b: Builder, n: SourceNode) -> str:
    cond, x, y = n.inputs[:3]
    if n.op == "Select" and b.rank(cond) == 1 and b.rank(x) > 1:
        cond = reshape(b, cond, [-1] + [1] * (b.rank(x) - 1))  # picks rows
    return b.op("Select", cond, x, y)
