"""A small valid node of every ONNX operator that converts, for tests that vary it.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 18
RNG = np.random.default_rng(5)


def uniform(*shape: int) -> np.ndarray:
    return RNG.uniform(-1, 1, shape).astype(np.float32)


X, IMG = uniform(2, 3, 4), uniform(1, 4, 6, 6)
POSITIVE, TRUTH, WHOLE = np.abs(X) + 0.5, X > 0, np.arange(1, 25, dtype=np.int32).reshape(2, 3, 4)
CHANNELS = [np.abs(uniform(4)) + 0.5 for _ in range(4)]


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@dataclass
class Case:
    """The operand `fed` is an input, the others are constants; None: an absent operand."""

    operands: Sequence[np.ndarray | None]
    attrs: dict[str, Any] = field(default_factory=dict)
    outputs: int = 1
    opset: int = OPSET
    fed: int = 0

    @property
    def x(self) -> np.ndarray:
        """The operand that is an input."""
        return self.operands[self.fed]


HIDDEN, MASK = uniform(2, 3, 8), np.array([[1, 1, 0], [1, 1, 1]], np.int32)
QKV = (HIDDEN, uniform(2, 3, 8), uniform(2, 3, 8))
# The newest operator sets that the installed ONNX Runtime runs; the installed onnx knows none of
# them.
_NEW = {"opset": 23}


def quantized(*shape: int, kind: type = np.uint8) -> np.ndarray:
    """Quantized values of weights are small enough for sums of their products to saturate
    nowhere."""
    least = 0 if kind is np.uint8 else -64
    return RNG.integers(least, least + 128, shape).astype(kind)


def scale(*values: float) -> np.ndarray:
    return np.float32(values) if len(values) > 1 else np.float32(values[0])


def _quantized() -> dict[str, Case]:
    """Quantized operators; scales are such that results lie within the range of their quantized
    values."""
    x, w = quantized(1, 4, 6, 6), quantized(2, 4, 3, 3, kind=np.int8)
    zero, i8 = np.uint8(60), np.int8(0)
    rows, columns = quantized(3, 4), quantized(4, 5, kind=np.int8)
    unary = [x, scale(0.0213), zero, scale(0.0119), np.uint8(9)]
    ms = {
        "QuantizeLinear": Case([X, scale(0.01), np.uint8(99)]),
        "DequantizeLinear": Case([x, scale(0.02), zero]),
        **_many("QLinearAdd QLinearMul", x, scale(0.0213), zero, x[..., ::-1].copy(), scale(0.0307),
                zero, scale(0.0411), np.uint8(80)),
        **_many("QLinearGlobalAveragePool QLinearSigmoid QLinearLeakyRelu", *unary),
        "QLinearAveragePool": Case(unary, {"kernel_shape": [3, 3]}),
        "QLinearSoftmax": Case([quantized(2, 3, 4, 5), scale(0.03), zero, scale(1 / 256),
                                np.uint8(0)],
                               {"opset": 13}),
        "QLinearConcat": Case([np.float32(0.03), np.uint8(40), x, scale(0.02), zero, x[:, :2],
                               scale(0.05), np.uint8(1)], {"axis": 1}, fed=2),
        "QGemm": Case([rows, scale(0.02), zero, columns, scale(*[0.01] * 5), np.zeros(5, np.int8),
                       np.int32([1, -900, 3, 4, 5]), scale(0.05), np.uint8(120)]),
        "MatMulIntegerToFloat": Case([rows, columns, scale(0.02), scale(*[0.01, 0.02] * 2, 0.03),
                                      zero, np.zeros(5, np.int8), uniform(5)]),
        # One step: later ones read a state that ONNX Runtime rounds to 8 bits.
        "DynamicQuantizeLSTM": Case([
            uniform(1, 2, 5), quantized(1, 5, 16, kind=np.int8), quantized(1, 4, 16, kind=np.int8),
            uniform(1, 32), *[None] * 4, scale(0.01)[None], np.zeros(1, np.int8),
            scale(0.02)[None], np.zeros(1, np.int8)], {"hidden_size": 4}, 3),
        "DynamicQuantizeMatMul": Case([uniform(3, 4), columns, scale(0.02), i8, uniform(5)]),
    }
    return {
        "QuantizeLinear": Case([X, scale(0.01), np.uint8(99)]),
        "DequantizeLinear": Case([x, scale(0.02), zero]),
        "QLinearConv": Case([x, scale(0.02), zero, w, scale(0.01, 0.02), np.zeros(2, np.int8),
                             scale(0.2), np.uint8(100), np.int32([1000, -1000])]),
        "QLinearMatMul": Case([rows, scale(0.02), zero, columns, scale(0.01), i8, scale(0.05),
                               np.uint8(120)]),
        "ConvInteger": Case([x, w[:, :, :2], zero, i8]),
        "MatMulInteger": Case([rows, columns, zero, i8]),
        "DynamicQuantizeLinear": Case([X], outputs=3),
        **{f"com.microsoft.{name}": case for name, case in ms.items()},
    }


def _recurrent(gates: int) -> Case:
    return Case([uniform(3, 2, 5), uniform(1, gates * 4, 5), uniform(1, gates * 4, 4),
                 uniform(1, 2 * gates * 4)], {"hidden_size": 4}, 2)


_LAST = np.array(1.5, np.float32)


def branch(value: np.ndarray) -> onnx.GraphProto:
    """A graph for an If, whose output is this constant."""
    constant = helper.make_node("Constant", [], ["inner"], value=numpy_helper.from_array(value))
    return helper.make_graph([constant], "branch", [], [onnx.ValueInfoProto(name="inner")])


def _values(**shapes: tuple[int, ...] | None) -> list[onnx.ValueInfoProto]:
    return [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
            for name, shape in shapes.items()]


def loop_body() -> onnx.GraphProto:
    """Adds the number of the iteration, and ends the loop after the third."""
    number = helper.make_tensor_value_info("i", onnx.TensorProto.INT64, [])
    before, after = (helper.make_tensor_value_info(name, onnx.TensorProto.BOOL, [])
                     for name in ("on", "goes_on"))
    nodes = [helper.make_node("Constant", [], ["last"], value=numpy_helper.from_array(_LAST)),
             helper.make_node("Cast", ["i"], ["number"], to=onnx.TensorProto.FLOAT),
             helper.make_node("Less", ["number", "last"], ["goes_on"]),
             helper.make_node("Add", ["v", "number"], ["sum"]),
             helper.make_node("Neg", ["sum"], ["made"])]
    return helper.make_graph(nodes, "body", [number, before, *_values(v=X.shape)],
                             [after, *_values(sum=X.shape, made=X.shape)])


def scan_body() -> onnx.GraphProto:
    """Adds up the slices."""
    nodes = [helper.make_node("Add", ["state", "slice"], ["sum"]),
             helper.make_node("Mul", ["sum", "slice"], ["made"])]
    return helper.make_graph(nodes, "body", _values(state=(3,), slice=(3,)),
                             _values(sum=(3,), made=(3,)))


def _many(names: str, *operands: np.ndarray | None, **attrs: Any) -> dict[str, Case]:
    return {name: Case(operands, attrs) for name in names.split()}


# Operators of sequences, of which no single node is a model: importers/onnx/sequences_test.py.
OF_SEQUENCES = {"SequenceEmpty", "SequenceConstruct", "SequenceInsert", "SequenceErase",
                "SequenceAt", "SequenceLength", "SequenceMap", "SplitToSequence",
                "ConcatFromSequence"}
QUANTIZED = _quantized()
WINDOWS = "HannWindow HammingWindow BlackmanWindow"
# Operators that importers compose, or for which the engine has an op of its own.
RARE: dict[str, Case] = {
    **_many("BitwiseAnd BitwiseOr BitwiseXor", WHOLE, WHOLE[::-1].copy()),
    "BitwiseNot": Case([WHOLE]),
    "BitShift": Case([np.uint8([1, 2, 200]), np.uint8([1, 3, 9])], {"direction": "LEFT"}),
    "BitCast": Case([X], {"to": 6}, opset=26),
    "CenterCropPad": Case([X, i64(2, 2, 7)]), "CumProd": Case([X, i64(1)], opset=26),
    "AffineGrid": Case([uniform(1, 2, 3), i64(1, 1, 3, 4)], opset=20),
    "GridSample": Case([IMG, uniform(1, 3, 2, 2)], opset=16),
    "RoiAlign": Case([IMG, np.float32([[0, 0, 4, 5], [1, 1, 3, 2]]), i64(0, 0)],
                     {"output_height": 2, "output_width": 3}),
    "Col2Im": Case([uniform(1, 8, 9), i64(4, 4), i64(2, 2)]),
    "DFT": Case([uniform(2, 6, 1)]),
    "STFT": Case([uniform(2, 32, 1), np.array(4), None, np.array(8)]),
    "DeformConv": Case([IMG, uniform(2, 4, 3, 3), uniform(1, 18, 4, 4)], opset=19),
    "Det": Case([uniform(2, 3, 3)]),
    **_many(WINDOWS, np.array(7)),
    "MelWeightMatrix": Case([np.array(8), np.array(16), np.array(8192),
                             np.array(0, np.float32), np.array(4096, np.float32)]),
    "MaxUnpool": Case([uniform(1, 1, 2, 2), i64(5, 7, 13, 15).reshape(1, 1, 2, 2)],
                      {"kernel_shape": [2, 2], "strides": [2, 2]}),
    **_many("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", uniform(3, 5), i64(1, 4, 0),
            POSITIVE.reshape(-1)[:5]),
    **_many("OptionalGetElement OptionalHasElement", X),
    "Scatter": Case([X, np.zeros((1, 3, 4), np.int64), uniform(1, 3, 4)], opset=10),
    "ScatterElements": Case([X, np.zeros((1, 3, 4), np.int64), uniform(1, 3, 4)]),
    "TensorScatter": Case([uniform(2, 5, 3), uniform(2, 2, 3), i64(1, 3)], opset=24),
}
CASES: dict[str, Case] = {
    **_many("Abs Neg Exp Floor Ceil Round Sign Sin Cos Tan Atan Sinh Cosh Asinh Erf IsNaN IsInf "
            "Relu Sigmoid Tanh Softplus Softsign HardSwish LeakyRelu Elu Selu Celu ThresholdedRelu "
            "HardSigmoid Mish Softmax LogSoftmax Hardmax Identity Dropout Flatten Transpose Shape "
            "Size Shrink Asin Acos Atanh LpNormalization ArgMax ArgMin Clip", X),
    **_many("Log Sqrt Reciprocal", POSITIVE), "Acosh": Case([POSITIVE + 1]),
    "Gelu": Case([X], opset=20),
    **_many("Add Sub Mul Div Pow", POSITIVE, POSITIVE), "Mod": Case([WHOLE, WHOLE[::-1].copy()]),
    **_many("Equal Less LessOrEqual Greater GreaterOrEqual", X, X[::-1].copy()),
    **_many("Min Max Sum Mean", X, X[::-1].copy()),
    **_many("And Or Xor", TRUTH, TRUTH[::-1].copy()), "Not": Case([TRUTH]),
    "If": Case([np.array(True)], {"then_branch": branch(X), "else_branch": branch(-X)}),
    "Loop": Case([i64(9)[0], np.array(True), X], {"body": loop_body()}, 2, fed=2),
    "Scan": Case([uniform(3), uniform(3, 3)], {"body": scan_body(), "num_scan_inputs": 1}, 2,
                 fed=1),
    "NonZero": Case([np.maximum(X, 0)]),
    "Unique": Case([WHOLE], {}, 4),
    "NonMaxSuppression": Case([
        np.cumsum(uniform(2, 6, 4) + 1.1, -1), RNG.permuted(np.linspace(0, 1, 36)).reshape(
            2, 3, 6).astype(np.float32), i64(3), np.float32([0.3]), np.float32([0.1])]),
    "Compress": Case([X, np.array([False, True])], {"axis": 1}, fed=1),
    "Where": Case([TRUTH, X, -X]), "PRelu": Case([X, uniform(4)]),
    "Cast": Case([X], {"to": 7}), "CastLike": Case([X, i64(1)]),
    "Conv": Case([IMG, uniform(2, 4, 3, 3), uniform(2)], {"kernel_shape": [3, 3]}),
    "ConvTranspose": Case([IMG, uniform(4, 2, 3, 3)], {"kernel_shape": [3, 3]}),
    **_many("MaxPool AveragePool LpPool", IMG, kernel_shape=[3, 3]),
    **_many("GlobalAveragePool GlobalMaxPool GlobalLpPool MeanVarianceNormalization", IMG),
    "BatchNormalization": Case([IMG, *CHANNELS]),
    "InstanceNormalization": Case([IMG, *CHANNELS[:2]]), "LRN": Case([IMG], {"size": 3}),
    "LayerNormalization": Case([X, uniform(4), uniform(4)], opset=17),
    "GroupNormalization": Case([IMG, *CHANNELS[:2]], {"num_groups": 2}, opset=21),
    "MatMul": Case([X, uniform(2, 4, 3)]),
    "Gemm": Case([uniform(3, 3), uniform(3, 3), uniform(3)]),
    "Einsum": Case([X, X], {"equation": "abc,abd->acd"}),
    "Concat": Case([X, X], {"axis": 1}), "Split": Case([X], {"axis": 2, "num_outputs": 2}, 2),
    "Slice": Case([X, i64(0), i64(2), i64(1)]), "Pad": Case([X, i64(0, 1, 0, 0, 0, 2)]),
    "Gather": Case([X, i64(0, 1)]), "GatherElements": Case([X, np.zeros((2, 3, 4), np.int64)]),
    "GatherND": Case([X, np.zeros((2, 1), np.int64)]),
    "ScatterND": Case([X, np.ones((1, 1), np.int64), uniform(1, 3, 4)]),
    "OneHot": Case([i64(1, 0, 2), i64(3), np.float32([0, 1])]),
    "ReverseSequence": Case([uniform(3, 2, 4), i64(1, 2)]),
    **_many("ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSumSquare", X,
            i64(1)),
    "ReduceSum": Case([X, i64(1)]), **_many("ReduceLogSum ReduceLogSumExp", POSITIVE, i64(1)),
    "CumSum": Case([X, i64(1)]), "TopK": Case([X, i64(2)], {}, 2),
    "Resize": Case([IMG, None, None, i64(1, 4, 4, 4)], {"mode": "linear"}),
    "Upsample": Case([IMG, np.float32([1, 1, 2, 2])], opset=9),
    "Reshape": Case([X, i64(4, 6)]), "Squeeze": Case([uniform(1, 3), i64(0)]),
    "Unsqueeze": Case([X, i64(0)]), "Expand": Case([uniform(1, 3), i64(2, 3)]),
    "Tile": Case([X, i64(1, 2, 1)]), "ConstantOfShape": Case([i64(2, 3)]),
    "Range": Case([i64(1)[0], i64(9)[0], i64(2)[0]]),
    "DepthToSpace": Case([IMG], {"blocksize": 2}), "SpaceToDepth": Case([IMG], {"blocksize": 2}),
    **{f"com.microsoft.{name}": case for name, case in {
        **_many("Gelu QuickGelu FastGelu", X), "BiasGelu": Case([X, uniform(4)]),
        **_many("FusedMatMul TransposeMatMul", uniform(2, 4, 4), uniform(2, 4, 4)),
        "FusedGemm": Case([uniform(3, 3), uniform(3, 3), uniform(3)], {"activation": "Relu"}),
        "FusedConv": Case([IMG, uniform(2, 4, 3, 3), uniform(2), uniform(1, 2, 4, 4)],
                          {"kernel_shape": [3, 3], "activation": "Relu"}),
        "SkipLayerNormalization": Case([X, X[::-1].copy(), *[uniform(4) for _ in range(3)]]),
        "SkipSimplifiedLayerNormalization": Case([X, X[::-1].copy(), uniform(4)]),
        "EmbedLayerNormalization": Case([
            np.int32([[1, 0, 2], [3, 3, 1]]), np.int32([[0, 1, 1], [0, 0, 1]]), uniform(4, 8),
            uniform(5, 8), uniform(2, 8), uniform(8), uniform(8)], outputs=2),
        "Attention": Case([HIDDEN, uniform(8, 24), uniform(24), MASK], {"num_heads": 2}),
        "GroupQueryAttention": Case(
            [uniform(2, 3, 64), uniform(2, 3, 32), uniform(2, 3, 32), uniform(2, 2, 0, 16),
             uniform(2, 2, 0, 16), np.int32([2, 2]), np.int32(3)],
            {"num_heads": 4, "kv_num_heads": 2}, 3),
        "MultiHeadAttention": Case([*QKV, uniform(24), MASK], {"num_heads": 2}),
        "RotaryEmbedding": Case([uniform(2, 2, 3, 8), np.int64([[0, 1, 2], [3, 4, 8]]),
                                 uniform(9, 4), uniform(9, 4)]),
        "MatMulNBits": Case([uniform(3, 32), quantized(4, 2, 8), np.abs(uniform(4, 2))],
                            {"N": 4, "K": 32, "bits": 4, "block_size": 16}),
        "GatherBlockQuantized": Case([quantized(3, 16), i64(1, 0), np.abs(uniform(3, 2))],
                                     {"block_size": 16}, fed=1),
    }.items()},
    **QUANTIZED,
    "EyeLike": Case([uniform(3, 4)]), "Trilu": Case([X]),
    "RMSNormalization": Case([X, uniform(4)], **_NEW), "Swish": Case([X], opset=24),
    "SwiGLU": Case([X, uniform(2, 3, 4)], opset=28),
    "SimplifiedLayerNormalization": Case([X, uniform(4)]),
    "Attention": Case(QKV, {"q_num_heads": 2, "kv_num_heads": 2}, **_NEW),
    "RotaryEmbedding": Case([uniform(2, 2, 3, 8), uniform(9, 4), uniform(9, 4),
                             np.int64([[0, 1, 2], [3, 4, 8]])], **_NEW),
    **RARE,
    "RNN": _recurrent(1), "GRU": _recurrent(3), "LSTM": _recurrent(4),
    "com.microsoft.QAttention": Case([
        quantized(2, 3, 8), quantized(8, 24, kind=np.int8), uniform(24), scale(0.02), scale(0.01),
        MASK,
        np.uint8(60), np.int8(0)], {"num_heads": 2}),
    "com.microsoft.QEmbedLayerNormalization": Case([
        np.int32([[1, 0, 2], [3, 3, 1]]), np.int32([[0, 1, 1], [0, 0, 1]]), quantized(4, 8),
        quantized(5, 8), quantized(2, 8), quantized(8), quantized(8), None,
        *[scale(0.01 * k) for k in range(1, 6)],
        *[np.uint8(20 * k) for k in range(5)]], outputs=2),
}


_OF_CONSTANTS = ("ConstantOfShape", "If", "Range", "MelWeightMatrix", *WINDOWS.split())


def save(path: Path, op: str, case: Case, attrs: dict[str, Any] | None = None) -> Path:
    """The case as a file, with these attributes instead of its own."""
    names = ["x" if k == case.fed else "" if c is None else f"c{k}"
             for k, c in enumerate(case.operands)]
    outputs = [f"y{k}" for k in range(case.outputs)]
    domain, _, plain = op.rpartition(".")
    node = helper.make_node(plain, names, outputs, domain=domain,
                            **(case.attrs if attrs is None else attrs))
    kind = helper.np_dtype_to_tensor_dtype(case.x.dtype)
    constants = [numpy_helper.from_array(c, n) for n, c in zip(names, case.operands)
                 if n not in ("", "x")]
    if op in _OF_CONSTANTS:  # operands that the engine must know when it plans
        constants.append(numpy_helper.from_array(case.x, "x"))
        inputs = []
    else:
        inputs = [helper.make_tensor_value_info("x", kind, case.x.shape)]
    graph = helper.make_graph([node], "case", inputs, [onnx.ValueInfoProto(name=o)
                                                       for o in outputs], constants)
    sets = [helper.make_opsetid("", case.opset)]
    sets += [helper.make_opsetid(domain, 1)] if domain else []
    model = helper.make_model(graph, opset_imports=sets, ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path
