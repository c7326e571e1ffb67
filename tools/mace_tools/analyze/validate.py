"""Compares two tensors, and decides whether they are close enough.

SPDX-License-Identifier: Apache-2.0

Cosine similarity alone does not see a wrong scale, so the largest error counts as well, relative
to the largest magnitude of the reference. What exceeds these limits may still be right, if the
model itself depends that much on roundings: that is measured by changing the source's weights.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Limits:
    """The least cosine similarity and the largest relative error. An output may be `most` times as
    far off, if its model does that when weights change by an ulp of the type `nudge` or a step of
    these integers (frameworks/nudge.py): `factor` times such a change is allowed. `is_given`: the
    deployment file set the similarity, for which nothing else is allowed then."""

    similarity: float
    error: float
    most: float = 10.0
    nudge: str = "f32"
    factor: float = 10.0
    is_given: bool = False

    @property
    def words(self) -> str:
        """What is changed, for people."""
        steps = {"i8": "a step of 8 bits", "i4": "a step of 4 bits"}
        return steps.get(self.nudge) or {"f32": "an ulp", "f16": "an ulp of fp16",
                                         "bf16": "an ulp of bfloat16"}[self.nudge]


# By runtime. "half": the CPU with weights stored in 16 bits, each off by up to 2^-11 (fp16) or 2^-9
# (bf16) of itself. "quantized": models that `quantize:` made, on any device. "integers":
# quantized models of TFLite, whose values are defined in every bit. "steps": those of others, to
# whose steps frameworks round differently. "dynamic": the CPU
# with a model whose activations the source quantizes in each run; LiteRT's own kernels differ by
# 1 % between them. Sums of hundreds of floats in another order differ by about ten times what an
# ulp of their factors changes; a step of 8 bits is more than any rounding. docs/converter.md has
# the table.
LIMITS = {"cpu": Limits(0.999, 1e-3), "half": Limits(0.995, 5e-2, 4, "f16"),
          "gpu": Limits(0.995, 5e-2, 4, "f16"), "dsp": Limits(0.930, 0.1, 3, "i8", 1),
          "quantized": Limits(0.980, 0.1, 3, "i8", 1), "integers": Limits(0.995, 5e-3, 3, "i8", 1),
          "steps": Limits(0.995, 3e-2, 10, "i8", 1), "dynamic": Limits(0.995, 2e-2, 5, "i8", 1)}

# An absolute error that is acceptable at any scale: frameworks compute functions with values
# up to 1 this roughly (ONNX Runtime 1.20's Sigmoid: 8.6e-8 measured, of values near 1e-6).
NOISE = 2.0**-22


@dataclass(frozen=True)
class Comparison:
    """An output against its reference. An error of up to `noise` means nothing."""

    output: str
    similarity: float
    max_abs_error: float
    max_rel_error: float
    sqnr_db: float
    problem: str = ""  # why the figures are meaningless
    size: int = 0  # elements that were compared
    noise: float = NOISE

    def failure(self, limits: Limits) -> str:
        """The limit that the output exceeds; empty if it passes."""
        if self.problem:
            return self.problem
        if not self.max_abs_error <= self.noise or limits.is_given:
            # The similarity of single numbers is their sign.
            if not self.similarity >= limits.similarity and (self.size > 1 or limits.is_given):
                return f"its similarity {self.similarity:.9g} is below {limits.similarity:.9g}"
        if not (self.max_rel_error <= limits.error or self.max_abs_error <= self.noise):
            return (f"its largest relative error {self.max_rel_error:.3g} is above "
                    f"{limits.error:g}")
        return ""

    def report(self) -> dict[str, Any]:
        return {k: v for k, v in asdict(self).items() if k not in ("size", "noise")}

    def lines(self, framework: str) -> str:
        """For people."""
        head = f"{self.output} MACE VS {framework.upper()} similarity: {self.similarity:.6f}"
        rest = (f"  max abs error: {self.max_abs_error:.3g}, max rel error: "
                f"{self.max_rel_error:.3g}, SQNR: {self.sqnr_db:.1f} dB")
        return "\n".join([head, rest, *([f"  {self.problem}"] if self.problem else [])])


@dataclass(frozen=True)
class Verdict:
    """The limit that an output exceeds, empty if it passes; and by what it was judged."""

    failure: str
    how: str


def judge(found: Comparison, limits: Limits, changed: Callable[[], Comparison | None]) -> Verdict:
    """`changed`: the source's result with changed weights against that without; None if they cannot
    be changed. It is called only if the fixed limits are exceeded."""
    fixed = f"the fixed limits (similarity {limits.similarity:g}, relative error {limits.error:g})"
    failure = found.failure(limits)
    if not failure:
        if found.size == 1 and not limits.is_given:
            return Verdict("", f"its error (at most {limits.error:g}): the similarity of a single "
                               "number is its sign")
        is_noise = 0 < found.max_abs_error <= found.noise and (
            found.max_rel_error > limits.error or found.similarity < limits.similarity)
        return Verdict("", f"its absolute error, below {found.noise:.2g}" if is_noise else fixed)
    given = limits.is_given and not found.similarity >= limits.similarity
    moved = None if found.problem or given else changed()
    if moved is None or moved.problem:
        return Verdict(failure, fixed)
    change = moved.max_rel_error
    message = f"changing the source's weights by {limits.words} changes it by {change:.2g}"
    error = _allowed(limits.error, change, limits.factor, limits.most)
    unlike = _allowed(1 - limits.similarity, 1 - moved.similarity, limits.factor**2, limits.most)
    is_near = limits.is_given or found.size == 1 or 1 - found.similarity <= unlike
    # Where terms cancel out, what is left has no scale of its own.
    noise = min(NOISE, limits.factor * moved.max_abs_error)
    if (is_near and found.max_rel_error <= error) or found.max_abs_error <= noise:
        return Verdict("", f"how much its model depends on roundings: {message}, so an error of "
                       f"{max(error, 0):.2g} is allowed")
    return Verdict(f"{failure} ({message})", fixed)


def _allowed(limit: float, change: float, factor: float, most: float) -> float:
    return max(limit, min(factor * change, most * limit))


def limits(runtime: str, thresholds: dict[str, float] | None, kind: str = "") -> Limits:
    """The limits for a runtime; `kind` is a key of LIMITS, if the model is of such a kind. The
    deployment file may set the similarity."""
    found = LIMITS[kind or runtime]
    if runtime not in (thresholds or {}):
        return found
    return replace(found, similarity=thresholds[runtime], is_given=True)


def compare(output: str, actual: np.ndarray, reference: np.ndarray, noise: float = NOISE
            ) -> Comparison:
    """Compares tensors of any element types. NaN is right only where the reference has it."""
    return compare_all(output, [(actual, reference)], noise)


def compare_all(output: str, pairs: Sequence[tuple[np.ndarray, np.ndarray]], noise: float = NOISE
                ) -> Comparison:
    """The same of several runs, as if they were one tensor. `pairs` have ours first."""
    for actual, reference in pairs:
        if actual.shape != reference.shape:
            return _void(output, f"MACE gives the shape {list(actual.shape)}, the reference "
                                 f"{list(reference.shape)}")
    pairs = [(a.astype(np.uint64) if r.dtype == np.uint64 else a, r)  # the engine has its bits
             for a, r in pairs]
    a, r = (np.concatenate([x[k].astype(np.float64).ravel() for x in pairs]) for k in (0, 1))
    if a.size == 0:
        return Comparison(output, 1.0, 0.0, 0.0, math.inf, noise=noise)
    odd_a, odd_r = ~np.isfinite(a), ~np.isfinite(r)
    same = (odd_a == odd_r).all() and np.array_equal(a[odd_a], r[odd_r], equal_nan=True)
    if not same:
        return _void(output, f"MACE has {int(odd_a.sum())} NaN or infinite elements of {a.size}, "
                             f"the reference {int(odd_r.sum())}")
    a, r = a[~odd_a], r[~odd_r]
    if a.size == 0:
        return _void(output, NOTHING)
    error, scale = np.abs(a - r), np.abs(r).max()
    return Comparison(output, _cosine(a, r), float(error.max()),
                      _ratio(float(error.max()), float(scale)), _sqnr(r, error), "", a.size, noise)


NOTHING = "every element is NaN or infinite: this compares nothing"


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
