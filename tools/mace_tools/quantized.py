"""How tensors are quantized, compared.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.ir import Quant


def same_quant(a: Quant | None, b: Quant | None) -> bool:
    """Whether both are quantized, and alike."""
    return (a is not None and b is not None and a.axis == b.axis
            and np.array_equal(a.scale, b.scale) and np.array_equal(a.zero_point, b.zero_point))
