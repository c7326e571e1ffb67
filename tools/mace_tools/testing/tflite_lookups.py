"""Operands of TFLite operators that look rows of tables up, or hash them.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import tflite


def cases(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """The arguments of a Case each: operator, operands, options, fields, those fed, types. Places
    in a sparse matrix rise, and so do the keys of a table."""
    kinds = tflite.CombinerType
    table = rng.uniform(-1, 1, (4, 3, 2)).astype(np.float32)
    places = np.int32([[0, 0], [0, 1], [2, 0], [2, 3], [3, 1]])
    given = [np.int32([1, 3, 0, 2, 2]), places, np.int32([5, 4]),
             np.float32([1, 2, 0.5, -3, 1.5]), table]
    for kind in (kinds.SUM, kinds.MEAN, kinds.SQRTN):
        yield ("EMBEDDING_LOOKUP_SPARSE", given, "EmbeddingLookupSparseOptions",
               {"Combiner": kind})
    deeper = [np.int32([3, 1, 1]), np.int32([[0, 1, 0], [1, 0, 0], [1, 0, 2]]),
              np.int32([2, 2, 3]), np.float32([2, -1, 4]), table[..., 0]]
    yield ("EMBEDDING_LOOKUP_SPARSE", deeper, "EmbeddingLookupSparseOptions",
           {"Combiner": kinds.MEAN})
    wanted, keys = np.int32([3, -4, 91, 1, 90, 3]), np.int32([-4, 0, 3, 90])
    for values in (table, table[:, 0, 0], np.int32([5, -6, 7, 8])):
        yield ("HASHTABLE_LOOKUP", [wanted, keys, values], "", {}, 1, (values.dtype.name, "uint8"))
    seeds = rng.normal(size=(3, 5)).astype(np.float32)
    for kind in (tflite.LSHProjectionType.DENSE, tflite.LSHProjectionType.SPARSE):
        for x in (wanted, table, np.int8([[1, -2, 3]])):
            for weight in ([], [rng.normal(size=len(x)).astype(np.float32)]):
                yield ("LSH_PROJECTION", [seeds, x, *weight], "LSHProjectionOptions",
                       {"Type": kind}, 1, ("int32",), 1)
