"""Hashes in NumPy against TensorFlow's.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.ops.common.fingerprint64 import fingerprint64

LENGTHS = [*range(1, 200), 255, 256, 257, 1000, 4096]


def test_fingerprints_are_those_of_tensorflow():
    tf = pytest.importorskip("tensorflow")
    rng = np.random.default_rng(64)
    for size in LENGTHS:
        messages = rng.integers(0, 256, (3, size)).astype(np.uint8)
        want = tf.fingerprint(messages, method="farmhash64").numpy().view("<u8")[:, 0]
        np.testing.assert_array_equal(fingerprint64(messages), want, f"{size} bytes")


def test_of_no_bytes():
    tf = pytest.importorskip("tensorflow")
    buckets = 2**62
    want = int(tf.strings.to_hash_bucket_fast("", buckets))
    got = fingerprint64(np.zeros((2, 0), np.uint8))
    assert [int(hash) % buckets for hash in got] == [want] * 2
