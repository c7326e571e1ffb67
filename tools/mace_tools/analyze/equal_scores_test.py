"""Which differing indices are no error.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.analyze.equal_scores import Choice, choices, settled
from mace_tools.commands.validation_test import W, f32, validate, written  # noqa: F401, a fixture
from mace_tools.convert import importers
from mace_tools.testing.onnx_file import node

SCORES = np.array([[5.0, 4.9999, 1.0, 4.0], [0.0, 2.0, 2.0001, -7.0]])


@pytest.mark.parametrize("ours, expected, count", [
    ([0, 2], [0, 2], 0), ([1, 2], [0, 2], 1), ([1, 1], [0, 2], 2), ([2, 2], [2, 2], 0),
    ([3, 3], [3, 3], 0), ([4, -1], [4, -1], 0), ([-1, 1], [-1, 2], 1)])
def test_an_index_of_an_almost_equal_score_becomes_that_of_the_reference(ours, expected, count):
    found, number = settled(np.int32(ours), np.int64([0, 2]), SCORES, -1, 1e-3)
    assert (found.tolist(), number, found.dtype) == (expected, count, np.int32)
    keeping = settled(np.int64(ours).reshape(2, 1), np.int64([[0], [2]]), SCORES, 1, 1e-3)
    assert keeping[0].reshape(-1).tolist() == expected


def test_places_of_the_largest_may_be_exchanged():
    scores = np.array([3.0, 9.0, 8.9999, 1.0])
    found, count = settled(np.int64([2, 1, 0]), np.int64([1, 2, 0]), scores, 0, 1e-3)
    assert found.tolist() == [1, 2, 0] and count == 2
    found, count = settled(np.int64([1, 0, 2]), np.int64([1, 2, 0]), scores, 0, 1e-3)
    assert found.tolist() == [1, 0, 2] and count == 0


@pytest.mark.parametrize("ours, right", [(np.int64([1]), np.int64([1, 2])),
                                         (np.float32([1, 1]), np.int64([0, 2])),
                                         (np.int64([1, 1]), np.int64([0, 9]))])
def test_what_cannot_be_indices_stays(ours, right):
    assert settled(ours, right, SCORES, -1, 1e-3)[0] is ours


def test_not_finite_scores_are_equal_to_none():
    scores = np.array([[np.nan, 1.0, np.inf, np.inf]])
    for index in (0, 1):
        assert settled(np.int64([index]), np.int64([2]), scores, 1, 1e-3)[1] == 0


def test_outputs_that_are_indices_are_found(tmp_path):
    nodes = [node("ArgMax", "x", "a", axis=1), node("Cast", "a", "y", to=6),
             node("TopK", "x k", "v i", axis=0), node("ArgMin", "x", "m"), node("Neg", "x", "n")]
    path = written(tmp_path / "m.onnx", nodes, {"k": np.int64([1])}, outputs=("y", "v", "i", "m",
                                                                             "n"))
    read = importers.read("onnx", path)
    assert choices(read, ["y", "v", "i", "m", "n"]) == {
        "y": Choice("x", 1), "i": Choice("x", 0), "m": Choice("x", 0)}


def labels(path, factor):
    """The index of the largest of 64 magnitudes, of which two are the same but for a factor."""
    w = W.copy()
    w[:, 60] = 30 * W[:, 7]
    w[:, 3] = w[:, 60] * np.float32(factor)
    return written(path, [node("MatMul", "x w", "s"), node("Abs", "s", "p"),
                          node("ArgMax", "p", "y", axis=1)], {"w": w})


def test_validation_takes_another_label_of_the_same_score(validate, tmp_path):  # noqa: F811
    right = labels(tmp_path / "m.onnx", 1 + 1e-5)
    code, report, out, _ = validate(right, labels(tmp_path / "same.onnx", 1 - 1e-5))
    assert code == 0 and "indices differ where the source's scores are equal within 0.001" in out
    less = labels(tmp_path / "less.onnx", 0.99)  # where it is 1 % behind
    assert validate(less, labels(tmp_path / "other.onnx", 1.01))[0] == 5
    wrong = written(tmp_path / "wrong.onnx", [
        node("MatMul", "x w", "s"), node("Mul", "s f", "p"),
        node("ArgMax", "p", "y", axis=1)], {"w": W, "f": f32(-1.0)})
    assert validate(right, wrong)[0] == 5
