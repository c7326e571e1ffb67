"""The grid of operators on quantized tensors.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

import numpy as np

from mace_tools.testing.quantized_cases import (
    N1_TO_1,
    NONE,
    RELU,
    RELU6,
    TYPES,
    Case,
    Draw,
    Out,
    Quantized,
    bias,
    every_value,
    i32,
    like,
    turns,
)

ACTIVATIONS = (NONE, RELU, RELU6, N1_TO_1)
WINDOWS = (  # image, filters, kernel, groups, strides, dilations, padding
    ((1, 5, 7, 3), 8, (3, 3), 1, (1, 1), (1, 1), 0),
    ((2, 8, 6, 4), 6, (3, 3), 1, (2, 2), (1, 1), 0),
    ((1, 9, 9, 4), 5, (3, 2), 1, (2, 1), (1, 1), 1),
    ((1, 10, 11, 3), 4, (2, 3), 1, (1, 1), (2, 3), 1),
    ((1, 7, 8, 6), 9, (3, 3), 3, (1, 1), (1, 1), 0),
    ((2, 6, 6, 16), 17, (1, 1), 1, (1, 1), (1, 1), 1),
    ((1, 6, 5, 33), 12, (1, 1), 1, (2, 2), (1, 1), 0),
    ((1, 4, 4, 2), 3, (5, 5), 1, (1, 1), (1, 1), 0),
    ((1, 3, 3, 130), 2, (3, 3), 1, (1, 1), (1, 1), 0),
    ((1, 9, 4, 8), 8, (2, 2), 4, (3, 2), (1, 1), 1),
    ((1, 30, 27, 66), 64, (3, 3), 1, (1, 1), (1, 1), 0),  # large enough for Winograd's method
)


def _fields(strides: Any, dilations: Any, padding: int, activation: int) -> dict[str, int]:
    return {"StrideH": strides[0], "StrideW": strides[1], "DilationHFactor": dilations[0],
            "DilationWFactor": dilations[1], "Padding": padding,
            "FusedActivationFunction": activation}


def _scales(d: Draw, outputs: int) -> np.ndarray:
    """From 2^-20 to 2^4."""
    return np.float32(2 ** d.rng.uniform(-20, 4, outputs))


def _filter(d: Draw, shape: tuple, dtype: str, turn: int, axis: int) -> Quantized:
    """Per channel in every second turn of int8; per tensor with a zero point for uint8."""
    if dtype == "uint8":
        return d.quantized(shape, dtype, d.scale(-9, -5), turn)
    w = d.quantized(shape, dtype, d.scale(-9, -5))
    w.zero = 0
    if turn % 2 == 0:
        w.scale, w.axis = _scales(d, shape[axis]), axis
        w.zero = np.zeros(shape[axis], np.int64)
    return w


def _convolutions() -> list[Case]:
    cases, d = [], Draw(1)
    for dtype in TYPES:
        for turn in range(2 * len(WINDOWS)):
            image, outputs, kernel, group, strides, dilations, padding = WINDOWS[turn
                                                                                % len(WINDOWS)]
            x = d.quantized(image, dtype, turn=turn)
            shape = (outputs, *kernel, image[3] // group)
            w = _filter(d, shape, dtype, turn + turn // len(WINDOWS), 0)
            cases.append(_conv("CONV_2D", d, x, w, outputs, turn,
                               _fields(strides, dilations, padding, ACTIVATIONS[turn % 4])))
            multiplier = (1, 1, 2, 3)[turn % 4]
            channels = image[3] * multiplier
            w = _filter(d, (1, *kernel, channels), dtype, turn + turn // len(WINDOWS), 3)
            fields = _fields((strides[0],) * 2, dilations, padding, ACTIVATIONS[turn % 3])
            cases.append(_conv("DEPTHWISE_CONV_2D", d, x, w, channels, turn,
                               {**fields, "DepthMultiplier": multiplier}))
    return cases


def _conv(op: str, d: Draw, x: Quantized, w: Quantized, outputs: int, turn: int,
          fields: dict) -> Case:
    dtype = x.data.dtype.name
    out = d.out(dtype, turn=turn + 1, scale=d.scale(-5, 1))
    b = bias(d, outputs, np.float32(x.scale) * np.float32(w.scale))
    options = "Conv2DOptions" if op == "CONV_2D" else "DepthwiseConv2DOptions"
    return Case(op, [x, w, b], [out], options, fields)


def _fully_connected() -> list[Case]:
    cases, d = [], Draw(2)
    for dtype in TYPES:
        for turn, (rows, depth, outputs) in enumerate(
                [(1, 7, 5), (3, 64, 10), (2, 130, 33), (5, 1, 1), (1, 1024, 17), (4, 15, 16)]):
            x = d.quantized((rows, depth), dtype, turn=turn)
            w = _filter(d, (outputs, depth), dtype, turn, 0)
            if dtype == "int8" and turn == 3:
                w.zero = 7  # which a matrix of one scale may have
            b = bias(d, outputs, np.float32(x.scale) * np.float32(w.scale))
            out = d.out(dtype, d.scale(-4, 1), turn + 1)
            cases.append(Case("FULLY_CONNECTED", [x, w, b], [out], "FullyConnectedOptions",
                              {"FusedActivationFunction": ACTIVATIONS[turn % 4]}))
    return cases


def _transposed() -> list[Case]:
    cases, d = [], Draw(3)
    rows = (((1, 4, 5, 3), 2, (3, 3), (2, 2), 0), ((2, 3, 3, 4), 5, (2, 2), (2, 2), 1),
            ((1, 5, 4, 8), 3, (3, 2), (1, 2), 0), ((1, 3, 4, 17), 9, (4, 4), (3, 3), 1))
    for dtype in TYPES:
        for turn, (image, outputs, kernel, strides, padding) in enumerate(rows):
            x = d.quantized(image, dtype, turn=turn)
            w = _filter(d, (outputs, *kernel, image[3]), dtype, turn, 0)
            size = [(n - 1) * s + k if padding else n * s
                    for n, s, k in zip(image[1:3], strides, kernel)]
            b = bias(d, outputs, np.float32(x.scale) * np.float32(w.scale))
            out = d.out(dtype, d.scale(-5, 1), turn + 1)
            fields = {"Padding": padding, "StrideH": strides[0], "StrideW": strides[1]}
            operands = [i32(image[0], *size, outputs), w, x, *([b] if turn % 2 else [])]
            cases.append(Case("TRANSPOSE_CONV", operands, [out], "TransposeConvOptions", fields,
                              fed=(2,)))
    return cases


def _pairs() -> list[Case]:
    cases, d = [], Draw(4)
    shapes = (((2, 3, 5), (2, 3, 5)), ((1, 4, 7, 3), (3,)), ((2, 6), (1,)), ((3, 1, 5), (1, 4, 1)),
              ((1, 257), (1, 257)), ((4, 4), (4, 4)), ((2, 9, 7, 32), (2, 1, 1, 32)),
              ((1, 1, 1, 40), (1, 30, 31, 40)))
    for dtype in TYPES:
        for turn, (one, other) in enumerate(shapes):
            a, b = d.quantized(one, dtype, turn=turn), d.quantized(other, dtype, turn=turn // 2)
            fed = (0, 1) if turn % 2 == 0 else (0,)
            for op in ("ADD", "SUB", "MUL"):
                out = d.out(dtype, d.scale(-6, -2), turn + 1)
                cases.append(Case(op, [a, b], [out], f"{op.title()}Options",
                                  {"FusedActivationFunction": ACTIVATIONS[turn % 4]}, fed))
            if dtype == "int8":
                cases.append(Case("SQUARED_DIFFERENCE", [a, b], [d.out(dtype, d.scale(-4, 1), 0)],
                                  fed=fed))
            cases.append(_division(d, one, other, dtype, turn, fed))
            same = d.quantized(other, dtype, a.scale)
            same.zero = a.zero
            cases += [Case(op, [a, same], [like(a)], fed=fed) for op in ("MAXIMUM", "MINIMUM")]
            cases += [Case(op, [a, same if turn % 2 else b], [Out("bool")], fed=fed)
                      for op in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER",
                                 "GREATER_EQUAL")]
    return cases


def _division(d: Draw, one: tuple, other: tuple, dtype: str, turn: int, fed: tuple) -> Case:
    a, b = d.quantized(one, dtype, turn=turn), d.quantized(other, dtype, turn=turn)
    # LiteRT refuses divisors of 0, and quantized values of 0; and it shifts by more bits than there
    # are where the factor is small.
    b.data[(b.data == b.zero) | (b.data == 0)] = 1 if b.zero != 1 else 2
    out = d.out(dtype, float(np.float32(a.scale / b.scale / 130)), 3)
    return Case("DIV", [a, b], [out], "DivOptions",
                {"FusedActivationFunction": ACTIVATIONS[turn % 4]}, fed)


def _tables() -> list[Case]:
    cases, d = [], Draw(5)
    for dtype in TYPES:
        unit = Out(dtype, 1 / 256, -128 if dtype == "int8" else 0)
        half = Out(dtype, 1 / 128, 0 if dtype == "int8" else 128)
        for turn in range(8):
            x = every_value(dtype, d.scale(-7, -3), d.zero(dtype, turn))
            out = d.out(dtype, d.scale(-7, -3), turn + 1)
            cases += [Case("LOGISTIC", [x], [unit]), Case("TANH", [x], [half])]
            cases += [Case(op, [x], [out]) for op in ("RELU", "RELU6", "RELU_N1_TO_1",
                                                      "RELU_0_TO_1")]
            cases += [Case("LEAKY_RELU", [x], [out], "LeakyReluOptions", {"Alpha": alpha})
                      for alpha in (0.1, 0.7, -0.3)]
            cases.append(Case("HARD_SWISH", [x], [d.out(dtype, x.scale * 1.01, turn + 1)]))
            if dtype == "int8":  # LiteRT does not run the others on uint8
                cases.append(Case("ABS", [x], [out if turn % 2 else like(x)]))
                cases += [Case(op, [x], [out]) for op in ("EXP", "LOG")]
                cases.append(Case("GELU", [x], [out], "GeluOptions"))
                least = every_value(dtype, x.scale, -128)
                cases += [Case("RSQRT", [least], [d.out(dtype, d.scale(-4, 0), turn + 1)])]
    # Of kernels of LiteRT 2.3; older ones have no such root.
    roots = Quantized(np.int8([[-128, -127, -120, 0, 127]]), 0.5, -128)
    want = np.int8([[-128, -121, -108, -48, -16]])
    cases.append(Case("SQRT", [roots], [Out("int8", 0.1, -128)], define=lambda c: want,
                      judged=False))
    return cases


def _reductions() -> list[Case]:
    cases, d = [], Draw(6)
    for dtype in TYPES:
        for turn, (shape, axes, keep) in enumerate([
                ((1, 7, 7, 5), (1, 2), True), ((2, 4, 6, 3), (1, 2), False),
                ((2, 3, 70), (2,), True),
                ((3, 5), (0,), False), ((2, 3, 4, 5), (0, 2), False), ((2, 3, 4), (0, 1, 2), True),
                ((1, 13, 11, 64), (1, 2), True), ((2, 3, 4, 5), (1, 3), True)]):
            x = d.quantized(shape, dtype, turn=turn)
            operands, fields = [x, i32(*axes)], {"KeepDims": keep}
            cases.append(Case("MEAN", operands, [d.out(dtype, turn=turn + 1)], "ReducerOptions",
                              fields))
            if dtype == "uint8":  # LiteRT reads the int8 values as if they were of uint8
                cases.append(Case("SUM", operands, [d.out(dtype, d.scale(-2, 3), turn + 1)],
                                  "ReducerOptions", fields))
            cases += [Case(op, operands, [like(x)], "ReducerOptions", fields)
                      for op in ("REDUCE_MAX", "REDUCE_MIN")]
        for most in (np.iinfo(dtype).min, np.iinfo(dtype).max):  # the largest sums
            x = d.quantized((1, 20, 20, 70), dtype)
            x.data[:] = most
            cases.append(Case("MEAN", [x, i32(1, 2)], [like(x)], "ReducerOptions",
                              {"KeepDims": True}))
    return cases


def _rows() -> list[Case]:
    cases, d = [], Draw(7)
    for dtype in TYPES:
        unit = Out(dtype, 1 / 256, -128 if dtype == "int8" else 0)
        for turn, shape in enumerate([(1, 10), (3, 2, 5), (1, 1001), (2, 3, 4, 3), (1, 1),
                                      (5, 33)]):
            # LiteRT ends the process for many elements that are nearly the same.
            scale = d.scale(-3, 1) if shape[-1] > 999 else d.scale(-8, 1)
            x = d.quantized(shape, dtype, scale, turn)
            cases.append(Case("SOFTMAX", [x], [unit], "SoftmaxOptions", {"Beta": 1.0}))
            if shape[-1] > 999:  # all shares are below half of a step
                alike, none = Quantized(x.data, 2**-10, x.zero), np.full(shape, unit.zero, dtype)
                cases.append(Case("SOFTMAX", [alike], [unit], "SoftmaxOptions", {"Beta": 1.0},
                                  define=lambda c, none=none: none, judged=False))
            if dtype == "int8":
                cases.append(Case("LOG_SOFTMAX", [x], [Out(dtype, 16 / 256, 127)]))
            zero = 0 if dtype == "int8" else 128
            cases.append(Case("L2_NORMALIZATION", [x], [Out(dtype, 1 / 128, zero)],
                              "L2NormOptions"))
            alpha = d.quantized(shape[-1:], dtype, turn=turn + 1)
            alpha.data = alpha.data.reshape((1,) * (len(shape) - 2) + shape[-1:])
            cases.append(Case("PRELU", [x, alpha], [d.out(dtype, turn=turn + 1)]))
            cases += [Case(op, [x, np.int32(len(shape) - 1)], [Out("int32")], f"{name}Options",
                           {"OutputType": 2})
                      for op, name in (("ARG_MAX", "ArgMax"), ("ARG_MIN", "ArgMin"))]
    return cases


def _images() -> list[Case]:
    cases, d = [], Draw(8)
    for dtype in TYPES:
        for turn, (image, size) in enumerate([((1, 5, 7, 3), (9, 4)), ((2, 4, 4, 1), (8, 8)),
                                              ((1, 6, 3, 5), (3, 10)), ((1, 2, 2, 2), (1, 7))]):
            x = d.quantized(image, dtype, turn=turn)
            for align, half in ((0, 0), (1, 0), (0, 1)):
                for op, table in (("RESIZE_BILINEAR", "ResizeBilinear"),
                                  ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighbor")):
                    cases.append(Case(op, [x, i32(*size)], [like(x)], f"{table}Options",
                                      {"AlignCorners": align, "HalfPixelCenters": half}))
            for kind in ("AVERAGE", "MAX"):
                for padding in (0, 1):
                    cases.append(Case(
                        f"{kind}_POOL_2D", [x], [like(x)], "Pool2DOptions",
                        {"FilterHeight": 2, "FilterWidth": 1 + (turn + padding) % 2, "StrideH": 2,
                         "StrideW": 1, "Padding": padding,
                         "FusedActivationFunction": ACTIVATIONS[turn % 3]}))
            cases.append(Case("PAD", [x, i32([0, 1], [1, 2], [0, 1], [3, 0])], [like(x)],
                              "PadOptions"))
            value = Quantized(np.array(17, dtype), x.scale, x.zero)
            cases.append(Case("PADV2", [x, i32([0, 0], [1, 0], [0, 2], [0, 0]), value], [like(x)],
                              "PadV2Options"))
            cases.append(Case("MIRROR_PAD", [x, i32([0, 0], [1, 1], [1, 0], [0, 0])], [like(x)],
                              "MirrorPadOptions", {"Mode": turn % 2}))
            pads = i32([0, image[1] % 2], [1, 1 + image[2] % 2])
            cases.append(Case("SPACE_TO_BATCH_ND", [x, i32(2, 2), pads], [like(x)],
                              "SpaceToBatchNDOptions"))
            cases.append(Case("TRANSPOSE", [x, i32(0, 3, 1, 2)], [like(x)]))
    return cases


def _joined() -> list[Case]:
    cases, d = [], Draw(9)
    for dtype in TYPES:
        for turn, axis in turns(range(4), (1, -1, 0)):
            a = d.quantized((2, 3, 5), dtype, turn=turn)
            b = d.quantized((2, 3, 5), dtype, a.scale, turn)
            b.zero = a.zero
            out = like(a)
            if dtype == "uint8":
                b = d.quantized((2, 3, 5), dtype, turn=turn + 1)
                out = d.out(dtype, turn=turn + 2) if turn % 2 else like(a)
            cases.append(Case("CONCATENATION", [a, b, a], [out], "ConcatenationOptions",
                              {"Axis": axis}, fed=(0, 1, 2)))
            same = Quantized(b.data, a.scale, a.zero)
            cases.append(Case("PACK", [a, same], [like(a)], "PackOptions",
                              {"Axis": axis, "ValuesCount": 2}, fed=(0, 1)))
            cases.append(Case("SELECT_V2", [d.rng.random((2, 3, 5)) < 0.5, a, same], [like(a)],
                              fed=(0, 1, 2)))
            cases.append(Case("GATHER", [a, i32(1, 0)], [like(a)], "GatherOptions", {"Axis": 1}))
            for other in TYPES:
                x = every_value(dtype, d.scale(-6, -3), d.zero(dtype, turn))
                cases.append(Case("QUANTIZE", [x], [d.out(other, d.scale(-6, -3), turn + 1)]))
            x = every_value(dtype, d.scale(-6, -3), d.zero(dtype, turn))
            cases.append(Case("DEQUANTIZE", [x], [Out("float32")]))
            floats = np.float32(d.rng.uniform(-6, 6, (3, 171)))
            cases.append(Case("QUANTIZE", [floats], [d.out(dtype, d.scale(-6, -4), turn)]))
            halves = np.arange(-90, 90, dtype=np.float32).reshape(1, -1) / 4
            cases.append(Case("QUANTIZE", [halves], [Out(dtype, 0.5, d.zero(dtype, turn))]))
    return cases


def _products() -> list[Case]:
    cases, d = [], Draw(10)
    for turn, (a, b, ax, ay) in enumerate((((2, 3), (3, 4), False, False),
                                           ((5, 3, 2), (5, 3, 4), True, False),
                                           ((2, 1, 2, 3), (3, 4, 3), False, True),
                                           ((1, 9, 65), (1, 65, 17), False, False),
                                           ((2, 7, 4), (2, 5, 7), True, True))):
        x, y = d.quantized(a, "int8", turn=turn), d.quantized(b, "int8", turn=turn + 1)
        cases.append(Case("BATCH_MATMUL", [x, y], [d.out("int8", d.scale(-3, 2), turn)],
                          "BatchMatMulOptions", {"AdjX": ax, "AdjY": ay}, fed=(0, 1)))
    return cases


CASES = [*_convolutions(), *_fully_connected(), *_transposed(), *_pairs(), *_tables(),
         *_reductions(), *_rows(), *_images(), *_joined(), *_products()]
