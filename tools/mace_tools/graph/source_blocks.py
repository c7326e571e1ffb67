"""The quantized values for which a weight of floats stands.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class SourceBlocks:
    """Quantized values in blocks of 32, as operands of quantized_weights.store, but with scales and
    zero points of float32."""

    stored: str
    values: np.ndarray
    scales: np.ndarray
    zeros: np.ndarray | None = None
