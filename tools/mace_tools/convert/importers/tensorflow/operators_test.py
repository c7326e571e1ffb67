"""A table of TensorFlow operators against NumPy: operand order, attributes, defaults.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.importers.tensorflow.tensorflow_test import FLOAT, INT32, INT64, Maker, run

X = np.float32([[-2.5, -0.5, 0, 1], [0.5, 1.5, 2.5, -1]])
P = np.abs(X) + np.float32(0.25)  # positive
U = X / 4  # within [-1, 1]
I = np.int32([[7, -7, 8], [-9, 9, 10]])  # noqa: E741
K = np.int32([[2, 2, -3], [4, -4, 5]])
M = X > 0
IMG = np.arange(2 * 4 * 4 * 3, dtype=np.float32).reshape(2, 4, 4, 3)


def i32(*values):
    return np.int32(values)


def fmod(a, b):
    return np.fmod(a, b)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def depth_to_space(x, b):
    n, h, w, c = x.shape
    y = x.reshape(n, h, w, b, b, c // b // b).transpose(0, 1, 3, 2, 4, 5)
    return y.reshape(n, h * b, w * b, c // b // b)


UNARY = [
    ("Abs", X, np.abs), ("Neg", X, np.negative), ("Exp", X, np.exp), ("Log", P, np.log),
    ("Sqrt", P, np.sqrt), ("Rsqrt", P, lambda v: 1 / np.sqrt(v)), ("Square", X, np.square),
    ("Reciprocal", P, lambda v: 1 / v), ("Inv", P, lambda v: 1 / v), ("Floor", X, np.floor),
    ("Ceil", X, np.ceil), ("Round", X, np.round), ("Rint", X, np.rint), ("Sign", X, np.sign),
    ("Sin", X, np.sin), ("Cos", X, np.cos), ("Tan", X, np.tan), ("Asin", U, np.arcsin),
    ("Acos", U, np.arccos), ("Atan", X, np.arctan), ("Sinh", X, np.sinh), ("Cosh", X, np.cosh),
    ("Asinh", X, np.arcsinh), ("Acosh", P + 1, np.arccosh), ("Atanh", U, np.arctanh),
    ("Log1p", P, np.log1p), ("Expm1", X, np.expm1), ("Tanh", X, np.tanh),
    ("Sigmoid", X, lambda v: 1 / (1 + np.exp(-v))), ("Relu", X, lambda v: np.maximum(v, 0)),
    ("Relu6", 4 * X, lambda v: np.clip(v, 0, 6)),
    ("Elu", X, lambda v: np.where(v > 0, v, np.expm1(v))),
    ("Selu", X, lambda v: 1.0507009873554805 * np.where(v > 0, v,
                                                         1.6732632423543772 * np.expm1(v))),
    ("Softplus", X, lambda v: np.log1p(np.exp(v))), ("Softsign", X, lambda v: v / (1 + np.abs(v))),
    ("Softmax", X, softmax), ("LogSoftmax", X, lambda v: np.log(softmax(v))),
    ("L2Loss", X, lambda v: (v * v).sum() / 2), ("ZerosLike", X, np.zeros_like),
    ("OnesLike", X, np.ones_like), ("StopGradient", X, lambda v: v),
    ("Rank", X, np.ndim), ("Size", X, np.size), ("IsNan", X, np.isnan),
]
BINARY = [
    ("Sub", X, P, np.subtract), ("RealDiv", X, P, np.divide), ("Pow", P, X, np.power),
    ("Maximum", X, P, np.maximum), ("Minimum", X, U, np.minimum),
    ("FloorDiv", I, K, np.floor_divide),
    ("FloorMod", I, K, np.mod), ("Mod", I, K, fmod), ("TruncateMod", I, K, fmod),
    ("SquaredDifference", X, P, lambda a, b: (a - b) ** 2), ("Equal", I, I[::-1], np.equal),
    ("NotEqual", X, U, np.not_equal), ("Less", X, U, np.less), ("Greater", X, U, np.greater),
    ("LessEqual", X, U, np.less_equal), ("GreaterEqual", X, U, np.greater_equal),
    ("LogicalAnd", M, M[::-1], np.logical_and), ("LogicalOr", M, M[::-1], np.logical_or),
]
# Operator, feed, constant operands after it, attributes, what is expected.
OTHERS = [
    ("LeakyRelu", X, [], {"alpha": 0.1}, np.where(X > 0, X, np.float32(0.1) * X)),
    ("AddN", X, [P, U], {"N": 3}, X + P + U),
    ("ClipByValue", X, [np.float32(-1), np.float32(2)], {}, np.clip(X, -1, 2)),
    ("Sum", X, [i32(0)], {"keep_dims": True}, X.sum(0, keepdims=True)),
    ("EuclideanNorm", X, [i32(1)], {}, np.sqrt((X * X).sum(1))),
    ("All", M, [i32(1)], {}, M.all(1)), ("Any", M, [i32(1)], {}, M.any(1)),
    ("Cumsum", X, [np.int32(1)], {"exclusive": True, "reverse": True},
     np.flip(np.cumsum(np.flip(X, 1), 1), 1) - X),
    ("ArgMin", X, [np.int32(1)], {}, X.argmin(1)),
    ("Tile", X, [i32(2, 1)], {}, np.tile(X, (2, 1))),
    ("Pad", X, [i32(1, 0, 0, 2).reshape(2, 2)], {}, np.pad(X, ((1, 0), (0, 2)))),
    ("PadV2", X, [i32(0, 1, 0, 0).reshape(2, 2), np.float32(9)], {},
     np.pad(X, ((0, 1), (0, 0)), constant_values=9)),
    ("MirrorPad", X, [i32(0, 0, 2, 1).reshape(2, 2)], {"mode": "REFLECT"},
     np.pad(X, ((0, 0), (2, 1)), "reflect")),
    ("Gather", X, [i32(1, 1, 0)], {}, X[[1, 1, 0]]),
    ("GatherV2", X, [i32(3, 0), np.int32(1)], {}, X[:, [3, 0]]),
    ("GatherNd", X, [i32(1, 2, 0, 3).reshape(2, 2)], {}, X[[1, 0], [2, 3]]),
    ("Slice", X, [i32(0, 1), i32(-1, 2)], {}, X[:, 1:3]),
    ("ReverseV2", X, [i32(1)], {}, X[:, ::-1]),
    ("ReverseSequence", X, [i32(2, 3)], {"seq_dim": 1, "batch_dim": 0},
     np.stack([X[0, [1, 0, 2, 3]], X[1, [2, 1, 0, 3]]])),
    ("ExpandDims", X, [np.int32(-2)], {}, X[:, None]),
    ("Transpose", IMG, [i32(0, 3, 1, 2)], {}, IMG.transpose(0, 3, 1, 2)),
    ("BroadcastTo", X, [i32(3, 2, 4)], {}, np.broadcast_to(X, (3, 2, 4))),
    ("SpaceToDepth", depth_to_space(np.tile(IMG, 4), 2), [], {"block_size": 2}, np.tile(IMG, 4)),
    ("DepthToSpace", np.tile(IMG, 4).transpose(0, 3, 1, 2), [],
     {"block_size": 2, "data_format": "NCHW"},
     depth_to_space(np.tile(IMG, 4), 2).transpose(0, 3, 1, 2)),
    ("SpaceToBatchND", IMG, [i32(2, 2), i32(0, 0, 0, 0).reshape(2, 2)], {},
     np.concatenate([IMG[:, i::2, j::2] for i in (0, 1) for j in (0, 1)])),
    ("BatchToSpaceND", np.concatenate([IMG[:, i::2, j::2] for i in (0, 1) for j in (0, 1)]),
     [i32(2, 2), i32(0, 0, 0, 1).reshape(2, 2)], {}, IMG[:, :, :3]),
    ("SpaceToBatch", IMG, [i32(0, 0, 0, 0).reshape(2, 2)], {"block_size": 2},
     np.concatenate([IMG[:, i::2, j::2] for i in (0, 1) for j in (0, 1)])),
    ("MaxPool", IMG, [], {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"},
     IMG[:, 1::2, 1::2]),
    ("MaxPoolV2", IMG, [i32(1, 2, 2, 1), i32(1, 2, 2, 1)], {"padding": "VALID"},
     IMG[:, 1::2, 1::2]),
    ("AvgPool", IMG.transpose(0, 3, 1, 2), [],
     {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "padding": "SAME", "data_format": "NCHW"},
     IMG.reshape(2, 2, 2, 2, 2, 3).mean((2, 4)).transpose(0, 3, 1, 2)),
    ("FusedBatchNorm", IMG, [i32(1, 2, 3).astype(np.float32), np.float32([0, 1, 2]),
                             np.float32([5, 6, 7]), np.float32([4, 9, 16])],
     {"is_training": False, "epsilon": 0.0},
     (IMG - np.float32([5, 6, 7])) / np.float32([2, 3, 4]) * np.float32([1, 2, 3])
     + np.float32([0, 1, 2])),
    ("MatMul", X, [X], {"transpose_b": True}, X @ X.T),
    ("BatchMatMul", np.stack([X, P]), [np.stack([P, X])], {"adj_x": True},
     np.stack([X.T @ P, P.T @ X])),
    # Corner samples of the three ways to place pixels; values from the definitions.
    ("ResizeBilinear", np.float32([0, 4]).reshape(1, 1, 2, 1), [i32(1, 4)], {},
     np.float32([0, 2, 4, 4]).reshape(1, 1, 4, 1)),
    ("ResizeBilinear", np.float32([0, 3]).reshape(1, 1, 2, 1), [i32(1, 4)], {"align_corners": True},
     np.float32([0, 1, 2, 3]).reshape(1, 1, 4, 1)),
    ("ResizeBilinear", np.float32([0, 4]).reshape(1, 1, 2, 1), [i32(1, 4)],
     {"half_pixel_centers": True}, np.float32([0, 1, 3, 4]).reshape(1, 1, 4, 1)),
    ("ResizeNearestNeighbor", np.float32([0, 1, 2]).reshape(1, 1, 3, 1), [i32(1, 5)], {},
     np.float32([0, 0, 1, 1, 2]).reshape(1, 1, 5, 1)),
    ("ResizeNearestNeighbor", np.float32([0, 1, 2]).reshape(1, 1, 3, 1), [i32(1, 5)],
     {"align_corners": True}, np.float32([0, 1, 1, 2, 2]).reshape(1, 1, 5, 1)),
    ("ResizeNearestNeighbor", np.float32([0, 1, 2]).reshape(1, 1, 3, 1), [i32(1, 2)],
     {"half_pixel_centers": True}, np.float32([0, 2]).reshape(1, 1, 2, 1)),
]


def check(folder, op, feeds, constants, attrs, want):
    m = Maker()
    for name, feed in feeds.items():
        m.placeholder(name)
        dtype = {"float32": FLOAT, "int32": INT32, "bool": 10, "int64": INT64}[feed.dtype.name]
        m.graph.node[-1].attr["dtype"].type = dtype
    operands = [m.const(f"c{k}", c) for k, c in enumerate(constants)]
    m.node("y", op, *feeds, *operands, **attrs)
    got, = run(m, folder, feeds)
    assert got.shape == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("op, x, function", UNARY, ids=[row[0] for row in UNARY])
def test_of_one_operand(tmp_path, op, x, function):
    check(tmp_path, op, {"x": x}, [], {}, function(x))


@pytest.mark.parametrize("op, a, b, function", BINARY, ids=[row[0] for row in BINARY])
def test_of_two_operands(tmp_path, op, a, b, function):
    check(tmp_path, op, {"a": a, "b": b}, [], {}, function(a, b))


@pytest.mark.parametrize("op, x, constants, attrs, want", OTHERS,
                         ids=[f"{row[0]}{k}" for k, row in enumerate(OTHERS)])
def test_with_constant_operands(tmp_path, op, x, constants, attrs, want):
    check(tmp_path, op, {"x": x}, constants, attrs, want)


def test_one_hot_and_top_k(tmp_path):
    m = Maker()
    m.placeholder("x")
    m.node("t", "TopKV2", "x", m.const("k", np.int32(2)), sorted=True)
    m.node("y", "OneHot", "t:1", m.const("depth", np.int32(4)), m.const("on", np.float32(3)),
           m.const("off", np.float32(-1)), axis=-1)
    values, hot = run(m, tmp_path, {"x": X}, ["t", "y"])
    assert values.tolist() == [[1, 0], [2.5, 1.5]]
    assert hot[0].tolist() == [[-1, -1, -1, 3], [-1, -1, 3, -1]]


def test_concat_has_its_axis_first_or_last(tmp_path):
    m = Maker()
    m.placeholder("x")
    m.const("axis", np.int32(1))
    m.node("old", "Concat", "axis", "x", "x")
    m.node("new", "ConcatV2", "x", "x", "axis")
    old, new = run(m, tmp_path, {"x": X}, ["old", "new"])
    assert old.tolist() == new.tolist() == np.concatenate([X, X], 1).tolist()


def test_fill_and_range(tmp_path):
    m = Maker()
    m.placeholder("x")
    m.node("shape", "Shape", "x")
    m.node("fill", "Fill", "shape", m.const("v", np.float32(2.5)))
    m.node("big", "Fill", "shape", m.const("w", np.int32(2**24 + 1)))  # no float32 holds it
    m.node("range", "Range", m.const("a", np.int32(1)), m.const("b", np.int32(8)),
           m.const("c", np.int32(3)))
    fill, big, count = run(m, tmp_path, {"x": X}, ["fill", "big", "range"])
    assert fill.tolist() == [[2.5] * 4] * 2 and big.tolist() == [[2**24 + 1] * 4] * 2
    assert count.tolist() == [1, 4, 7]


def test_split_at_given_sizes_one_of_them_open(tmp_path):
    m = Maker()
    m.placeholder("x")
    m.node("s", "SplitV", "x", m.const("sizes", i32(1, -1)), m.const("axis", np.int32(1)),
           num_split=2)
    first, rest = run(m, tmp_path, {"x": X}, ["s", "s:1"])
    assert first.tolist() == X[:, :1].tolist() and rest.tolist() == X[:, 1:].tolist()
