"""What the user chooses about a quantization.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass

# How weights alone are stored.
WEIGHTS_ONLY = ("int8", "int4")
METHODS = ("minmax", "percentile", "kl", "mse")


@dataclass(frozen=True)
class Choices:
    """`method`, one of METHODS, gives the ranges of activations. `percentile`: the percentage of
    values that its ranges hold. `max_samples`: of a larger folder, so many are drawn by `seed`.
    `float_nodes`: nodes that stay in float32. `accuracy_budget`: how much less than 1 the cosine
    similarity of an output may be; None: no layer is left in float32 for it. `float_ends`: whether
    last layers, and first ones that multiply little, stay in float32."""

    method: str = "mse"
    percentile: float = 99.99
    max_samples: int = 100
    seed: int = 0
    equalize: bool = True
    correct_bias: bool = True
    float_nodes: tuple[str, ...] = ()
    accuracy_budget: float | None = None
    float_ends: bool = True
