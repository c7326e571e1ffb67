"""Packed weights, and the floats that are computed of them.

SPDX-License-Identifier: Apache-2.0
"""

import copy
import pickle

import numpy as np
import pytest

from mace_tools.graph.ir import Tensor
from mace_tools.graph.quantized_weights import BLOCK, pack, store, unpack

SHAPE = (3, 2, 35)  # rows of 70, whose last block is not full


def weight(stored):
    """Values, scales, zero points, and the floats for which they stand, by the definition."""
    rng = np.random.default_rng(1)
    low, high = {"i8": (-128, 128), "i8b": (-128, 128), "i4": (-8, 8), "i4z": (0, 16)}[stored]
    values = rng.integers(low, high, (3, 70), np.int8)
    if stored == "i8":
        scales = rng.uniform(0.1, 1, 3).astype(np.float32)
        return values, scales, None, values * scales[:, None]
    scales = rng.uniform(0.1, 1, (3, 3)).astype(np.float16)
    zeros = rng.uniform(0, 15, (3, 3)).astype(np.float16) if stored == "i4z" else None
    floats = np.empty((3, 70), np.float32)
    for row, k in np.ndindex(3, 70):
        zero = 0 if zeros is None else np.float32(zeros[row, k // BLOCK])
        floats[row, k] = (np.float32(values[row, k]) - zero) * np.float32(scales[row, k // BLOCK])
    return values, scales, zeros, floats


@pytest.mark.parametrize("stored", ["i8", "i8b", "i4", "i4z"])
def test_floats_are_those_of_the_definition(stored):
    values, scales, zeros, floats = weight(stored)
    np.testing.assert_array_equal(
        unpack(stored, pack(stored, values, scales, zeros), SHAPE), floats.reshape(SHAPE))


def test_a_packed_weight_is_read_as_an_array():
    values, scales, zeros, floats = weight("i4z")
    tensor = Tensor("w", "f32", SHAPE, np.zeros(SHAPE, np.float32))
    store(tensor, "i4z", values, scales, zeros)
    data, want = tensor.data, floats.reshape(SHAPE)
    assert (data.shape, data.ndim, data.size, data.nbytes, data.dtype, len(data)) == (
        want.shape, 3, 210, 840, np.float32, 3)
    for got, right in ((data * 2, want * 2), (1 - data, 1 - want), (data[1:, 0], want[1:, 0]),
                       (data.T, want.T), (np.concatenate([data, data]), np.tile(want, (2, 1, 1))),
                       (np.asarray(data, np.float64), want.astype(np.float64)),
                       (data.reshape(3, 70) @ np.ones(70), floats @ np.ones(70)),
                       (np.take(data, [2, 0], 0), want[[2, 0]]), (np.isfinite(data), want == want),
                       (copy.deepcopy(data), want), (pickle.loads(pickle.dumps(data)), want)):
        np.testing.assert_array_equal(got, right)
    assert data.tobytes() == want.tobytes()
