"""Where the elements of a tensor are that are not 0.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.importers.builder import Builder


def places(b: Builder, x: str) -> str:
    """Their indices [rank, number]. The engine's plan waits for the number."""
    indices, count = b.ops("NonZero", [x], 2)
    zero, one = (b.add_const(np.array([k], np.int64)) for k in (0, 1))
    return b.op("Slice", indices, zero, count, one)
