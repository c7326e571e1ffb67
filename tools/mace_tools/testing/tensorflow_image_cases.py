"""More operands and attributes for single-operator models of TensorFlow: images, counts, bits.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
from collections.abc import Iterator

import numpy as np

from mace_tools.testing.tensorflow_cases import FLAGS, RNG, Case, f32, i32, i64

KERNELS = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic",
           "mitchellcubic")
# Sizes, scales and translations: smaller, larger, moved, with edges outside of the image.
PLACES = [((5, 7), (5 / 9, 7 / 11), (0, 0)), ((18, 22), (2, 2), (0, 0)),
          ((8, 9), (0.7, 1.3), (1.5, -2.25)), ((20, 20), (0.5, 0.5), (3, 4)),
          ((7, 7), (2.5, 0.3), (-6, 2))]
# Black, white, gray, pure and mixed colours.
COLOURS = np.float32([[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [1, 0, 0], [0, 1, 0], [0, 0, 1],
                      [1, 1, 0], [0, 1, 1], [1, 0, 1], [0.2, 0.3, 0.1], [0.1, 0.2, 0.3],
                      [0.3, 0.1, 0.2], [0.9, 0.1, 0.8]])


def cases() -> Iterator[Case]:
    for part in (_pictures, _counts, _bits, _losses):
        yield from part()


def _pictures() -> Iterator[Case]:
    image = RNG.uniform(0, 1, (1, 9, 11, 3)).astype(np.float32)
    for kernel, antialias, (size, scale, shift) in itertools.product(KERNELS, FLAGS, PLACES):
        yield Case("ScaleAndTranslate", [image, i32(*size), np.float32(scale), np.float32(shift)],
                   {"kernel_type": kernel, "antialias": antialias})
    yield Case("ScaleAndTranslate", [(image * 255).astype(np.uint8), i32(4, 4),
                                     np.float32([0.5, 0.5]), np.float32([0, 0])])
    for x in (image, COLOURS, f32(20, 3)):
        yield Case("RGBToHSV", [x])
    for x in (image, COLOURS):
        yield Case("HSVToRGB", [x])
        for delta, scale in ((0.1, 0.5), (-0.3, 2.0), (0.9, 0.0)):
            yield Case("AdjustHue", [x, np.float32(delta)])
            yield Case("AdjustSaturation", [x, np.float32(scale)])
    for x, factor in itertools.product((image, image[0], f32(2, 2, 4, 5, 1)), (0.5, 1.7)):
        yield Case("AdjustContrastv2", [x, np.float32(factor)])


def _counts() -> Iterator[Case]:
    x = np.float32([[-1, 0, 0.5, 10], [100, np.nan, np.inf, -np.inf]])
    for operand in (x, i32([0, 1, 10, -3]), i64(0, 99)):
        yield Case("Bucketize", [operand], {"boundaries": [0.0, 0.5, 10.0, 99.0]})
    yield Case("Bucketize", [x], {"boundaries": []})
    rows = np.sort(f32(2, 6), -1)
    values = np.concatenate([rows[:, 1:3], f32(2, 4)], 1)
    for op, kind in itertools.product(("LowerBound", "UpperBound"), (np.int32, np.int64)):
        yield Case(op, [rows, values], {"out_type": kind}, all_fed=True)
        yield Case(op, [i32([1, 3, 3, 7]), i32([0, 1, 3, 9])], {"out_type": kind}, fed=1)
    numbers = i32(*RNG.integers(0, 7, (3, 8)))
    for binary, (kind, size), x in itertools.product(
            FLAGS, ((np.float32, 5), (np.int32, 7), (np.int64, 9)), (numbers, numbers[0])):
        size = np.array(size, x.dtype)
        yield Case("DenseBincount", [x, size, np.zeros(0, kind)], {"binary_output": binary})
    yield Case("DenseBincount", [numbers, np.int32(5), f32(3, 8)])
    yield Case("BroadcastArgs", [i32(2, 1, 3), i32(4, 1)], fed=2)


def _bits() -> Iterator[Case]:
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64):
        x = RNG.integers(0 if kind == np.uint8 else -100, 100, (2, 5)).astype(kind)
        y = RNG.integers(0, 7, (2, 5)).astype(kind)
        for op in "BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift".split():
            yield Case(op, [x, y])
        yield Case("Invert", [x])
    yield Case("Bitcast", [f32(2, 3)], {"type": np.int32})
    yield Case("Bitcast", [i32(1, -7, 1 << 30)], {"type": np.float32})
    yield Case("Bitcast", [i32(1, -7)], {"type": np.uint8})


def _losses() -> Iterator[Case]:
    features, labels = f32(4, 5), RNG.uniform(0, 1, (4, 5)).astype(np.float32)
    labels[1] = [0, 0, 1, 0, 0]
    yield Case("SoftmaxCrossEntropyWithLogits", [features, labels], all_fed=True)
    yield Case("SoftmaxCrossEntropyWithLogits", [features, labels[:1]], all_fed=True)
    yield Case("SoftmaxCrossEntropyWithLogits", [np.float32([[-200, 0, 300]]),
                                                 np.float32([[0, 0, 1]])], all_fed=True)
    for kind in (np.int32, np.int64):
        yield Case("SparseSoftmaxCrossEntropyWithLogits",
                   [features, np.array([0, 3, 4, 1], kind)], all_fed=True)
