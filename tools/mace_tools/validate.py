"""Compares two tensors, and decides whether they are close enough.

SPDX-License-Identifier: Apache-2.0

Cosine similarity alone does not see a wrong scale, so the largest error counts as well, relative
to the largest magnitude of the reference.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

# By runtime: the least cosine similarity and the largest relative error. "half": the CPU with
# weights stored in 16 bits, each off by up to 2^-11 (fp16) or 2^-9 (bf16) of itself. "codes":
# models that `quantize:` made, on any device. "steps": models of TensorFlow and ONNX that compute
# in codes, whose results may be a step of these away. "dynamic": the CPU with a model whose
# activations the source rounds to codes in each run; LiteRT's own kernels differ by 1 % between
# them. docs/converter.md has the table.
LIMITS = {"cpu": (0.999, 1e-3), "half": (0.995, 5e-2), "gpu": (0.995, 5e-2), "dsp": (0.930, 0.3),
          "codes": (0.980, 0.3), "steps": (0.995, 0.3), "dynamic": (0.995, 5e-2)}

# An absolute error that is acceptable at any scale: frameworks compute functions with values
# up to 1 this roughly (ONNX Runtime 1.20's Sigmoid: 8.6e-8 measured, of values near 1e-6).
NOISE = 2.0**-22


@dataclass(frozen=True)
class Comparison:
    """An output against its reference."""

    output: str
    similarity: float
    max_abs_error: float
    max_rel_error: float
    sqnr_db: float
    problem: str = ""  # why the figures are meaningless

    def failure(self, similarity: float, rel_error: float) -> str:
        """The limit that the output exceeds; empty if it passes."""
        if self.problem:
            return self.problem
        if not self.similarity >= similarity:
            return f"its similarity {self.similarity:.9g} is below {similarity:.9g}"
        if not (self.max_rel_error <= rel_error or self.max_abs_error <= NOISE):
            return (f"its largest relative error {self.max_rel_error:.3g} is above "
                    f"{rel_error:g}")
        return ""

    def facts(self) -> dict[str, Any]:
        return asdict(self)

    def lines(self, framework: str) -> str:
        """For people."""
        head = f"{self.output} MACE VS {framework.upper()} similarity: {self.similarity:.6f}"
        rest = (f"  max abs error: {self.max_abs_error:.3g}, max rel error: "
                f"{self.max_rel_error:.3g}, SQNR: {self.sqnr_db:.1f} dB")
        return "\n".join([head, rest, *([f"  {self.problem}"] if self.problem else [])])


def limits(runtime: str, thresholds: dict[str, float] | None,
           fp16: bool = False, codes: bool = False, dynamic: bool = False, steps: bool = False
           ) -> tuple[float, float]:  # fmt: skip
    """The limits for a runtime, with 16-bit weights or not, quantized or not, of dynamic range or
    not, in codes of the source or not; the deployment file may set the similarity."""
    kind = runtime
    if runtime == "cpu" and (fp16 or dynamic):
        kind = "half" if fp16 else "dynamic"
    if runtime == "cpu" and steps:
        kind = "steps"
    kind = "codes" if codes else kind
    similarity, rel_error = LIMITS[kind]
    return (thresholds or {}).get(runtime, similarity), rel_error


def compare(output: str, actual: np.ndarray, reference: np.ndarray) -> Comparison:
    """Compares tensors of any element types. NaN is right only where the reference has it."""
    if actual.shape != reference.shape:
        return _void(output, f"MACE gives the shape {list(actual.shape)}, the reference "
                             f"{list(reference.shape)}")
    if reference.dtype == np.uint64:  # which the engine holds as the bits of int64
        actual = actual.astype(np.uint64)
    a, r = (x.astype(np.float64).ravel() for x in (actual, reference))
    if a.size == 0:
        return Comparison(output, 1.0, 0.0, 0.0, math.inf)
    odd_a, odd_r = ~np.isfinite(a), ~np.isfinite(r)
    same = (odd_a == odd_r).all() and np.array_equal(a[odd_a], r[odd_r], equal_nan=True)
    if not same:
        return _void(output, f"MACE has {int(odd_a.sum())} NaN or infinite elements of {a.size}, "
                             f"the reference {int(odd_r.sum())}")
    a, r = a[~odd_a], r[~odd_r]
    if a.size == 0:
        return _void(output, "every element is NaN or infinite: this compares nothing")
    error, scale = np.abs(a - r), np.abs(r).max()
    return Comparison(output, _cosine(a, r), float(error.max()),
                      _ratio(float(error.max()), float(scale)), _sqnr(r, error))


def _void(output: str, problem: str) -> Comparison:
    return Comparison(output, math.nan, math.nan, math.nan, math.nan, problem)


def _cosine(a: np.ndarray, r: np.ndarray) -> float:
    # Scaled, so that squares neither overflow nor underflow.
    a, r = (x / m if (m := np.abs(x).max()) > 0 else x for x in (a, r))
    if not a.any() or not r.any():
        return 1.0 if not a.any() and not r.any() else 0.0
    # From the distance of the unit vectors: exactly 1 for equal ones, where a dot product rounds.
    a, r = a / np.linalg.norm(a), r / np.linalg.norm(r)
    return max(-1.0, 1.0 - float(np.square(a - r).sum()) / 2)


def _ratio(error: float, scale: float) -> float:
    if error == 0:
        return 0.0
    return error / scale if scale > 0 else math.inf


def _sqnr(r: np.ndarray, error: np.ndarray) -> float:
    """Signal to quantization noise, in decibels."""
    noise, signal = float(np.square(error).sum()), float(np.square(r).sum())
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal > 0 else -math.inf
