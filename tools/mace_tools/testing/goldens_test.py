"""What source frameworks compute is computed once per model, input and version.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.testing import goldens

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Framework:
    """Gives the results in turn, each of which it computes once."""

    def __init__(self, *results):
        self._results = list(results)

    def answer(self, model=b"model", feeds=None, what="", packages=("onnx",)):
        return goldens.kept(packages, model, {"x": X} if feeds is None else feeds, what,
                            lambda: self._results.pop(0))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(goldens, "_FOLDER", tmp_path / "goldens")
    monkeypatch.setattr(goldens, "_is_used", True)
    return tmp_path / "goldens"


@pytest.mark.parametrize("result", [[X, np.int64(3), np.array([True])], [], "it fails", None],
                         ids=str)
def test_a_result_is_computed_once(result):
    framework = Framework(result)
    for found in (framework.answer(), framework.answer()):
        if not isinstance(result, list):
            assert found == result
            continue
        assert len(found) == len(result)
        for got, want in zip(found, map(np.asarray, result)):
            assert got.dtype == want.dtype and got.shape == want.shape
            np.testing.assert_array_equal(got, want)


def test_another_model_input_package_or_question_is_another_result(monkeypatch):
    framework = Framework(*map(str, range(9)))
    variants = [{}, {"model": b"other"}, {"feeds": {"y": X}}, {"feeds": {"x": X + 1}},
                {"feeds": {"x": X.reshape(3, 2)}}, {"feeds": {"x": X.view(np.int32)}},
                {"what": "other"}, {"packages": ("onnxruntime",)}]
    for _ in range(2):
        assert [framework.answer(**v) for v in variants] == list(map(str, range(8)))
    monkeypatch.setattr(goldens, "_versioned", lambda package: f"{package}==1000")
    assert framework.answer() == "8"


def test_a_damaged_entry_is_computed_again(folder):
    framework = Framework([X], [X + 1], [X + 2])
    framework.answer()
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(whole[:100])
    assert framework.answer()[0][0, 0] == 1
    entry.write_bytes(whole.replace(X.tobytes(), bytes(X.nbytes)))
    assert framework.answer()[0][0, 0] == 2
    assert list(folder.iterdir()) == [entry]


def test_without_the_cache_nothing_is_read_or_written(folder):
    framework = Framework("a", "b", "c")
    framework.answer()
    goldens.use(False)
    assert [framework.answer(), framework.answer(what="new")] == ["b", "c"]
    assert len(list(folder.iterdir())) == 1
