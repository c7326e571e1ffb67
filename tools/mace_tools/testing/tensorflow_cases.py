"""Operands and attributes for single-operator models of TensorFlow: several for every operator.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

RNG = np.random.default_rng(11)
F1 = [(), (5,), (2, 3, 4), (1, 2, 3, 4), (2, 1, 3, 2, 2)]
PAIRS = [((), ()), ((3,), ()), ((2, 3), (3,)), ((2, 1, 4), (3, 1)), ((2, 3, 4), (2, 3, 4)),
         ((1, 2, 3, 4), (4,)), ((1,), (2, 2, 1, 3))]
FLAGS = (False, True)


def f32(*shape: int) -> np.ndarray:
    return RNG.uniform(-2, 2, shape).astype(np.float32)


def positive(*shape: int) -> np.ndarray:
    return RNG.uniform(0.25, 2, shape).astype(np.float32)


def more_than_one(*shape: int) -> np.ndarray:
    return RNG.uniform(1.1, 4, shape).astype(np.float32)


def unit(*shape: int) -> np.ndarray:
    return RNG.uniform(-0.9, 0.9, shape).astype(np.float32)


def whole(*shape: int) -> np.ndarray:
    values = RNG.integers(1, 9, shape) * RNG.choice([-1, 1], shape)
    return np.asarray(values).astype(np.int32)


def zeros_too(*shape: int) -> np.ndarray:
    return np.asarray(f32(*shape) * truth(*shape), np.float32)


def truth(*shape: int) -> np.ndarray:
    return RNG.random(shape) > 0.4


def i32(*values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def i64(*values: Any) -> np.ndarray:
    return np.array(values, np.int64)


@dataclass(frozen=True)
class Case:
    """Operands in the order of the operator's definition; a list is an operand of several tensors.
    The operand `fed` is an input, those after it are constants, unless `all_fed`."""

    op: str
    operands: Sequence[Any]
    attrs: dict[str, Any] = field(default_factory=dict)
    fed: int = 0
    all_fed: bool = False


UNARY = {
    f32: "Abs Neg Exp Square Floor Ceil Round Rint Sign Sin Cos Tan Atan Sinh Cosh Asinh Erf IsNan "
         "IsInf Expm1 Tanh Sigmoid Relu Relu6 Elu Selu Softplus Softsign LeakyRelu ZerosLike "
         "OnesLike Identity Snapshot StopGradient CheckNumerics PreventGradient Shape Size Rank "
         "L2Loss IsFinite Erfc",
    positive: "Log Sqrt Rsqrt Reciprocal Inv Log1p",
    more_than_one: "Acosh",
    unit: "Asin Acos Atanh",
    truth: "LogicalNot Identity",
    whole: "Abs Neg Square Sign Identity ZerosLike Relu Shape",
}
BINARY = {
    (f32, f32): "Add AddV2 Sub Mul Maximum Minimum SquaredDifference Equal NotEqual Less LessEqual "
                "Greater GreaterEqual",
    (f32, positive): "Div RealDiv FloorDiv FloorMod Mod TruncateMod Atan2",
    (positive, f32): "Pow",
    (f32, zeros_too): "DivNoNan MulNoNan", (zeros_too, positive): "Xdivy Xlogy Xlog1py",
    (whole, whole): "Add AddV2 Sub Mul Maximum Minimum SquaredDifference FloorDiv FloorMod Mod "
                    "TruncateMod TruncateDiv Equal NotEqual Less Greater Div BitwiseAnd",
    (truth, truth): "LogicalAnd LogicalOr Equal NotEqual",
}


def cases() -> Iterator[Case]:
    for make, names in UNARY.items():
        for op, shape in itertools.product(names.split(), F1):
            yield Case(op, [make(*shape)], {"message": "odd"} if op == "CheckNumerics" else {})
    for (left, right), names in BINARY.items():
        for op, (a, b), flipped in itertools.product(names.split(), PAIRS, FLAGS):
            a, b = (b, a) if flipped else (a, b)
            yield Case(op, [left(*a), right(*b)], all_fed=flipped)
    for part in (_reductions, _integers, _products, _selection, _joining, _shapes, _images,
                 _windows, _norms, _rounding, _dynamic):
        yield from part()


def _reductions() -> Iterator[Case]:
    for op, axes, keep in itertools.product(
            "Mean Sum Max Min Prod EuclideanNorm All Any".split(),
            (i32(0), i32(1, 2), i32(-1), i32(), np.int32(1)), FLAGS):
        make = truth if op in ("All", "Any") else f32
        yield Case(op, [make(2, 3, 4), axes], {"keep_dims": keep})
    for op, axis, kind in itertools.product(("ArgMax", "ArgMin"), (0, -1), (np.int32, np.int64)):
        yield Case(op, [f32(2, 3, 4), np.int32(axis)], {"output_type": kind})
    for op, exclusive, reverse in itertools.product(("Cumsum", "Cumprod"), FLAGS, FLAGS):
        yield Case(op, [f32(2, 3, 4), np.int32(1)], {"exclusive": exclusive, "reverse": reverse})
    for op, shape in itertools.product(("Softmax", "LogSoftmax"), ((5,), (2, 3), (2, 3, 4))):
        yield Case(op, [f32(*shape)])


def narrow(kind: type, *shape: int) -> np.ndarray:
    """Integers of the whole range, whose sums and products wrap around."""
    info = np.iinfo(kind)
    return RNG.integers(info.min, info.max, shape, kind, endpoint=True)


def _integers() -> Iterator[Case]:
    for kind in (np.int8, np.uint8, np.int16):
        for op in "Add AddV2 Sub Mul Maximum Minimum".split():
            yield Case(op, [narrow(kind, 3, 4), narrow(kind, 4)], all_fed=op == "Add")
        for op, axes in (("Max", i32(1)), ("Sum", i32(0)), ("Prod", i32(0))):
            yield Case(op, [narrow(kind, 3, 4), axes])
    for a, b in itertools.product((np.int8, np.uint8), (np.int8, np.uint8)):
        yield Case("BatchMatMulV3", [narrow(a, 2, 3, 4), narrow(b, 4, 5)], {"Tout": np.int32})
        yield Case("BatchMatMulV3", [narrow(a, 2, 4, 3), narrow(b, 2, 5, 4)],
                   {"Tout": np.int32, "adj_x": True, "adj_y": True}, all_fed=True)
    for kind, ta, tb in itertools.product((np.int32, np.int64), FLAGS, FLAGS):
        yield Case("MatMul", [narrow(kind, 3, 3), narrow(kind, 3, 3)],
                   {"transpose_a": ta, "transpose_b": tb}, all_fed=ta)
        yield Case("BatchMatMulV2", [narrow(kind, 2, 3, 3), narrow(kind, 3, 3)],
                   {"adj_x": ta, "adj_y": tb})


def _products() -> Iterator[Case]:
    for ta, tb, fed in itertools.product(FLAGS, FLAGS, FLAGS):
        yield Case("MatMul", [f32(3, 3), f32(3, 3)], {"transpose_a": ta, "transpose_b": tb},
                   all_fed=fed)
        for op in ("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"):
            more = {"Tout": np.float32} if op.endswith("3") else {}
            yield Case(op, [f32(2, 3, 3), f32(2, 3, 3)], {"adj_x": ta, "adj_y": tb, **more},
                       all_fed=fed)
    yield Case("BatchMatMulV2", [f32(2, 1, 3, 4), f32(5, 4, 2)])
    for equation in ("abc,cd->abd", "abc,abd->acd", "ij,kj->ik", "abcd,cde->abe", "ij->ji"):
        count = equation.count(",") + 1
        shapes = {"a": 2, "b": 3, "c": 4, "d": 2, "e": 3, "i": 2, "j": 3, "k": 4}
        terms = equation.split("->")[0].split(",")
        yield Case("Einsum", [[f32(*(shapes[c] for c in t)) for t in terms]],
                   {"equation": equation}, all_fed=count == 2)


def _selection() -> Iterator[Case]:
    x = f32(3, 4, 5)
    for op in ("Select", "SelectV2"):
        yield Case(op, [truth(3, 4), f32(3, 4), f32(3, 4)])
    yield Case("Select", [truth(3), f32(3, 4), f32(3, 4)])
    yield Case("SelectV2", [truth(3, 1), f32(3, 4), f32(4)])
    yield Case("ClipByValue", [x, np.float32(-1), np.float32(0.5)])
    yield Case("Gather", [x, i32(2, 0)])
    for axis, indices in itertools.product((0, 1, -1), (i32(1, 0), i64(1), i32([1, 2], [0, 0]))):
        yield Case("GatherV2", [x, indices, np.int32(axis)])
    yield Case("GatherV2", [x, i32([1, 0], [2, 2], [0, 1]), np.int32(1)], {"batch_dims": 1})
    yield Case("GatherNd", [x, i32([0, 1], [2, 3])])
    yield Case("GatherNd", [x, i32([[2], [0]])])
    yield Case("Slice", [x, i32(0, 1, 2), i32(-1, 2, 3)])
    for more in ({}, {"begin_mask": 1}, {"end_mask": 2}, {"shrink_axis_mask": 1},
                 {"new_axis_mask": 2}, {"ellipsis_mask": 2}):
        yield Case("StridedSlice", [x, i32(1, 0, 1), i32(3, 3, 4), i32(1, 2, 1)], more)
    yield Case("StridedSlice", [x, i32(2, -1), i32(0, -4), i32(-1, -1)])
    for axis, kind in itertools.product((-1, 0, 1), (np.float32, np.int32, np.bool_)):
        yield Case("OneHot", [i32([0, 2], [5, 1]), np.int32(4), kind(1), kind(0)], {"axis": axis})
    for k in (1, 3):  # sorted=False leaves the order open: there is nothing to compare
        yield Case("TopKV2", [x, np.int32(k)], {"sorted": True})
    for axes in (i32(0), i32(1, 2), i32()):
        yield Case("ReverseV2", [x, axes])
    yield Case("ReverseSequence", [x, i32(2, 4, 1)], {"seq_dim": 1})
    yield Case("ReverseSequence", [x, i64(2, 1, 3, 3)], {"seq_dim": 0, "batch_dim": 1})
    yield from _detections()
    yield Case("TensorScatterUpdate", [x, i32([1], [0]), f32(2, 4, 5)])
    for lower, upper in ((1, -1), (-1, 0), (0, 2), (-1, -1)):
        yield Case("MatrixBandPart", [x, np.int64(lower), np.int64(upper)])
    for shift, axis in ((i32(1), i32(1)), (i32(-2, 4), i32(0, 2)), (np.int32(7), np.int32(-1)),
                        (i32(0), i32(0))):
        yield Case("Roll", [x, shift, axis])


def _detections() -> Iterator[Case]:
    corners = RNG.uniform(-0.1, 1.1, (2, 30, 5, 2, 2)).astype(np.float32)
    boxes = np.sort(corners, axis=3).reshape(2, 30, 5, 4)
    scores = RNG.permuted(np.linspace(0, 1, 300, dtype=np.float32)).reshape(2, 30, 5)
    for shared, padded, clipped in itertools.product(FLAGS, FLAGS, FLAGS):
        for each, most in ((3, 10), (2, 40), (30, 7)):
            yield Case("CombinedNonMaxSuppression",
                       [boxes[:, :, :1] if shared else boxes, scores, np.int32(each),
                        np.int32(most), np.float32(0.3), np.float32(0.25)],
                       {"pad_per_class": padded, "clip_boxes": clipped})
    yield from _suppressions()


def _suppressions() -> Iterator[Case]:
    low = RNG.uniform(0, 4, (30, 2)).astype(np.float32)
    boxes = np.concatenate([low, low + RNG.uniform(1, 4, (30, 2))], 1).astype(np.float32)
    boxes[::3] = boxes[::3][:, [2, 1, 0, 3]]  # corners in another order
    scores = RNG.permuted(np.linspace(0, 1, 30, dtype=np.float32))
    scores[4] = scores[9]
    for most, overlap, least in ((5, 0.5, 0.3), (40, 0.2, 0), (30, 0.7, 0.9), (3, 0.5, 2),
                                 (0, 1, 0), (30, 1, -np.inf), (30, 0, -1)):
        given = [boxes, scores, np.int32(most), np.float32(overlap), np.float32(least)]
        yield Case("NonMaxSuppression", given[:3], {"iou_threshold": overlap})
        yield Case("NonMaxSuppressionV2", given[:4])
        yield Case("NonMaxSuppressionV3", given, all_fed=False)
        for padded in FLAGS:
            more = {"pad_to_max_output_size": padded}
            yield Case("NonMaxSuppressionV4", given, more)
            for sigma in (0, 0.5):
                yield Case("NonMaxSuppressionV5", [*given, np.float32(sigma)], more)


def _dynamic() -> Iterator[Case]:
    """Results with as many elements as the data say."""
    for x in (truth(5), truth(2, 3), zeros_too(2, 3, 2), truth(0), i32(0, 3, 0, -1)):
        yield Case("Where", [x])
    few = RNG.integers(0, 4, (9,))
    for kind in (np.float32, np.int32, np.int64, np.int8):
        for op, to in itertools.product(("Unique", "UniqueWithCounts"), (np.int32, np.int64)):
            yield Case(op, [few.astype(kind)], {"out_idx": to})
    rows = RNG.integers(0, 2, (6, 2, 3)).astype(np.float32)
    for op, axis in itertools.product(("UniqueV2", "UniqueWithCountsV2"), (0, 1, -1, 2)):
        yield Case(op, [rows, i32(axis)], {"out_idx": np.int32})
        yield Case(op, [few.astype(np.float32), np.zeros(0, np.int64)], {"out_idx": np.int64})
    for count in (1, 3, 4):
        yield Case("DynamicPartition", [f32(5, 2), i32(0, 2, 0, 1, 0)], {"num_partitions": count})
        yield Case("DynamicPartition", [f32(3), i32(0, 0, 0)], {"num_partitions": count},
                   all_fed=True)


def _joining() -> Iterator[Case]:
    yield Case("AddN", [[f32(2, 3), f32(2, 3), f32(2, 3)]])
    yield Case("IdentityN", [[f32(2, 3), whole(4)]])
    yield Case("ShapeN", [[f32(2, 3), f32(4, 3)]])
    for axis in (0, 1, -1):
        yield Case("ConcatV2", [[f32(2, 3), f32(2, 3)], np.int32(axis)])
        yield Case("Concat", [np.int32(axis % 2), [f32(2, 3), f32(2, 3)]], fed=1)
        yield Case("Pack", [[f32(2, 3), f32(2, 3)]], {"axis": axis})
        yield Case("Unpack", [f32(2, 2)], {"axis": axis, "num": 2})
        yield Case("Split", [np.int32(axis), f32(4, 4)], {"num_split": 2}, fed=1)
        yield Case("SplitV", [f32(4, 4), i32(1, 3), np.int32(axis)], {"num_split": 2})
        yield Case("SplitV", [f32(4, 4), i32(1, -1), np.int32(axis)], {"num_split": 2})


def _shapes() -> Iterator[Case]:
    x = f32(2, 3, 4)
    for dims in (i32(-1), i32(4, 6), i64(2, -1, 2), i32(1, 24, 1)):
        yield Case("Reshape", [x, dims])
    yield Case("Squeeze", [f32(1, 3, 1)])
    yield Case("Squeeze", [f32(1, 3, 1)], {"axis": [-1]})
    for axis in (0, 2, -1):
        yield Case("ExpandDims", [x, np.int32(axis)])
    yield Case("Transpose", [x, i32(2, 0, 1)])
    yield Case("Tile", [x, i32(2, 1, 3)])
    yield Case("BroadcastTo", [f32(3, 1), i32(2, 3, 4)])
    yield Case("EnsureShape", [x], {"shape": [None, 3, 4]})
    yield Case("PlaceholderWithDefault", [x], {"shape": [2, 3, 4]})
    yield Case("Fill", [i32(2, 3), np.float32(1.5)], fed=-1)
    yield Case("Fill", [i64(2), np.int32(7)], fed=-1)
    yield Case("Range", [np.int32(1), np.int32(9), np.int32(3)], fed=-1)
    yield Case("Range", [np.float32(1), np.float32(0), np.float32(-0.25)], fed=-1)
    yield Case("LinSpace", [np.float32(0), np.float32(1), np.int32(5)], fed=-1)
    yield Case("Pad", [x, i32([1, 0], [0, 2], [3, 1])])
    yield Case("PadV2", [x, i32([1, 0], [0, 2], [3, 1]), np.float32(2)])
    for mode in ("REFLECT", "SYMMETRIC"):
        yield Case("MirrorPad", [x, i32([1, 0], [0, 2], [3, 1])], {"mode": mode})
    for to in (np.float32, np.int32, np.int64, np.uint8, np.int8, np.int16, np.bool_, np.float16,
               np.float64):
        yield Case("Cast", [x], {"DstT": to})
        yield Case("Cast", [whole(3, 4)], {"DstT": to})
    yield Case("Bitcast", [x], {"type": np.int32})
    yield Case("Diag", [f32(3)])


def _images() -> Iterator[Case]:
    x = f32(1, 4, 6, 8)
    for op, size, align, half in itertools.product(
            ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic"),
            (i32(8, 12), i32(3, 5), i32(4, 6)), FLAGS, FLAGS):
        yield Case(op, [x, size], {"align_corners": align, "half_pixel_centers": half})
    for op, order in itertools.product(("SpaceToDepth", "DepthToSpace"), ("NHWC", "NCHW")):
        shape = (1, 4, 6, 8) if order == "NHWC" else (1, 8, 4, 6)
        yield Case(op, [f32(*shape)], {"block_size": 2, "data_format": order})
    pads = i32([0, 0], [1, 1])
    yield Case("SpaceToBatch", [x, pads], {"block_size": 2})
    yield Case("BatchToSpace", [f32(4, 2, 3, 5), pads], {"block_size": 2})
    yield Case("SpaceToBatchND", [x, i32(2, 3), i32([0, 0], [1, 2])])
    yield Case("BatchToSpaceND", [f32(6, 2, 3, 5), i32(2, 3), i32([0, 1], [1, 2])])
    for padding, rate in itertools.product(("VALID", "SAME"), (1, 2)):
        yield Case("ExtractImagePatches", [x], {
            "ksizes": [1, 2, 2, 1], "strides": [1, 2, 1, 1], "rates": [1, rate, rate, 1],
            "padding": padding})


def _windows() -> Iterator[Case]:
    x = f32(1, 5, 6, 3)
    for padding, stride, dilation in itertools.product(("VALID", "SAME"), (1, 2), (1, 2)):
        attrs = {"strides": [1, stride, stride, 1], "padding": padding}
        if stride == 1 or dilation == 1:
            wide = {**attrs, "dilations": [1, dilation, dilation, 1]}
            yield Case("Conv2D", [x, f32(3, 2, 3, 4)], wide)
            yield Case("DepthwiseConv2dNative", [x, f32(3, 2, 3, 2)], wide)
        if dilation == 1:
            out = [-(-s // stride) if padding == "SAME" else (s - k) // stride + 1
                   for s, k in zip((5, 6), (3, 2))]
            yield Case("Conv2DBackpropInput", [i32(1, 5, 6, 3), f32(3, 2, 3, 4),
                                               f32(1, *out, 4)], attrs, fed=2)
            for op in ("MaxPool", "AvgPool"):
                yield Case(op, [x], {"ksize": [1, 3, 2, 1], **attrs})
            yield Case("MaxPoolV2", [x, i32(1, 3, 2, 1), i32(1, stride, stride, 1)],
                       {"padding": padding})
    yield Case("Conv2D", [x, f32(3, 2, 3, 4)], {
        "strides": [1, 1, 2, 1], "padding": "EXPLICIT",
        "explicit_paddings": [0, 0, 1, 0, 2, 1, 0, 0]})
    yield Case("Conv2D", [f32(1, 5, 6, 4), f32(2, 2, 2, 6)], {"strides": [1] * 4,
                                                              "padding": "SAME"})
    yield Case("Conv3D", [f32(1, 3, 4, 5, 2), f32(2, 2, 2, 2, 3)],
               {"strides": [1] * 5, "padding": "SAME"})


def _norms() -> Iterator[Case]:
    x, parts = f32(1, 4, 5, 3), [positive(3) for _ in range(4)]
    for op in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
        for epsilon, training in itertools.product((1e-3, 0.5), FLAGS):
            yield Case(op, [x, *parts], {"epsilon": epsilon, "is_training": training})
    for scaled in FLAGS:
        yield Case("BatchNormWithGlobalNormalization", [x, *parts], {
            "variance_epsilon": 0.25, "scale_after_normalization": scaled})
    yield Case("LRN", [f32(1, 3, 3, 7)])
    yield Case("LRN", [f32(1, 3, 3, 7)], {"depth_radius": 2, "bias": 2.0, "alpha": 0.5,
                                          "beta": 0.75})
    for shape in ((2, 3), (1, 4, 5, 3), (2, 4, 3)):
        yield Case("BiasAdd", [f32(*shape), f32(3)])
        yield Case("BiasAddV1", [f32(*shape), f32(3)])
    yield Case("BiasAdd", [f32(1, 3, 4, 5), f32(3)], {"data_format": "NCHW"})


def _rounding() -> Iterator[Case]:
    for bits, narrow, (low, high) in itertools.product(
            (8, 4, 2), FLAGS, ((-1, 1.5), (0.3, 2), (-2, -0.7), (0, 1))):
        attrs = {"num_bits": bits, "narrow_range": narrow}
        x, ranges = f32(2, 3, 4), [np.float32(low), np.float32(high)]
        yield Case("FakeQuantWithMinMaxArgs", [x], {"min": low, "max": high, **attrs})
        yield Case("FakeQuantWithMinMaxVars", [x, *ranges], attrs)
        yield Case("FakeQuantWithMinMaxVarsPerChannel", [x[..., :1], *(r[None] for r in ranges)],
                   attrs)
    yield Case("FakeQuantWithMinMaxVarsPerChannel",
               [f32(3, 2), np.float32([-1, -2]), np.float32([1, 2])])
    yield Case("FakeQuantWithMinMaxVars", [f32(3, 2), np.float32(-1), np.float32(1)],
               {"num_bits": 16})
