"""A table of TFLite operators against NumPy: operand order, options, defaults.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import load
from mace_tools.testing.tflite_file import Maker

X = np.float32([[-2.5, -0.5, 0, 1], [0.5, 1.5, 2.5, -1]])
P = np.abs(X) + np.float32(0.25)
M = X > 0
IMG = np.arange(2 * 4 * 4 * 4, dtype=np.float32).reshape(2, 4, 4, 4)


def i32(*values):
    return np.int32(values)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def pool(x, function):
    n, h, w, c = x.shape
    return function(x.reshape(n, h // 2, 2, w // 2, 2, c), (2, 4))


def lrn(x, radius, bias, alpha, beta):
    padded = np.pad(x * x, [(0, 0)] * (x.ndim - 1) + [(radius, radius)])
    total = sum(padded[..., k : k + x.shape[-1]] for k in range(2 * radius + 1))
    return x / (bias + alpha * total) ** beta


POOL = ("Pool2DOptions", {"FilterHeight": 2, "FilterWidth": 2, "StrideH": 2, "StrideW": 2,
                          "Padding": 1})
NONE = ("", {})
# Operator, feed, constant operands after it, options, what is expected.
TABLE = [
    ("SUB", X, [P], NONE, X - P), ("MUL", X, [P], NONE, X * P), ("DIV", X, [P], NONE, X / P),
    ("MAXIMUM", X, [-P], NONE, np.maximum(X, -P)), ("MINIMUM", X, [P], NONE, np.minimum(X, P)),
    ("POW", P, [P], NONE, P**P), ("SQUARED_DIFFERENCE", X, [P], NONE, (X - P) ** 2),
    ("LESS", X, [-X], NONE, X < -X), ("GREATER_EQUAL", X, [-X], NONE, X >= -X),
    ("ABS", X, [], NONE, np.abs(X)), ("EXP", X, [], NONE, np.exp(X)),
    ("RSQRT", P, [], NONE, 1 / np.sqrt(P)), ("ROUND", X, [], NONE, np.round(X)),
    ("LOGISTIC", X, [], NONE, 1 / (1 + np.exp(-X))), ("TANH", X, [], NONE, np.tanh(X)),
    ("RELU_N1_TO_1", X, [], NONE, np.clip(X, -1, 1)),
    ("RELU6", 4 * X, [], NONE, np.clip(4 * X, 0, 6)),
    ("ELU", X, [], NONE, np.where(X > 0, X, np.expm1(X))),
    ("HARD_SWISH", 2 * X, [], NONE, 2 * X * np.clip(2 * X + 3, 0, 6) / 6),
    ("LEAKY_RELU", X, [], ("LeakyReluOptions", {"Alpha": 0.2}), np.where(X > 0, X, X * 0.2)),
    ("PRELU", X, [np.float32([1, 2, 3, 4])], NONE, np.where(X > 0, X, X * [1, 2, 3, 4])),
    ("SOFTMAX", X, [], ("SoftmaxOptions", {"Beta": 0.5}), softmax(X * 0.5)),
    ("LOG_SOFTMAX", X, [], NONE, np.log(softmax(X))),
    ("MEAN", X, [i32(1)], ("ReducerOptions", {"KeepDims": True}), X.mean(1, keepdims=True)),
    ("REDUCE_MAX", X, [i32(0)], NONE, X.max(0)),
    ("ARG_MAX", X, [i32(1)], ("ArgMaxOptions", {"OutputType": 2}), X.argmax(1)),
    ("BATCH_MATMUL", X, [X], ("BatchMatMulOptions", {"AdjY": True}), X @ X.T),
    ("TRANSPOSE", X, [i32(1, 0)], NONE, X.T), ("TILE", X, [i32(1, 2)], NONE, np.tile(X, (1, 2))),
    ("PAD", X, [i32(1, 0, 0, 2).reshape(2, 2)], NONE, np.pad(X, ((1, 0), (0, 2)))),
    ("PADV2", X, [i32(1, 0, 0, 0).reshape(2, 2), np.float32(7)], NONE,
     np.pad(X, ((1, 0), (0, 0)), constant_values=7)),
    ("MIRROR_PAD", X, [i32(0, 0, 1, 1).reshape(2, 2)], ("MirrorPadOptions", {"Mode": 1}),
     np.pad(X, ((0, 0), (1, 1)), "symmetric")),
    ("EXPAND_DIMS", X, [i32(1)], NONE, X[:, None]),
    ("SQUEEZE", X[:, None], [], ("SqueezeOptions", {"SqueezeDims": [1]}), X),
    ("RESHAPE", X, [], ("ReshapeOptions", {"NewShape": [4, -1]}), X.reshape(4, 2)),
    ("GATHER", X, [i32(3, 0)], ("GatherOptions", {"Axis": 1}), X[:, [3, 0]]),
    ("GATHER_ND", X, [i32(1, 2, 0, 3).reshape(2, 2)], NONE, X[[1, 0], [2, 3]]),
    ("SLICE", X, [i32(0, 1), i32(-1, 2)], NONE, X[:, 1:3]),
    ("STRIDED_SLICE", X, [i32(0, 3), i32(9, 0), i32(1, -2)],
     ("StridedSliceOptions", {"BeginMask": 1, "EndMask": 1}), X[:, 3:0:-2]),
    ("REVERSE_V2", X, [i32(1)], NONE, X[:, ::-1]),
    ("CUMSUM", X, [np.int32(1)], ("CumsumOptions", {"Exclusive": True}), np.cumsum(X, 1) - X),
    ("BROADCAST_TO", X, [i32(3, 2, 4)], NONE, np.broadcast_to(X, (3, 2, 4))),
    ("ZEROS_LIKE", X, [], NONE, np.zeros_like(X)),
    ("CONCATENATION", X, [P], ("ConcatenationOptions", {"Axis": 1}), np.concatenate([X, P], 1)),
    ("PACK", X, [P], ("PackOptions", {"Axis": 2, "ValuesCount": 2}), np.stack([X, P], 2)),
    ("MAX_POOL_2D", IMG, [], POOL, pool(IMG, np.max)),
    ("AVERAGE_POOL_2D", IMG, [], POOL, pool(IMG, np.mean)),
    ("L2_POOL_2D", IMG, [], POOL, np.sqrt(pool(IMG**2, np.mean))),
    ("L2_NORMALIZATION", IMG + 1, [], NONE,
     (IMG + 1) / np.sqrt(((IMG + 1) ** 2).sum(-1, keepdims=True))),
    ("LOCAL_RESPONSE_NORMALIZATION", IMG, [],
     ("LocalResponseNormalizationOptions", {"Radius": 1, "Bias": 2.0, "Alpha": 0.5, "Beta": 0.75}),
     lrn(IMG, 1, 2.0, 0.5, 0.75)),
    ("SPACE_TO_BATCH_ND", IMG, [i32(2, 2), i32(0, 0, 0, 0).reshape(2, 2)], NONE,
     np.concatenate([IMG[:, i::2, j::2] for i in (0, 1) for j in (0, 1)])),
    ("BATCH_TO_SPACE_ND", np.concatenate([IMG[:, i::2, j::2] for i in (0, 1) for j in (0, 1)]),
     [i32(2, 2), i32(0, 0, 1, 0).reshape(2, 2)], NONE, IMG[:, :, 1:]),
    ("SPACE_TO_DEPTH", IMG, [], ("SpaceToDepthOptions", {"BlockSize": 2}),
     IMG.reshape(2, 2, 2, 2, 2, 4).transpose(0, 1, 3, 2, 4, 5).reshape(2, 2, 2, 16)),
    ("DEPTH_TO_SPACE", IMG, [], ("DepthToSpaceOptions", {"BlockSize": 2}),
     IMG.reshape(2, 4, 4, 2, 2, 1).transpose(0, 1, 3, 2, 4, 5).reshape(2, 8, 8, 1)),
    ("RESIZE_BILINEAR", np.float32([0, 3]).reshape(1, 1, 2, 1), [i32(1, 4)],
     ("ResizeBilinearOptions", {"AlignCorners": True}),
     np.float32([0, 1, 2, 3]).reshape(1, 1, 4, 1)),
    ("RESIZE_NEAREST_NEIGHBOR", np.float32([0, 1, 2]).reshape(1, 1, 3, 1), [i32(1, 5)], NONE,
     np.float32([0, 0, 1, 1, 2]).reshape(1, 1, 5, 1)),
    # LiteRT 2.3: the quotient by a rounded 2 / 14 would be just below 7.
    ("RESIZE_NEAREST_NEIGHBOR", np.arange(14, dtype=np.float32).reshape(1, 1, 14, 1), [i32(1, 2)],
     NONE, np.float32([0, 7]).reshape(1, 1, 2, 1)),
]


@pytest.mark.parametrize("op, x, constants, options, want", TABLE, ids=[row[0] for row in TABLE])
def test_operator(tmp_path, op, x, constants, options, want):
    m = Maker()
    m.tensor("x", x.shape)
    operands = [m.const(f"c{k}", c) for k, c in enumerate(constants)]
    table, fields = options
    m.op(op, ["x", *operands], ["y"], table, **fields)
    graph = load("tflite", m.save(tmp_path, ["x"], ["y"]))
    got = reference.run(graph, {"x": x})["y"]
    assert got.shape == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_transposed_convolution_is_the_gradient_of_the_convolution(tmp_path):
    w = np.random.default_rng(3).uniform(-1, 1, (2, 2, 3, 4)).astype(np.float32)  # OHWI
    g = np.random.default_rng(4).uniform(-1, 1, (1, 3, 2, 4)).astype(np.float32)
    m = Maker()
    m.tensor("g", g.shape)
    m.op("TRANSPOSE_CONV", [m.const("size", i32(1, 4, 4, 2)), m.const("w", w), "g"], ["y"],
         "TransposeConvOptions", Padding=1, StrideH=1, StrideW=1)
    want = np.zeros((1, 4, 4, 2), np.float32)
    for i in range(3):
        for j in range(2):
            want[:, i : i + 2, j : j + 3] += np.einsum("nc,ohwc->nhwo", g[:, i, j], w)
    graph = load("tflite", m.save(tmp_path, ["g"], ["y"]))
    np.testing.assert_allclose(reference.run(graph, {"g": g})["y"], want, rtol=1e-5, atol=1e-6)


def test_several_outputs(tmp_path):
    m = Maker()
    m.tensor("x", X.shape)
    m.op("SPLIT", [m.const("axis", np.int32(1)), "x"], ["a", "b"], "SplitOptions", NumSplits=2)
    m.op("UNPACK", ["x"], ["c", "d"], "UnpackOptions", Axis=0, Num=2)
    m.op("TOPK_V2", ["x", m.const("k", np.int32(1))], ["e", "f"])
    graph = load("tflite", m.save(tmp_path, ["x"], list("abcdef")))
    got = reference.run(graph, {"x": X})
    for name, want in zip("abcdef", [X[:, :2], X[:, 2:], X[0], X[1], [[1], [2.5]], [[3], [2]]]):
        assert got[name].tolist() == np.asarray(want).tolist()
