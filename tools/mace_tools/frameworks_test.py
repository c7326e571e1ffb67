"""Running source models in their frameworks, at their ends and in between.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from ai_edge_litert import interpreter as litert

from mace_tools import frameworks
from mace_tools.exit_codes import RunFailedError
from mace_tools.protos import REPO

DIGITS = REPO / "models" / "digits"
X = np.random.default_rng(0).random((1, 8, 8, 1), np.float32)


def test_onnx_at_the_ends_and_in_between():
    model = DIGITS / "digits.onnx"
    inner = [n.output[0] for n in onnx.load(model).graph.node][1]
    x = X.reshape(1, 1, 8, 8)
    whole = frameworks.run("onnx", model, {"input": x}, ["probabilities", inner])
    assert whole["probabilities"].sum() == pytest.approx(1, abs=1e-5)
    two = frameworks.run("onnx", model, {"input": np.concatenate([x, x])}, [inner])
    assert two[inner].shape[0] == 2  # another batch size than the file states
    rest = frameworks.run("onnx", model, {inner: whole[inner]}, ["probabilities"])
    assert np.allclose(rest["probabilities"], whole["probabilities"], atol=1e-6)


def test_tflite_at_the_ends_and_in_between():
    model = DIGITS / "digits.tflite"
    plain = litert.Interpreter(model_path=str(model))
    plain.allocate_tensors()
    name, output = (d()[0]["name"] for d in (plain.get_input_details, plain.get_output_details))
    last = {d["name"]: d["index"] for d in plain.get_tensor_details()}
    inner = [n for n in last if n not in (name, output) and "conv" in n.lower()][-1]
    whole = frameworks.run("tflite", model, {name: X}, [output])
    assert whole[output].sum() == pytest.approx(1, abs=1e-5)
    both = frameworks.run("tflite", model, {name: X}, [output, inner])
    assert np.allclose(both[output], whole[output], atol=1e-6)
    with pytest.raises(RunFailedError, match="LiteRT cannot run .*'nix' is not an input"):
        frameworks.run("tflite", model, {"nix": X}, [output])


def test_tensorflow_at_the_ends_and_in_between():
    model = DIGITS / "digits.pb"
    whole = frameworks.run("tensorflow", model, {"input": X}, ["probabilities"])
    assert whole["probabilities"].sum() == pytest.approx(1, abs=1e-5)
    again = frameworks.run("tensorflow", model, {"input:0": X}, ["probabilities:0"])
    assert np.array_equal(again["probabilities:0"], whole["probabilities"])


def test_a_framework_that_refuses_is_quoted():
    with pytest.raises(RunFailedError, match="ONNX Runtime cannot run .*: .*ONNXRuntimeError"):
        frameworks.run("onnx", DIGITS / "digits.onnx", {"input": X[..., 0]}, ["probabilities"])
