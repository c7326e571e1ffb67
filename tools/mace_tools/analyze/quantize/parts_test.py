"""Histograms, ranges, scales of weights, and rounding.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.analyze.quantize import gptq, ranges, weights
from mace_tools.analyze.quantize.histogram import Histogram
from mace_tools.config.quantization_options import METHODS, Choices
from mace_tools.graph.ir import Node


def histogram(*parts):
    found = Histogram()
    for part in parts:
        found.add(np.asarray(part, np.float32))
    return found


def test_a_histogram_does_not_depend_on_the_order():
    generator = np.random.default_rng(0)
    parts = [generator.normal(size=1000) * 10.0**k for k in (-3, 2, 0)] + [np.zeros(7)]
    one, other = histogram(*parts), histogram(*parts[::-1])
    assert one.total == other.total == 3007 and one.zeros == other.zeros == 7
    assert one.width == other.width
    for found in (one, other):
        values = np.concatenate(parts).astype(np.float32)
        edges = (np.arange(found.counts.size + 1) + found.first) * found.width
        np.testing.assert_array_equal(found.counts,
                                      np.histogram(values[values != 0], edges)[0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("values", [[0.0], [3.0], [-2.0], [1e-30, 2e-30], [1e38, -1e38], []])
def test_odd_tensors_have_a_range_with_zero(method, values):
    low, high = ranges.choose(histogram(values), Choices(method=method))
    assert low <= 0 <= high and np.isfinite([low, high]).all()
    quant = ranges.quant_of(low, high)
    assert np.isfinite(quant.scale[0]) and quant.scale[0] > 0
    assert -128 <= quant.zero_point[0] <= 127


def test_clipping_leaves_out_few_large_values():
    values = np.append(np.random.default_rng(0).normal(size=100000), 40.0)
    found = {m: ranges.choose(histogram(values), Choices(method=m)) for m in METHODS}
    assert found["minmax"][1] == 40
    assert all(found[m][1] < 39 for m in ("percentile", "kl", "mse"))
    assert all(found[m][0] < -2 for m in METHODS)


def test_scales_of_weights_have_less_error_than_the_largest_weight_gives():
    w = np.random.default_rng(0).normal(size=(16, 9, 1, 1)).astype(np.float32)
    w[3] = 0
    best = weights.fitting_bias(weights.scales(w, 0), 0.1, None)
    plain = weights.fitting_bias(np.abs(w).max((1, 2, 3)) / 127, 0.1, None)

    def error(scale):
        quantized, quant = weights.quantized(w, scale, 0)
        return np.square(quantized * quant.scale[:, None, None, None] - w).sum()

    assert error(best) < error(plain) and (best > 0).all()


def test_scales_fit_the_bias():
    scale = weights.fitting_bias(np.array([1e-9, 0.01], np.float32), 1e-3, np.array([5.0, 5.0]))
    quantized = weights.quantized_bias(np.array([5.0, 5.0]), 1e-3, scale)
    np.testing.assert_allclose(quantized * 1e-3 * scale, [5, 5], rtol=1e-3)


@pytest.mark.parametrize("op, shape, groups", [
    ("Conv2d", (6, 8, 1, 1), 1), ("Conv2d", (6, 4, 3, 3), 2), ("DepthwiseConv2d", (1, 5, 3, 3), 5),
    ("FullyConnected", (4, 9), 1)])
def test_rounding_by_covariance_changes_the_result_less(op, shape, groups):
    generator = np.random.default_rng(0)
    w = generator.normal(size=shape).astype(np.float32)
    taps = w.size // groups // (shape[0] // groups) if op != "DepthwiseConv2d" else 9
    x = generator.normal(size=(groups, 500, taps)) @ generator.normal(size=(groups, taps, taps))
    covariance = x.transpose(0, 2, 1) @ x / 500
    node = Node("n", op, [], [], {"group": groups} if op == "Conv2d" else {})
    axis = weights.axis_of(node, shape)
    scale = np.full(shape[axis or 0], 0.05, np.float32)
    plain, quant = weights.quantized(w, scale, axis)
    better = gptq.quantized(node, w, scale, covariance)
    assert better.shape == w.shape and np.abs(better.astype(int)).max() <= 127

    def error(quantized):
        rows = (quantized * 0.05 - w)
        rows = (rows.reshape(shape[0], groups, -1).transpose(1, 0, 2) if op == "DepthwiseConv2d"
                else rows.reshape(groups, shape[0] // groups, -1))
        return np.einsum("gok,gkl,gol->", rows, covariance, rows)

    assert error(better) < 0.8 * error(plain)


def test_a_covariance_that_rounding_made_negative():
    w = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    node, scale = Node("n", "FullyConnected", [], []), np.full(3, 0.05, np.float32)
    for diagonal in ([0, 0, 0, 0], [1, -1e-4, 1e-9, 0], [1e12, 1, 0, -1e3]):
        found = gptq.quantized(node, w, scale, np.diag(diagonal)[None].astype(np.float64))
        assert np.abs(found * 0.05 - w).max() < 0.2
