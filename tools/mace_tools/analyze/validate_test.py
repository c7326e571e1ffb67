"""Comparing outputs: each kind of difference, and which ones pass.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np
import pytest

from mace_tools.analyze.validate import Comparison, Limits, compare, compare_all, judge, limits

R = np.array([[0.5, -1.0, 2.0, 4.0]], np.float32)
PASS = limits("cpu", None)


def test_equal_outputs():
    c = compare("y", R, R)
    assert c.similarity == 1.0
    assert (c.max_abs_error, c.max_rel_error, c.sqnr_db) == (0, 0, math.inf)
    assert not c.failure(PASS)
    assert c.lines("onnx").startswith("y MACE VS ONNX similarity: 1.000000")


def test_the_figures_are_those_of_the_definition():
    a = R + np.array([[0, 0, 0.02, 0]], np.float32)
    c = compare("y", a, R)
    assert c.max_abs_error == pytest.approx(0.02, rel=1e-5)
    assert c.max_rel_error == pytest.approx(0.005, rel=1e-5)
    assert c.sqnr_db == pytest.approx(10 * math.log10(21.25 / 0.0004), rel=1e-4)
    cosine = (R * a).sum() / math.sqrt((R * R).sum() * (a * a).sum())
    assert c.similarity == pytest.approx(cosine, rel=1e-6)


# What MACE gives, the reference, whether it passes, and the message.
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
    assert (c.failure(PASS) == "") is passed
    assert problem in c.problem and bool(problem) == bool(c.problem)


def test_a_threshold_of_one_is_passed_by_equal_outputs_only():
    rng = np.random.default_rng(3)
    for size in (1, 3, 1000, 99991):
        r = rng.normal(size=size).astype(np.float32)
        assert compare("y", r, r).failure(Limits(1.0, 0, is_given=True)) == ""
        other = r.copy()
        other[0] += np.float32(1e-3)
        near = compare("y", other, r)
        assert size == 1 or near.similarity < 1
        assert "above 0" in near.failure(Limits(0.999, 0, is_given=True))
    assert compare("y", r, -r).similarity == pytest.approx(-1)
    assert "its similarity -1 is below 0.5" in compare("y", r, -r).failure(Limits(0.5, 1))


def test_the_deployment_file_sets_the_similarity():
    given = limits("cpu", {"cpu": 0.9})
    assert (given.similarity, given.error, given.is_given) == (0.9, PASS.error, True)
    assert limits("cpu", {"gpu": 0.9}) == PASS and PASS.similarity == 0.999
    assert limits("cpu", None, "half") == limits("gpu", None)


def test_several_runs_are_compared_as_one_tensor():
    """A number that is 0 by chance in one run has the scale of the others."""
    runs = [(np.float32([a]), np.float32([r])) for a, r in ((1e-5, 2e-5), (0.5, 0.5), (2.0, 2.0))]
    assert not compare_all("y", runs).failure(PASS)
    assert "above 0.001" in compare_all("y", runs[:1]).failure(PASS)
    assert "the shape [2], the reference [1]" in compare_all(
        "y", [*runs, (R[0, :2], R[0, :1])]).problem


def far(error, similarity=1.0, size=100, scale=1.0):
    return Comparison("y", similarity, error * scale, error, 60.0, size=size, noise=0.0)


# The output, what a change of the source's weights does to it, and whether it passes.
JUDGED = {
    "just above the limit": (far(0.00102), far(2e-4), True),
    "far above what the model does": (far(0.00102), far(1e-6), False),
    "an unstable model": (far(0.009), far(0.5), True),
    "beyond ten times the limit": (far(0.0101), far(0.5), False),
    "too unlike": (far(0.005, 0.98), far(0.5, 0.5), False),
    "as unlike as the model itself": (far(0.005, 0.995), far(0.01, 0.9999), True),
    "weights that cannot be changed": (far(0.00102), None, False),
    "a single number": (far(0.002, size=1), far(1e-5, size=1), False),
    "what is left where terms cancel out": (far(0.5, 0.2, scale=1e-7), far(0.4, 0.3, scale=1e-7),
                                            True),
    "a wrong scale far below 1": (far(0.5, scale=1e-7), far(1e-7, scale=1e-7), False),
}


@pytest.mark.parametrize("name", JUDGED)
def test_an_output_may_be_as_far_off_as_its_model_depends_on_roundings(name):
    found, changed, passed = JUDGED[name]
    verdict = judge(found, PASS, lambda: changed)
    assert (verdict.failure == "") is passed, verdict
    if changed is not None:
        message = verdict.how if passed else verdict.failure
        assert "changing the source's weights by an ulp changes it by" in message


def test_a_threshold_of_the_file_has_no_allowance():
    own = limits("cpu", {"cpu": 0.99999})
    assert judge(far(5e-4, 0.9999), own, lambda: far(0.5, 0.5)).failure
    assert not judge(far(5e-3, 0.999999), own, lambda: far(0.5, 0.5)).failure


def test_what_passes_by_the_fixed_limits_changes_no_weights():
    def changed():
        raise AssertionError("the framework would run again")
    assert "the fixed limits" in judge(far(1e-4), PASS, changed).how
    assert "its sign" in judge(far(1e-4, size=1), PASS, changed).how
    near = compare("y", R * 0 + np.float32(1e-8), R * 0)
    assert judge(near, PASS, changed).how == "its absolute error, below 2.4e-07"


def test_unsigned_numbers_of_64_bits_are_compared_as_such():
    right = np.array([2**64 - 1, 2**63, 5], np.uint64)
    assert compare("y", right.view(np.int64), right).similarity == 1
    assert compare("y", np.array([-1, 0, 5]), right).similarity < 0.9
