"""Comparing outputs: each kind of difference, and which ones pass.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from mace_tools.validate import compare, limits

R = np.array([[0.5, -1.0, 2.0, 4.0]], np.float32)
PASS = limits("cpu", None)


def test_equal_outputs():
    c = compare("y", R, R)
    assert c.similarity == 1.0
    assert (c.max_abs_error, c.max_rel_error, c.sqnr_db) == (0, 0, math.inf)
    assert not c.failure(*PASS)
    assert c.lines("onnx").startswith("y MACE VS ONNX similarity: 1.000000")


def test_the_figures_are_those_of_the_definition():
    a = R + np.array([[0, 0, 0.02, 0]], np.float32)
    c = compare("y", a, R)
    assert c.max_abs_error == pytest.approx(0.02, rel=1e-5)
    assert c.max_rel_error == pytest.approx(0.005, rel=1e-5)
    assert c.sqnr_db == pytest.approx(10 * math.log10(21.25 / 0.0004), rel=1e-4)
    cosine = (R * a).sum() / math.sqrt((R * R).sum() * (a * a).sum())
    assert c.similarity == pytest.approx(cosine, rel=1e-6)


# What MACE gives, the reference, whether it passes, and what is said.
CASES = {
    "rounding": (R * (1 + 1e-5), R, True, ""),
    "twice the scale, which cosine does not see": (R * 2, R, False, ""),
    "other sign": (-R, R, False, ""),
    "all zero": (R * 0, R, False, ""),
    "both zero": (R * 0, R * 0, True, ""),
    "reference zero": (R, R * 0, False, ""),
    "NaN": (np.where(R > 1, np.nan, R), R, False, "MACE has 2 NaN or infinite elements of 4, the "
                                                   "reference 0"),
    "NaN on both sides": (np.where(R > 3, np.nan, R), np.where(R > 3, np.nan, R), True, ""),
    "NaN elsewhere": (np.where(R > 3, np.nan, R), np.where(R < 0, np.nan, R), False, "MACE has 1"),
    "infinity of other sign": (np.where(R > 3, np.inf, R), np.where(R > 3, -np.inf, R), False, "1"),
    "only NaN": (R * np.nan, R * np.nan, False, "compares nothing"),
    "another shape": (R[0], R, False, "MACE gives the shape [4], the reference [1, 4]"),
    "noise beside a small scale": (R * 1e-5 + np.float32(1e-7), R * 1e-5, True, ""),
    "more than noise beside a small scale": (R * 1e-3 + np.float32(9e-6), R * 1e-3, False, ""),
    "huge": (R / 4 * np.float32(1e38), R / 4 * np.float32(1e38), True, ""),
    "tiny": (R * np.float32(1e-38), R * np.float32(1e-38), True, ""),
    "empty": (R[:, :0], R[:, :0], True, ""),
    "integers": (R.astype(np.int32), R.astype(np.int64), True, ""),
    "truth values": (R > 0, R > 0, True, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_verdicts(name):
    actual, reference, passed, problem = CASES[name]
    c = compare("y", actual, reference)
    assert (c.failure(*PASS) == "") is passed
    assert problem in c.problem and bool(problem) == bool(c.problem)


def test_a_threshold_of_one_is_passed_by_equal_outputs_only():
    rng = np.random.default_rng(3)
    for size in (1, 3, 1000, 99991):
        r = rng.normal(size=size).astype(np.float32)
        assert compare("y", r, r).failure(1.0, 0) == ""
        other = r.copy()
        other[0] += np.float32(1e-3)
        near = compare("y", other, r)
        assert size == 1 or near.similarity < 1
        assert "above 0" in near.failure(0.999, 0)
    assert compare("y", r, -r).similarity == pytest.approx(-1)
    assert "its similarity -1 is below 0.5" in compare("y", r, -r).failure(0.5, 1)


def test_the_deployment_file_sets_the_similarity():
    assert limits("cpu", {"cpu": 0.9}) == (0.9, PASS[1])
    assert limits("cpu", {"gpu": 0.9}) == PASS
    assert limits("cpu", None, fp16=True)[0] == 0.995
    assert limits("cpu", None, dynamic=True) == (0.995, 5e-2) == limits("gpu", None, dynamic=True)
    assert PASS[0] == 0.999


def test_unsigned_numbers_of_64_bits_are_compared_as_such():
    right = np.array([2**64 - 1, 2**63, 5], np.uint64)
    assert compare("y", right.view(np.int64), right).similarity == 1
    assert compare("y", np.array([-1, 0, 5]), right).similarity < 0.9
