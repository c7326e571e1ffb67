"""A model goes straight through the converter: it hardly returns to a file that it has left.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.support.protos import REPO
from mace_tools.testing.model_walk import stops

MAX_STOPS = 36


@pytest.mark.parametrize(("fmt", "first"), [
    ("tf", "tensorflow/nodes.py"), ("onnx", "onnx/reader.py"), ("tflite", "tflite/reader.py")])
def test_a_model_makes_few_stops(tmp_path, monkeypatch, fmt, first):
    monkeypatch.chdir(REPO)
    walk = stops(f"--config=models/digits/digits_{fmt}.yml", f"--output={tmp_path}")
    assert len(walk) <= MAX_STOPS, "\n".join(walk)
    # The way is seen from its start to its end.
    assert walk[0] == f"convert/importers/{first}"
    assert {"convert/importers/registry.py", "convert/passes/pipeline.py",
            "convert/emit.py"} <= set(walk)
