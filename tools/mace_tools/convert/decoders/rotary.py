"""Frequencies of rotary embeddings, and how options scale them for longer texts.

SPDX-License-Identifier: Apache-2.0

Sources: Su et al. 2021 (RoFormer); Chen et al. 2023 (linear); Peng et al. 2023 (YaRN); Ding et al.
2024 (LongRoPE); Llama 3.1's published scaling.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Rotation:
    """Angles are position times frequency; cosines and sines are multiplied by `factor`."""

    frequencies: np.ndarray  # float32 [size / 2]
    factor: float = 1.0
    long: np.ndarray | None = None  # the frequencies of texts of more than `switch` tokens
    switch: int = 0


class Refused(ValueError):
    """An option that is missing, malformed or unknown."""


def rotation(scaling: Mapping[str, Any], theta: float, size: int, context: int,
             original: int = 0) -> Rotation:
    """Of `size` elements of each head. `original`: the context before scaling, where it is an
    option of its own. Errors: Refused."""
    plain = np.float32(1) / np.float32(theta) ** (
        np.arange(0, size, 2, dtype=np.float32) / np.float32(size))
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind in ("default", None):
        return Rotation(plain)
    if kind == "linear":
        return Rotation((plain / _number(scaling, "factor")).astype(np.float32))
    original = int(scaling.get("original_max_position_embeddings") or original or context)
    if kind == "llama3":
        return Rotation(_llama3(plain, scaling, original))
    if kind == "yarn":
        return _yarn(plain, scaling, theta, original)
    if kind in ("longrope", "su"):
        return _longrope(plain, scaling, original, context)
    raise Refused(f"rope_type is '{kind}'; default, linear, llama3, yarn and longrope convert")


def _number(scaling: Mapping[str, Any], name: str, default: float | None = None) -> float:
    value = scaling.get(name)
    value = default if value is None else value
    if not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0:
        raise Refused(f"{name} of the rotary embedding's scaling is {value!r}; it is a number "
                      "above 0")
    return float(value)


def _llama3(plain: np.ndarray, scaling: Mapping[str, Any], original: int) -> np.ndarray:
    """Low frequencies are divided, high ones are not, those between partly."""
    factor, low, high = (_number(scaling, name) for name in (
        "factor", "low_freq_factor", "high_freq_factor"))
    waves = 2 * math.pi / plain
    share = np.clip((original / waves - low) / (high - low), 0, 1)
    return ((1 - share) * plain / factor + share * plain).astype(np.float32)


def _yarn(plain: np.ndarray, scaling: Mapping[str, Any], theta: float, original: int) -> Rotation:
    size, factor = 2 * len(plain), _number(scaling, "factor")

    def index(turns: float) -> float:
        """Of the frequency that turns so often within the original context."""
        return size * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(theta))

    low = index(_number(scaling, "beta_fast", 32))
    high = index(_number(scaling, "beta_slow", 1))
    if scaling.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, size - 1)
    ramp = np.clip((np.arange(len(plain)) - low) / (high - low or 0.001), 0, 1)
    mscale, all_dim = scaling.get("mscale"), scaling.get("mscale_all_dim")
    wide = math.log(factor) if factor > 1 else 0.0
    given = (0.1 * mscale * wide + 1) / (0.1 * all_dim * wide + 1) if mscale and all_dim else (
        0.1 * wide + 1)
    return Rotation((plain / factor * ramp + plain * (1 - ramp)).astype(np.float32),
                    _number(scaling, "attention_factor", given))


def _longrope(plain: np.ndarray, scaling: Mapping[str, Any], original: int, context: int
              ) -> Rotation:
    found = []
    for name in ("short_factor", "long_factor"):
        factors = scaling.get(name)
        if not isinstance(factors, list) or len(factors) != len(plain) or not all(
                isinstance(f, (int, float)) and f > 0 for f in factors):
            raise Refused(f"{name} of the rotary embedding's scaling is to be a list of "
                          f"{len(plain)} numbers above 0")
        found.append((plain / np.array(factors, np.float32)).astype(np.float32))
    longer = _number(scaling, "factor", context / original)
    given = math.sqrt(1 + math.log(longer) / math.log(original)) if longer > 1 else 1.0
    return Rotation(found[0], _number(scaling, "attention_factor", given), found[1], original)
