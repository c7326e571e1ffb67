"""Operands of TFLite operators whose results have as many elements as the data say.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterator
from typing import Any

import numpy as np


def cases(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """The arguments of a Case each: operator, operands, options, fields, those fed, types."""
    for kind, name in ((2, "int32"), (4, "int64")):
        for values in (np.int32([3, 1, 3, 3, 2, 1]), np.float32([2.5, -1, 2.5, 0, -0.5]),
                       np.int64([7]), np.int8([4, 4, 4])):
            yield ("UNIQUE", [values], "UniqueOptions", {"IdxOutType": kind}, 1,
                   (values.dtype.name, name))
    boxes, scores = _boxes(rng)
    for most, overlap, least in ((5, 0.5, 0.3), (40, 0.2, 0.0), (30, 0.7, 0.9), (3, 0.5, 2.0),
                                 (30, 1.0, -1.0), (30, 0.0, -1.0)):
        given = [boxes, scores, np.int32(most), np.float32(overlap), np.float32(least)]
        yield ("NON_MAX_SUPPRESSION_V4", given, "NonMaxSuppressionV4Options", {}, 2,
               ("int32", "int32"))
        yield ("NON_MAX_SUPPRESSION_V5", [*given, np.float32(0)], "NonMaxSuppressionV5Options",
               {}, 2, ("int32", "float32", "int32"))


def _boxes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """No two scores are equal: LiteRT leaves the order of such boxes open."""
    low = rng.uniform(0, 4, (30, 2))
    boxes = np.concatenate([low, low + rng.uniform(1, 4, (30, 2))], 1).astype(np.float32)
    boxes[::3] = boxes[::3][:, [2, 1, 0, 3]]  # corners in another order
    return boxes, rng.permuted(np.linspace(0, 1, 30, dtype=np.float32))
