"""What `run` says about outputs that differ and about element types; mace_run is a fake.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json

import numpy as np
import pytest

from mace_tools.commands.commands_test import place  # noqa: F401, the fixture
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.workplace import EXPECTED


def test_the_outputs_that_fail_are_named_with_the_limit(place):  # noqa: F811
    pytest.importorskip("onnxruntime")
    place.answer(4, scale=1.01)
    code, _, err = place.call("run", "--validate", "--input=models/digits/images/4.png")
    assert code == ExitCode.VALIDATION_FAILED
    assert "output 'probabilities': its largest relative error 0.01 is above 0.001" in err


def test_element_types_that_become_others_are_reported_whenever_the_model_is_used(place):  # noqa: F811
    """A float64 model; `run` says it as well, though the model is up to date by then."""
    onnx = pytest.importorskip("onnx")
    file = place.folder / "models" / "digits" / "digits.onnx"
    old, model = file.read_bytes(), onnx.load(file)
    cast = onnx.helper.make_node("Cast", [model.graph.node[-1].output[0]], ["wide"], to=11)
    model.graph.node.append(cast)
    model.graph.output[0].name = "wide"
    model.graph.output[0].type.tensor_type.elem_type = 11
    file.write_bytes(model.SerializeToString())
    place.edit(*(hashlib.sha256(data).hexdigest() for data in (old, file.read_bytes())))
    place.edit("output_tensors: probabilities", "output_tensors: wide")
    np.save(place.fake / "wide.npy", np.array([EXPECTED["onnx"][4]], np.float32))
    for command in ("convert", "run"):
        code, _, err = place.call(command, "--json=r.json")
        assert "1 float64 tensor(s) are computed and returned as float32" in err and "'wide'" in err
    report = json.loads((place.folder / "r.json").read_text())["models"]["digits_onnx"]
    assert "float64" in report["notes"][0]
