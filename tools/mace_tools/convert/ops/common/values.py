"""Operands as NumPy arrays.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from typing import Optional

import numpy as np

Operands = Sequence[Optional[np.ndarray]]


def ints(xs, i, attrs, name):
    """Integers given as operand i, or else as an attribute."""
    if len(xs) > i and xs[i] is not None:
        return [int(v) for v in np.reshape(xs[i], -1)]
    return attrs[name]
