"""Models of one TFLite operator each: every operator that converts, with options, types and edges.

SPDX-License-Identifier: Apache-2.0

LiteRT is their reference (importers/tflite/litert_test.py).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tflite
from flatbuffers import flexbuffers

from mace_tools.testing import tflite_dynamic, tflite_lookups
from mace_tools.testing.tflite_control import branches, swish, while_
from mace_tools.testing.tflite_file import Maker, offsets
from mace_tools.testing.tflite_recurrent import models

RNG = np.random.default_rng(5)
X = np.float32([[-2.5, -0.5, 0, 1], [0.5, 1.5, 2.5, -1]])
P = np.abs(X) + np.float32(0.25)
B = X > 0
I = np.int32([[-7, 5, 0, 3], [2, -1, 9, -4]])  # noqa: E741
J = np.int32([[2, -3, 4, 1], [-2, 5, 3, 7]])
IMG = RNG.uniform(-1, 1, (2, 6, 5, 4)).astype(np.float32)
VOLUME = RNG.uniform(-1, 1, (2, 5, 6, 4, 3)).astype(np.float32)


@dataclass
class Case:
    """`operands` after the first `fed` are constants, but for `variables`, which are tensors that
    keep their contents; `out` has the types of the results."""

    op: str
    operands: list[Any]
    options: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    fed: int = 1
    out: tuple[str, ...] = ("float32",)
    constants_first: int = 0  # so many constants before those that are fed
    variables: frozenset[int] = frozenset()
    extra: Callable[[Maker], None] = lambda m: None  # changes the model last

    def __str__(self) -> str:
        shapes = ",".join(str(list(np.shape(o))) for o in self.operands)
        return f"{self.op}-{shapes}-{'-'.join(f'{k}={v}' for k, v in self.fields.items())}"[:90]

    def model(self) -> tuple[Maker, dict[str, np.ndarray], list[str]]:
        m, feeds, names = Maker(), {}, []
        for k, operand in enumerate(self.operands):
            if operand is None:
                names.append("")
                continue
            array = np.asarray(operand)
            names.append(f"in{k}")
            if k in self.variables:
                m.variables.add(m.tensor(f"in{k}", array.shape))
            elif self.constants_first <= k < self.constants_first + self.fed:
                feeds[m.tensor(f"in{k}", array.shape, array.dtype.name)] = array
            else:
                m.const(f"in{k}", array)
        outputs = [m.tensor(f"y{k}", (), kind) for k, kind in enumerate(self.out)]
        m.op(self.op, names, outputs, self.options, **self.fields)
        self.extra(m)
        return m, feeds, outputs


def i32(*values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def _f(*shape: int) -> np.ndarray:
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def _each(ops: str, *operands: Any, options: str = "", fed: int = 1, out: str = "float32",
          **fields: Any) -> list[Case]:
    return [Case(op, list(operands), options, fields, fed, (out,)) for op in ops.split()]


_FUSED = [{}, {"FusedActivationFunction": 1}, {"FusedActivationFunction": 2},
          {"FusedActivationFunction": 3}]
_STEP = {"StrideH": 1, "StrideW": 1}


def _arithmetic() -> list[Case]:
    return [
        *_each("SUB MUL DIV ADD MAXIMUM MINIMUM SQUARED_DIFFERENCE", X, P, fed=2),
        *_each("SUB MUL ADD MAXIMUM MINIMUM SQUARED_DIFFERENCE", X, P[0]),
        *_each("SUB MUL ADD MAXIMUM MINIMUM FLOOR_MOD FLOOR_DIV", I, J, fed=2, out="int32"),
        *_each("POW FLOOR_DIV FLOOR_MOD", P, P[:, ::-1].copy(), fed=2),
        *_each("FLOOR_MOD FLOOR_DIV", X, P, fed=2),
        *[Case("ADD", [3 * X, P], "AddOptions", f) for f in _FUSED],
        *[Case("MUL", [3 * X, P], "MulOptions", f) for f in _FUSED],
        *_each("EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL", X, -X, fed=2, out="bool"),
        *_each("EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL", I, J[0], out="bool"),
        *_each("EQUAL NOT_EQUAL", B, ~B[:, ::-1], fed=2, out="bool"),
        *_each("LOGICAL_AND LOGICAL_OR", B, ~B[0], fed=2, out="bool"),
        *_each("LOGICAL_NOT", B, out="bool"),
        *_each("ABS NEG EXP SQUARE FLOOR CEIL ROUND SIGN SIN COS RELU RELU6 RELU_N1_TO_1 "
               "RELU_0_TO_1 TANH LOGISTIC ELU HARD_SWISH", 3 * X),
        *_each("LOG SQRT RSQRT", P), *_each("ABS NEG", I, out="int32"),
        Case("ATAN2", [X, X[::-1].copy()], fed=2),
        Case("ATAN2", [np.float32([0, -0.0, 0, -0.0, 1, -1, np.inf, -np.inf, np.inf, 1, 1, np.nan]),
                       np.float32([0, 0, -0.0, -0.0, -0.0, 0, np.inf, np.inf, -np.inf, np.inf,
                                   -np.inf, 1])], fed=2),
        Case("LEAKY_RELU", [X], "LeakyReluOptions", {"Alpha": 0.2}),
        Case("PRELU", [IMG, _f(1, 1, 4)]), Case("PRELU", [X, _f(4)]),
        Case("GELU", [X], "GeluOptions"), Case("GELU", [X], "GeluOptions", {"Approximate": True}),
        Case("ADD_N", [X, P, X], "AddNOptions", fed=3),
        *[Case("SOFTMAX", [x], "SoftmaxOptions", {"Beta": beta})
          for x, beta in ((X, 1.0), (X, 0.5), (IMG, 2.0))],
        *_each("LOG_SOFTMAX", X), *_each("LOG_SOFTMAX", 30 * IMG),
        *_each("SELECT_V2", B, X, P, fed=3), *_each("SELECT_V2", B[:, :1], X[0], P, fed=3),
        *_each("SELECT", B, X, P, fed=3), *_each("SELECT", B[:, 0], X, P, fed=3),
        *_each("SELECT SELECT_V2", B, I, J, fed=3, out="int32"),
        Case("CAST", [X], "CastOptions", {"InDataType": 0, "OutDataType": 2}, out=("int32",)),
        Case("CAST", [I], "CastOptions", {"InDataType": 2, "OutDataType": 0}),
        Case("CAST", [X], "CastOptions", {"InDataType": 0, "OutDataType": 6}, out=("bool",)),
        Case("DEQUANTIZE", [X.astype(np.float16)], "DequantizeOptions"),
        Case("DEQUANTIZE", [X.astype(np.float16)], "DequantizeOptions", fed=0),
        *[Case("CUMSUM", [X, np.int32(axis)], "CumsumOptions", {"Exclusive": e, "Reverse": r})
          for axis in (0, -1) for e in (False, True) for r in (False, True)],
        *_each("STABLEHLO_ADD STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_MINIMUM", X, P, fed=2),
        *_each("STABLEHLO_ADD STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_MINIMUM", I, J, fed=2,
               out="int32"),
        *_each("STABLEHLO_AND", B, ~B[:, ::-1], fed=2, out="bool"),
        Case("STABLEHLO_SHIFT_LEFT", [I, i32([1, 2, 3, 4], [0, 31, 7, 30])],
             "StablehloShiftLeftOptions", out=("int32",)),
        Case("RIGHT_SHIFT", [1000 * I, i32([1, 2, 3, 4], [0, 31, 7, 30])], "RightShiftOptions",
             out=("int32",)),
        Case("RIGHT_SHIFT", [I.astype(np.int8), np.int8([[1, 2, 3, 4], [0, 7, 1, 2]])],
             "RightShiftOptions", out=("int8",)),
        Case("BUCKETIZE", [np.append(X, np.float32([3, np.inf, np.nan]))], "BucketizeOptions",
             {"Boundaries": np.float32([-1, 0, 1, 2.5])}, out=("int32",)),
        Case("BUCKETIZE", [I], "BucketizeOptions", {"Boundaries": np.float32([-1, 0.5, 5])},
             out=("int32",)),
    ]


def _reductions() -> list[Case]:
    cases = []
    for op in "MEAN SUM REDUCE_MAX REDUCE_MIN REDUCE_PROD".split():
        for axes, keep in (([0], False), ([1], True), ([-1, 1], False), ([0, 1, 2, 3], True)):
            x = X if axes in ([0], [1]) else IMG
            cases.append(Case(op, [x, i32(*axes)], "ReducerOptions", {"KeepDims": keep}))
    for op in ("REDUCE_ANY", "REDUCE_ALL"):
        cases += [Case(op, [B, i32(1)], "ReducerOptions", {"KeepDims": k}, out=("bool",))
                  for k in (False, True)]
    for op, table in (("ARG_MAX", "ArgMaxOptions"), ("ARG_MIN", "ArgMinOptions")):
        cases += [Case(op, [x, np.int32(axis)], table, {"OutputType": kind}, out=(name,))
                  for x, axis in ((X, 1), (IMG, -2)) for kind, name in ((2, "int32"), (4, "int64"))]
    cases += [Case("BATCH_MATMUL", [a, c], "BatchMatMulOptions", {"AdjX": ax, "AdjY": ay}, fed=2)
              for a, c, ax, ay in ((_f(2, 3), _f(3, 4), False, False),
                                   (_f(5, 3, 2), _f(5, 3, 4), True, False),
                                   (_f(2, 1, 2, 3), _f(3, 4, 3), False, True))]
    return cases


def _windows() -> list[Case]:
    cases = []
    for padding in (0, 1):
        for fused in (0, 3):
            more = {"Padding": padding, "FusedActivationFunction": fused}
            cases += [
                Case("CONV_2D", [IMG, _f(3, 3, 2, 4), _f(3)], "Conv2DOptions",
                     {"StrideH": 2, "StrideW": 1, **more}),
                Case("CONV_2D", [IMG, _f(3, 2, 2, 4), _f(3)], "Conv2DOptions",
                     {**_STEP, "DilationHFactor": 2, "DilationWFactor": 3, **more}),
                Case("DEPTHWISE_CONV_2D", [IMG, _f(1, 3, 2, 8), _f(8)], "DepthwiseConv2DOptions",
                     {"StrideH": 2, "StrideW": 2, "DepthMultiplier": 2, **more}),
                Case("DEPTHWISE_CONV_2D", [IMG, _f(1, 3, 2, 4), _f(4)], "DepthwiseConv2DOptions",
                     {**_STEP, "DepthMultiplier": 1, "DilationHFactor": 2, **more}),
                *[Case(op, [IMG], "Pool2DOptions", {"FilterHeight": 3, "FilterWidth": 2,
                                                    "StrideH": 2, "StrideW": 1, **more})
                  for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")],
            ]
        for d, h, w, gap in ((1, 1, 1, 1), (2, 1, 2, 1), (1, 2, 1, 2)):
            fields = {"Padding": padding, "StrideD": d, "StrideH": h, "StrideW": w}
            if gap == 1 or d == h == w == 1:
                cases.append(Case("CONV_3D_TRANSPOSE", [_size3(padding, d, h, w), _f(2, 3, 2, 4, 3),
                                                        VOLUME, _f(4)], "Conv3DOptions",
                                  {**fields, "DilationDFactor": 1, "DilationHFactor": 1,
                                   "DilationWFactor": 1}, constants_first=2))
            cases.append(Case("CONV_3D", [VOLUME, _f(2, 3, 2, 3, 4), _f(4)], "Conv3DOptions",
                              {**fields, "DilationDFactor": gap, "DilationHFactor": 1,
                               "DilationWFactor": 1}))
    cases.append(Case("CONV_2D", [IMG, _f(6, 3, 3, 2), _f(6)], "Conv2DOptions", _STEP))  # groups
    for padding, size in ((0, (2, 13, 11, 3)), (1, (2, 12, 10, 3)), (1, (2, 11, 9, 3))):
        cases.append(Case("TRANSPOSE_CONV", [i32(*size), _f(3, 3, 3, 4), IMG],
                          "TransposeConvOptions", {"Padding": 1 - padding, "StrideH": 2,
                                                   "StrideW": 2}, constants_first=2))
    cases += [Case("FULLY_CONNECTED", [X, _f(3, 4), _f(3)], "FullyConnectedOptions", f)
              for f in _FUSED]
    cases += [
        Case("FULLY_CONNECTED", [_f(2, 3, 4), _f(5, 4)], "FullyConnectedOptions",
             {"KeepNumDims": True}),
        Case("FULLY_CONNECTED", [_f(2, 3, 4), _f(5, 4)], "FullyConnectedOptions"),
        Case("L2_NORMALIZATION", [IMG], "L2NormOptions"),
        Case("L2_NORMALIZATION", [np.zeros((1, 4), np.float32)], "L2NormOptions"),
        Case("LOCAL_RESPONSE_NORMALIZATION", [IMG], "LocalResponseNormalizationOptions",
             {"Radius": 1, "Bias": 2.0, "Alpha": 0.5, "Beta": 0.75}),
    ]
    return cases


def _size3(padding: int, d: int, h: int, w: int) -> np.ndarray:
    """The output's shape of a transposed convolution of VOLUME with a filter of 2 x 3 x 2."""
    extents = [(e - 1) * s + k if padding else e * s
               for e, s, k in zip(VOLUME.shape[1:4], (d, h, w), (2, 3, 2))]
    return i32(2, *extents, 4)


def _shapes() -> list[Case]:
    tall = RNG.uniform(-1, 1, (4, 3, 2, 4)).astype(np.float32)
    cases = [
        Case("TRANSPOSE", [IMG, i32(3, 0, 2, 1)]), Case("TILE", [X, i32(2, 3)]),
        Case("TILE", [I, i32(1, 2)], out=("int32",)),
        Case("PAD", [IMG, i32([0, 0], [1, 2], [0, 1], [3, 0])], "PadOptions"),
        Case("PADV2", [X, i32([1, 0], [0, 2]), np.float32(7)], "PadV2Options"),
        *[Case("MIRROR_PAD", [IMG, i32([0, 0], [1, 1], [2, 1], [1, 1])], "MirrorPadOptions",
               {"Mode": m}) for m in (0, 1)],
        *[Case("EXPAND_DIMS", [X, np.int32(a)], "ExpandDimsOptions") for a in (0, 1, -1)],
        Case("SQUEEZE", [_f(1, 3, 1, 2)], "SqueezeOptions", {"SqueezeDims": [2]}),
        Case("SQUEEZE", [_f(1, 3, 1, 2)], "SqueezeOptions"),
        Case("RESHAPE", [X, i32(4, -1)], "ReshapeOptions", {"NewShape": [4, -1]}),
        Case("RESHAPE", [X], "ReshapeOptions", {"NewShape": [2, 2, 2]}),
        *[Case("SHAPE", [IMG], "ShapeOptions", {"OutType": k}, out=(t,))
          for k, t in ((2, "int32"), (4, "int64"))],
        Case("RANK", [IMG], "RankOptions", out=("int32",)),
        *[Case("CONCATENATION", [X, P, X], "ConcatenationOptions", {"Axis": a}, fed=2)
          for a in (0, 1, -1)],
        *[Case("PACK", [X, P], "PackOptions", {"Axis": a, "ValuesCount": 2}, fed=2)
          for a in (0, 2, -1)],
        Case("UNPACK", [X], "UnpackOptions", {"Axis": -1, "Num": 4}, out=("float32",) * 4),
        Case("SPLIT", [np.int32(1), X], "SplitOptions", {"NumSplits": 2}, out=("float32",) * 2,
             constants_first=1),
        Case("SPLIT_V", [X, i32(1, -1), np.int32(1)], "SplitVOptions", {"NumSplits": 2},
             out=("float32",) * 2),
        Case("BROADCAST_TO", [X, i32(3, 2, 4)], "BroadcastToOptions"),
        Case("BROADCAST_ARGS", [i32(3, 1, 4), i32(2, 1)], out=("int32",), fed=0),
        Case("FILL", [i32(2, 3), np.float32(1.5)], "FillOptions", fed=0),
        Case("ZEROS_LIKE", [X], "ZerosLikeOptions"),
        Case("RANGE", [np.float32(1), np.float32(4), np.float32(0.5)], "RangeOptions", fed=0),
        Case("SPACE_TO_BATCH_ND", [IMG, i32(2, 3), i32([0, 0], [1, 0])], "SpaceToBatchNDOptions"),
        Case("BATCH_TO_SPACE_ND", [tall, i32(2, 2), i32([0, 1], [1, 0])], "BatchToSpaceNDOptions"),
        Case("SPACE_TO_DEPTH", [tall[:, :2]], "SpaceToDepthOptions", {"BlockSize": 2}),
        Case("DEPTH_TO_SPACE", [IMG], "DepthToSpaceOptions", {"BlockSize": 2}),
        Case("STABLEHLO_PAD", [X, np.float32(3)], "StablehloPadOptions",
             {"EdgePaddingLow": np.int64([1, 0]), "EdgePaddingHigh": np.int64([0, 2]),
              "InteriorPadding": np.int64([1, 2])}),
        Case("STABLEHLO_PAD", [IMG, np.float32(0)], "StablehloPadOptions",
             {"EdgePaddingLow": np.int64([0, -1, 1, 0]),
              "EdgePaddingHigh": np.int64([1, -2, 0, 0]),
              "InteriorPadding": np.int64([0, 1, 0, 0])}),
        Case("DILATE", [IMG, i32(1, 2, 3, 1), np.float32(-1)], "DilateOptions"),
        *[Case("REDUCE_WINDOW", [IMG, np.float32(start), np.int64([1, 3, 2, 1]),
                                 np.int64([1, 2, 1, 1]), np.int64([1, 1, 2, 1])],
               "ReduceWindowOptions", {"ReduceFunction": k})
          for k, start in ((1, 0.5), (2, 2), (3, 0.1), (4, 0.1))],
    ]
    for name in ("BILINEAR", "NEAREST_NEIGHBOR"):
        table = "ResizeBilinearOptions" if name == "BILINEAR" else "ResizeNearestNeighborOptions"
        cases += [Case(f"RESIZE_{name}", [IMG, i32(h, w)], table,
                       {"AlignCorners": a, "HalfPixelCenters": c})
                  for h, w in ((9, 4), (3, 10)) for a, c in ((0, 0), (1, 0), (0, 1))]
    return cases


def _indexing() -> list[Case]:
    rows = _f(5, 2, 3)
    ids = i32(2, 0, 2, -1, 1)
    cases = [
        *[Case("GATHER", [IMG, i32([1, 0], [0, 1])], "GatherOptions", {"Axis": a}) for a in (0, 2)],
        Case("GATHER", [X, i32([3, 0], [1, 2])], "GatherOptions", {"Axis": 1, "BatchDims": 1}),
        Case("GATHER_ND", [X, i32([1, 2], [0, 3])], "GatherNdOptions"),
        Case("EMBEDDING_LOOKUP", [i32(1, 0, 1), rows], fed=1),
        *(Case(*given) for given in tflite_lookups.cases(RNG)),
        Case("SLICE", [X, i32(0, 1), i32(-1, 2)], "SliceOptions"),
        Case("STRIDED_SLICE", [X, i32(0, 3), i32(9, 0), i32(1, -2)], "StridedSliceOptions",
             {"BeginMask": 1, "EndMask": 1}),
        Case("STRIDED_SLICE", [IMG, i32(0, 1), i32(0, 3), i32(1, 1)], "StridedSliceOptions",
             {"ShrinkAxisMask": 1}),
        Case("ONE_HOT", [i32([0, 2], [3, -1]), np.int32(3), np.float32(2), np.float32(-1)],
             "OneHotOptions", {"Axis": -1}),
        Case("ONE_HOT", [i32(0, 2), np.int32(3), np.float32(1), np.float32(0)], "OneHotOptions",
             {"Axis": 0}),
        Case("TOPK_V2", [X, np.int32(2)], "TopKV2Options", out=("float32", "int32")),
        Case("REVERSE_V2", [IMG, i32(1)], "ReverseV2Options"),
        Case("REVERSE_SEQUENCE", [rows, i32(2, 1, 2, 1, 2)], "ReverseSequenceOptions",
             {"SeqDim": 1, "BatchDim": 0}),
        Case("SPARSE_TO_DENSE", [i32([0, 1], [2, 3]), i32(3, 4), np.float32([5, 6]),
                                 np.float32(-1)], "SparseToDenseOptions"),
        Case("SPARSE_TO_DENSE", [i32(1, 3), i32(5), np.float32([5, 6]), np.float32(0)],
             "SparseToDenseOptions"),
        Case("MATRIX_DIAG", [X], "MatrixDiagOptions"),
        *[Case("MATRIX_SET_DIAG", [_f(2, r, c), _f(2, min(r, c))], "MatrixSetDiagOptions", fed=2)
          for r, c in ((3, 3), (2, 4), (4, 2))],
        *[Case("DYNAMIC_UPDATE_SLICE", [IMG, _f(*part), i32(*start)], "DynamicUpdateSliceOptions",
               fed=3)
          for part, start in (((1, 2, 5, 4), (1, 3, 0, 0)), ((2, 2, 2, 2), (0, 9, -3, 1)),
                              ((2, 6, 5, 4), (0, 0, 0, 0)))],
        Case("SEGMENT_SUM", [rows, i32(0, 0, 1, 2, 2)], "SegmentSumOptions"),
        *[Case(f"UNSORTED_SEGMENT_{kind}", [data, ids, np.int32(4)],
               f"UnsortedSegment{kind.title()}Options", fed=2, out=(data.dtype.name,))
          for kind in ("SUM", "PROD", "MAX", "MIN")
          for data in (rows, np.int32(10 * rows))],
        Case("SCATTER_ND", [i32([1, 2], [0, 3]), np.float32([5, 6]), i32(2, 4)],
             "ScatterNdOptions", fed=1),
    ]
    for indices in (i32([2], [0]), i32([2], [0], [2])):
        updates = _f(len(indices), 3, 2)
        cases += [Case("SCATTER_ND", [indices, updates, i32(4, 3, 2)], "ScatterNdOptions", fed=k,
                       constants_first=first) for k, first in ((2, 0), (1, 1))]
    return cases


def _compressed(b: Any) -> int:
    """Rows of which each lists the columns that are there."""
    vectors = [b.CreateNumpyVector(v) for v in (np.uint8([0, 2, 3, 3]), np.uint16([0, 3, 1]))]
    tflite.Uint8VectorStart(b)
    tflite.Uint8VectorAddValues(b, vectors[0])
    begins = tflite.Uint8VectorEnd(b)
    tflite.Uint16VectorStart(b)
    tflite.Uint16VectorAddValues(b, vectors[1])
    columns = tflite.Uint16VectorEnd(b)
    tflite.DimensionMetadataStart(b)
    tflite.DimensionMetadataAddFormat(b, 0)
    tflite.DimensionMetadataAddDenseSize(b, 3)
    rows = tflite.DimensionMetadataEnd(b)
    tflite.DimensionMetadataStart(b)
    tflite.DimensionMetadataAddFormat(b, 1)
    tflite.DimensionMetadataAddArraySegmentsType(b, 3)
    tflite.DimensionMetadataAddArraySegments(b, begins)
    tflite.DimensionMetadataAddArrayIndicesType(b, 2)
    tflite.DimensionMetadataAddArrayIndices(b, columns)
    listed = tflite.DimensionMetadataEnd(b)
    levels, order = offsets(b, [rows, listed]), b.CreateNumpyVector(np.int32([0, 1]))
    tflite.SparsityParametersStart(b)
    tflite.SparsityParametersAddTraversalOrder(b, order)
    tflite.SparsityParametersAddDimMetadata(b, levels)
    return tflite.SparsityParametersEnd(b)


def _sparse(m: Maker) -> None:
    """Makes the first constant, of three values, a matrix of 3 x 4."""
    k = m.index["in0"]
    m.tensors[k] = (m.tensors[k][0], (3, 4), *m.tensors[k][2:])
    m.sparse["in0"] = _compressed


def _graphs() -> list[Case]:
    return [
        Case("DENSIFY", [np.float32([5, 6, 7])], "DensifyOptions", fed=0, extra=_sparse),
        Case("IF", [np.array([True]), X], "IfOptions", {"ThenSubgraphIndex": 1,
             "ElseSubgraphIndex": 2}, fed=2, extra=branches),
        Case("IF", [np.array([False]), X], "IfOptions", {"ThenSubgraphIndex": 1,
             "ElseSubgraphIndex": 2}, fed=2, extra=branches),
        Case("WHILE", [X, i32(0)], "WhileOptions", {"CondSubgraphIndex": 1,
             "BodySubgraphIndex": 2}, fed=2, out=("float32", "int32"), extra=while_),
        Case("WHERE", [X > 0], out=("int64",)),
        *[Case(*given) for given in tflite_dynamic.cases(RNG)],
        Case("STABLEHLO_COMPOSITE", [X, P], "StableHLOCompositeOptions",
             {"Name": "my.swish", "DecompositionSubgraphIndex": 1,
              "CompositeAttributes": np.frombuffer(flexbuffers.Dumps({}), np.uint8)}, fed=2,
             out=("float32", "float32"), extra=swish),
    ]


def _recurrent() -> list[Case]:
    """The first model of each operator; all of them run in importers/tflite/recurrent_test.py."""
    cases: dict[str, Case] = {}
    for model in models().values():
        if model.op in cases:
            continue
        made = {tensor[0]: tensor for tensor in model.maker.tensors}
        held = frozenset(k for k, name in enumerate(model.names) if name in model.maker.variables)
        operands = [_f(*model.shape), *(None if not name else np.zeros(made[name][1], np.float32)
                                        if k in held else made[name][3]
                                        for k, name in enumerate(model.names) if k > 0)]
        cases[model.op] = Case(model.op, operands, model.table, model.fields,
                               out=("float32",) * len(model.outputs), variables=held)
    return list(cases.values())


CASES = [*_arithmetic(), *_reductions(), *_windows(), *_shapes(), *_indexing(), *_graphs(),
         *_recurrent()]
