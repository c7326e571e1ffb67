"""Activations in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

_erf = np.frompyfunc(math.erf, 1, 1)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805  # Klambauer et al., 2017


def erf(x):
    return np.asarray(_erf(x), x.dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def activate(x, attrs):
    """The activation that `attrs` name, applied in float32."""
    a, b = attrs["activation_coefficient"], attrs["hardsigmoid_beta"]
    kind = attrs["activation"]
    with np.errstate(over="ignore"):
        return _ACTIVATIONS[kind](x, a, b, attrs["max_limit"]).astype(x.dtype, copy=False)


_ACTIVATIONS = {
    "NOOP": lambda x, a, b, m: x,
    "RELU": lambda x, a, b, m: np.maximum(x, 0),
    "RELUX": lambda x, a, b, m: np.minimum(np.maximum(x, 0), m),
    "TANH": lambda x, a, b, m: np.tanh(x),
    "SIGMOID": lambda x, a, b, m: sigmoid(x),
    "LEAKYRELU": lambda x, a, b, m: np.where(x < 0, a * x, x),
    "ELU": lambda x, a, b, m: np.where(x < 0, a * np.expm1(x), x),
    "SELU": lambda x, a, b, m: SELU_SCALE * np.where(x < 0, SELU_ALPHA * np.expm1(x), x),
    "HARDSIGMOID": lambda x, a, b, m: np.clip(a * x + b, 0, 1),
    "HARDSWISH": lambda x, a, b, m: x * np.clip(x / 6 + 0.5, 0, 1),
    "SOFTPLUS": lambda x, a, b, m: np.logaddexp(x, 0),
    "SOFTSIGN": lambda x, a, b, m: x / (1 + np.abs(x)),
    "GELU": lambda x, a, b, m: 0.5 * x * (1 + erf(x / np.sqrt(2))),
    "GELU_TANH": lambda x, a, b, m: 0.5 * x * (
        1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "SWISH": lambda x, a, b, m: x * sigmoid((a or 1) * x),
}
