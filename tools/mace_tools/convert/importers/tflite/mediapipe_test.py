"""Tests of MediaPipe's custom operators against NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import struct

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import load
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.tflite_file import Maker

RNG = np.random.default_rng(2)
SAME, VALID = 1, 2


def options(*numbers):
    return struct.pack(f"<{len(numbers)}i", *numbers)


def unpooled(x, kh, kw):
    """The largest element of each window where it was, 0 elsewhere."""
    n, h, w, c = x.shape
    y = np.zeros((n, -(-h // kh) * kh, -(-w // kw) * kw, c), np.float32)
    for b, i, j, k in np.ndindex(n, -(-h // kh), -(-w // kw), c):
        part = x[b, i * kh : i * kh + kh, j * kw : j * kw + kw, k]
        di, dj = np.unravel_index(part.argmax(), part.shape)
        y[b, i * kh + di, j * kw + dj, k] = part.max()
    return y


@pytest.mark.parametrize("padding, step, kernel", [(SAME, (2, 2), (2, 2)), (SAME, (2, 3), (3, 3)),
                                                   (VALID, (2, 1), (3, 2)), (SAME, (1, 1), (3, 2))])
def test_transposed_convolution_with_bias(tmp_path, padding, step, kernel):
    x = RNG.uniform(-1, 1, (1, 3, 4, 2)).astype(np.float32)
    w = RNG.uniform(-1, 1, (5, *kernel, 2)).astype(np.float32)
    bias = RNG.uniform(-1, 1, 5).astype(np.float32)
    m = Maker()
    m.tensor("x", x.shape)
    m.op("Convolution2DTransposeBias", ["x", m.const("w", w), m.const("b", bias)], ["y"],
         CustomOptions=options(padding, step[1], step[0]))
    full = np.zeros((1, 2 * step[0] + kernel[0], 3 * step[1] + kernel[1], 5), np.float32)
    for i, j in np.ndindex(3, 4):
        at = (slice(None), slice(i * step[0], i * step[0] + kernel[0]),
              slice(j * step[1], j * step[1] + kernel[1]))
        full[at] += np.einsum("nc,ohwc->nhwo", x[:, i, j], w)
    if padding == SAME:
        size = [3 * step[0], 4 * step[1]]
        cut = [max(f - s, 0) // 2 for f, s in zip(full.shape[1:3], size)]
        full = full[:, cut[0] : cut[0] + size[0], cut[1] : cut[1] + size[1]]
    got = reference.run(load("tflite", m.save(tmp_path, ["x"], ["y"])), {"x": x})["y"]
    np.testing.assert_allclose(got, full + bias, rtol=1e-5, atol=1e-6)


def pooling(x, pool, unpool, outputs=("y",)):
    m = Maker()
    m.tensor("x", x.shape)
    m.op("MaxPoolingWithArgmax2D", ["x"], ["best", "places"], CustomOptions=options(*pool))
    m.op("NEG", ["best"], ["n"])
    m.op("NEG", ["n"], ["again"])
    m.op("MaxUnpooling2D", ["again", "places"], ["y"], CustomOptions=options(*unpool))
    return m, list(outputs)


@pytest.mark.parametrize("shape, kernel", [((2, 4, 6, 3), (2, 2)), ((1, 6, 6, 1), (3, 2)),
                                           ((1, 5, 4, 2), (2, 2))])
def test_pooling_and_back(tmp_path, shape, kernel):
    x = RNG.uniform(-1, 1, shape).astype(np.float32)
    numbers = (SAME, kernel[1], kernel[0], kernel[1], kernel[0], 0)
    m, outputs = pooling(x, numbers, numbers)
    got = reference.run(load("tflite", m.save(tmp_path, ["x"], outputs)), {"x": x})["y"]
    np.testing.assert_array_equal(got, unpooled(x, *kernel))


@pytest.mark.parametrize("pool, unpool, outputs, message", [
    ((SAME, 2, 2, 3, 3, 0), (SAME, 2, 2, 3, 3, 0), ("y",), "windows of 3 x 3 every 2 x 2 elements"),
    ((SAME, 2, 2, 2, 2, 0), (SAME, 4, 4, 4, 4, 0), ("y",), "its indices go elsewhere"),
    ((SAME, 2, 2, 2, 2, 0), (SAME, 2, 2, 2, 2, 0), ("y", "places"), "its indices go elsewhere"),
    ((SAME, 3, 3, 3, 3, 0), (SAME, 3, 3, 3, 3, 0), ("y",), "begin outside of them"),
    ((SAME, 2, 2, 2, 2, 1), (SAME, 2, 2, 2, 2, 1), ("y",), "activation has the number 1"),
    ((7, 2, 2, 2, 2, 0), (SAME, 2, 2, 2, 2, 0), ("y",), "not those of MediaPipe"),
    ((), (), ("y",), "not those of MediaPipe"),
])
def test_what_cannot_be_expressed(tmp_path, pool, unpool, outputs, message):
    m, outputs = pooling(np.zeros((1, 4, 4, 1), np.float32), pool, unpool, outputs)
    with pytest.raises(UnsupportedOps, match=message):
        load("tflite", m.save(tmp_path, ["x"], outputs))


def test_unpooling_alone_and_the_others_are_refused(tmp_path):
    m = Maker()
    m.tensor("x", (1, 2, 2, 1))
    m.tensor("places", (1, 2, 2, 1))
    m.op("MaxUnpooling2D", ["x", "places"], ["y"], CustomOptions=options(SAME, 2, 2, 2, 2, 0))
    m.op("TransformLandmarks", ["y"], ["z"])
    with pytest.raises(UnsupportedOps, match="do not come from a MaxPooling") as e:
        load("tflite", m.save(tmp_path, ["x", "places"], ["z"]))
    assert "known to no document: let the app compute it" in str(e.value)
