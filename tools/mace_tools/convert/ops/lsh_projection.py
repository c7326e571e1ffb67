"""LshProjection: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mace_tools.convert.ops.common.checks import check_vector, product, require, with_rank
from mace_tools.convert.ops.common.fingerprint64 import fingerprint64
from mace_tools.convert.ops.common.values import Operands
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x = v.shape()
    require(x is None or len(x) > 0 and x[0] != 0, f"x {x} has no features")
    functions, bits = with_rank(v, 1, 2, "[hash functions, bits of each]")
    require(bits is None or bits <= 32, f"{bits} bits for each hash function")
    check_vector(v, 2, None if x is None else x[0])
    if v.attr("type") == "DENSE":
        return "i32", (product((functions, bits)),)
    require(bits != 32 or functions is None or functions <= 1,
            f"SPARSE with 32 bits for each of {functions} hash functions")
    return "i32", (functions,)


def evaluate(operands: Operands, attrs: Mapping[str, Any]) -> np.ndarray:
    x, seeds, weight = (*operands, None)[:3]
    assert x is not None and seeds is not None
    features = np.ascontiguousarray(x).reshape(len(x), -1).view(np.uint8)
    sums = np.zeros(seeds.size, np.float64)
    keys = np.empty((seeds.size, 4 + features.shape[1]), np.uint8)
    keys[:, :4] = np.ascontiguousarray(seeds).reshape(-1, 1).view(np.uint8)
    for k, feature in enumerate(features):
        keys[:, 4:] = feature
        signatures = fingerprint64(keys).view(np.int64).astype(np.float64)
        sums += signatures if weight is None else np.float64(weight[k]) * signatures
    bits = (sums > 0).reshape(seeds.shape)
    if attrs["type"] == "DENSE":
        return bits.reshape(-1).astype(np.int32)
    functions, count = seeds.shape
    places = np.int64(1) << np.arange(count, dtype=np.int64)[::-1]
    numbers = bits @ places + (np.arange(functions) << count)
    return numbers.astype(np.uint32).view(np.int32)
