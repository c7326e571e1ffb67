"""What a source framework computes is kept by all on which it depends.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.frameworks.nudge import Nudge
from mace_tools.support.exit_codes import RunFailedError
from mace_tools.testing import golden_frameworks, goldens

pytest.importorskip("onnxruntime")
X = np.arange(6, dtype=np.float32)


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Calls a framework that adds up its inputs, and what it was asked for."""
    monkeypatch.setattr(goldens, "_FOLDER", tmp_path / "goldens")
    monkeypatch.setattr(goldens, "_is_used", True)
    calls = []

    def attempts(platform, model, inputs, outputs, signature="", weights=None, nudge=None):
        calls.append(inputs)
        if any((one["x"] < 0).any() for one in inputs):
            return [RunFailedError(f"cannot run {model}") if (one["x"] < 0).any() else
                    {name: one["x"] for name in outputs} for one in inputs]
        return [{name: one["x"] + len(name) for name in outputs} for one in inputs]

    call = golden_frameworks.kept(attempts)

    def ask(*inputs, model=b"model", name="m.onnx", outputs=("y", "zz"), **more):
        file = tmp_path / name
        file.write_bytes(model)
        return call("onnx", file, [{"x": x} for x in inputs], outputs, **more)

    ask.calls = calls
    return ask


def test_the_framework_runs_once_for_all_on_which_its_results_depend(asked):
    for _ in range(2):
        first, second = asked(X, X + 1)
        np.testing.assert_array_equal(first["y"], X + 1)
        np.testing.assert_array_equal(second["zz"], X + 3)
    assert len(asked.calls) == 1
    for k, other in enumerate(({"model": b"other"}, {"outputs": ("y",)}, {"signature": "s"},
                               {"nudge": Nudge()}, {"nudge": Nudge(seed=1)})):
        for _ in range(2):
            asked(X, X + 1, **other)
        assert len(asked.calls) == k + 2
    asked(X, X + 2)
    assert len(asked.calls) == 7


def test_an_error_names_the_model_of_the_day(asked):
    for name in ("a.onnx", "b.onnx"):
        (error,) = asked(-X - 1, name=name)
        assert str(error).startswith("cannot run ") and str(error).endswith(name)
    assert len(asked.calls) == 1


@pytest.mark.parametrize("inputs, more", [
    ((X, -X - 1), {}), ((X,), {"model": b"its weights have a location"})],
    ids=["some fail", "files"])
def test_what_has_no_key_is_computed_each_time(asked, inputs, more):
    for _ in range(2):
        assert len(asked(*inputs, **more)) == len(inputs)
    assert len(asked.calls) == 2
