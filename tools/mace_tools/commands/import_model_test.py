"""Whose fault it is when a model does not convert: the deployment file's or the model's.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO
from mace_tools.testing import onnx_file
from mace_tools.testing.onnx_file import node

YAML = """\
library_name: lib
target_abis: [host]
models:
  net:
    platform: {platform}
    model_file_path: {file}
    model_sha256_checksum: {sha}
    runtime: cpu
    subgraphs:
      - input_tensors: {inputs}
        input_shapes: {shapes}
        output_tensors: {outputs}
        {more}
"""


@pytest.fixture
def convert(tmp_path, monkeypatch, capfd):
    """Converts a model as a deployment file asks; returns the exit status and the message."""
    monkeypatch.chdir(tmp_path)

    def run(platform, file, inputs, shapes, outputs, more=""):
        sha = hashlib.sha256(file.read_bytes()).hexdigest()
        (tmp_path / "d.yml").write_text(YAML.format(
            platform=platform, file=file, sha=sha, inputs=inputs, shapes=shapes, outputs=outputs,
            more=more))
        code = cli.main(["convert", "--config=d.yml", "--force"])
        out, err = capfd.readouterr()
        assert code == 0 or (out == "" and not list(tmp_path.rglob("*.pb"))), out
        return code, err

    return run


def digits(fmt):
    platform = {"pb": "tensorflow"}.get(fmt, fmt)
    return platform, REPO / "models" / "digits" / f"digits.{fmt}"


# Of models/digits: format, names and shapes that the deployment file gives; line, and the message.
WRONG = [
    ("onnx", "inputs", "1,1,8,8", "probabilities", "", 10,
     "input_tensors: the model has no tensor 'inputs'; did you mean 'input'? Its inputs: 'input'; "
     "its outputs: 'probabilities'\n    example: input_tensors: input"),
    ("onnx", "INPUT", "1,1,8,8", "probabilities", "", 10, "did you mean 'input'?"),
    ("onnx", "zzz", "1,1,8,8", "probabilities", "", 10, "no tensor 'zzz'. Its inputs: 'input'"),
    ("tflite", "input", "1,8,8,1", "[probabilities, prob]", "", 12,
     "output_tensors: the model has no tensor 'prob'"),
    ("pb", "input:0", "1,8,8,1", "probabilitie:0", "", 12, "did you mean 'probabilities'?"),
    ("tflite", "input", "1,1,8,8", "probabilities", "", 11,
     "input_shapes: 1,1,8,8 does not fit the model's input 'input', of which the file states "
     "1,8,8,1; was its NCHW order meant? Write it in NHWC, or keep it and add "
     "`input_data_formats: NCHW`"),
    ("pb", "input", "1,1,8,8", "probabilities", "", 11, "example: input_shapes: 1,8,8,1"),
    ("onnx", "input", "1,8,8,1", "probabilities", "", 11, "was its NHWC order meant?"),
    ("onnx", "input", "1,1,8,8", "probabilities", "input_data_formats: NHWC", 11,
     "1,1,8,8, in NCHW 1,8,1,8, does not fit"),
    ("tflite", "input", "1,64", "probabilities", "", 11,
     "input_shapes: 1,64 has 2 dimensions, but the model's 'input' has 4: 1,8,8,1"),
    ("tflite", "input", "1,2,2,1", "probabilities", "", 11, "With the shape given: "),
    ("tflite", "input", "1,8,8", "probabilities", "input_data_formats: NCHW", 13,
     "input_data_formats: NCHW needs four dimensions, and input_shapes has 3 for 'input': 1,8,8"),
    ("tflite", "input", "1,8,8,1", "probabilities", "input_data_types: int32", 13,
     "input_data_types: this says int32 for 'input', but the model has float32"),
    ("tflite", "input", "1,8,8,1", "probabilities", "output_data_types: uint8", 13,
     "output_data_types: this says uint8 for 'probabilities', but the model has float32"),
]  # fmt: skip


@pytest.mark.parametrize("fmt, inputs, shapes, outputs, more, line, text", WRONG,
                         ids=range(len(WRONG)))
def test_the_deployment_file_is_at_fault(convert, fmt, inputs, shapes, outputs, more, line, text):
    code, err = convert(*digits(fmt), inputs, shapes, outputs, more)
    assert code == ExitCode.ERROR, err
    assert f"ERROR: d.yml:{line}: models.net.subgraphs[0]." in err and text in err


def two_inputs(path, shape=(1, 3, "h", "w")):
    """A convolution of 3 channels, pooled by windows of 7, plus a second input."""
    w = np.ones((4, 3, 3, 3), np.float32)
    nodes = [node("Conv", "x w", "a", "conv", pads=[1, 1, 1, 1]),
             node("AveragePool", "a", "b", "pool", kernel_shape=[7, 7]),
             node("Add", "b second", "y", "sum")]
    return onnx_file.model(path, nodes, {"x": shape, "second": (1, 4, 1, 1)}, ("y",), {"w": w})


def test_lines_of_lists(convert, tmp_path):
    file = two_inputs(tmp_path / "m.onnx")
    names, shapes = "\n        - x\n        - secnd", "\n        - 1,3,7,7\n        - 1,4,1,1"
    code, err = convert("onnx", file, names, shapes, "y")
    assert code == ExitCode.ERROR and "d.yml:12: " in err and "did you mean 'second'?" in err
    code, err = convert("onnx", file, names.replace("secnd", "second"), shapes[:-1] + "9", "y")
    assert code == ExitCode.OK, err  # 1,4,1,9: the sum is broadcast
    assert "d.yml:15: " in err and "in place of the 1,4,1,1 that the file states for 'sec" in err


def test_a_scalar_that_is_given_as_a_vector(convert, tmp_path):
    nodes = [node("Add", "x rate", "y")]
    file = onnx_file.model(tmp_path / "m.onnx", nodes, {"x": (1, 4), "rate": ()}, ("y",))
    code, err = convert("onnx", file, "[x, rate]", "['1,4', '1']", "y")
    assert code == ExitCode.ERROR and "1 has 1 dimensions, but the model's 'rate' has 0: []" in err
    assert "example: input_shapes: []" in err


def test_an_input_that_is_left_out(convert, tmp_path):
    code, err = convert("onnx", two_inputs(tmp_path / "m.onnx"), "x", "1,3,7,7", "y")
    assert code == ExitCode.ERROR and "d.yml:10: " in err
    assert "need the model's input 'second', too: add it to input_tensors, input_shapes 1,4" in err


def test_extents_that_the_file_leaves_open(convert, tmp_path):
    file, names = two_inputs(tmp_path / "m.onnx"), "[x, second]"
    code, err = convert("onnx", file, names, "['1,3,4,4', '1,4,1,1']", "y")
    assert code == ExitCode.ERROR and "d.yml:11: " in err
    assert "'x', of which the file states 1,3,?,? (the file leaves '?' open). With the" in err
    assert "the window (7) is larger" in err
    code, err = convert("onnx", file, names, "['1,9,9,3', '1,4,1,1']", "y")
    assert code == ExitCode.ERROR and "was its NHWC order meant?" in err
    assert "example: input_shapes: 1,3,9,9" in err


@pytest.mark.parametrize("shape", [None, ("n", "c", "h", "w")])
def test_a_shape_of_which_the_file_states_nothing(convert, tmp_path, shape):
    w = np.ones((4, 3, 3, 3), np.float32)
    proto = onnx_file.onnx().ModelProto(ir_version=7)
    proto.opset_import.add(version=13)
    proto.graph.node.append(node("Conv", "x w", "y", "conv"))
    proto.graph.input.append(onnx_file.info("x", shape))
    proto.graph.output.append(onnx_file.info("y", None))
    proto.graph.initializer.append(onnx_file.tensor("w", w))
    file = tmp_path / "m.onnx"
    file.write_bytes(proto.SerializeToString())
    code, err = convert("onnx", file, "x", "1,8,8,3", "y")
    assert code == ExitCode.ERROR and "was its NHWC order meant?" in err, err
    code, err = convert("onnx", file, "x", "1,5,8,8", "y")
    assert code == ExitCode.ERROR and "d.yml:11: " in err and "wants 3 channels" in err, err


@pytest.mark.parametrize("shape", ["1,8,8,1", "1,1,8,8"])
def test_the_model_is_at_fault(convert, tmp_path, shape):
    """Its filter has 5 channels, whatever shape is given."""
    w = np.ones((4, 5, 3, 3), np.float32)
    nodes = [node("Conv", "x w", "y", "conv")]
    file = onnx_file.model(tmp_path / "m.onnx", nodes, {"x": (1, 1, 8, 8)}, ("y",), {"w": w})
    code, err = convert("onnx", file, "x", shape, "y")
    assert code == ExitCode.BAD_MODEL and "'conv" in err and "d.yml" not in err


def test_operators_that_cannot_be_converted_stay_so(convert, tmp_path):
    file = onnx_file.model(tmp_path / "m.onnx", [node("Fancy", "x", "y")], {"x": (1, 4)}, ("y",))
    code, err = convert("onnx", file, "x", "2,4", "y")
    assert code == ExitCode.UNSUPPORTED_OPS and "Fancy x1" in err


@pytest.mark.parametrize("allowed, message", [
    ("[com.acme.Blur, com.acme.Blurr]", "'com.acme.Blurr'; did you mean 'com.acme.Blur'?"),
    ("[com.acme.Blur, Relu]", "the converter knows the operator 'Relu' and converts it"),
])  # fmt: skip
def test_names_of_custom_ops_must_be_of_the_model(convert, monkeypatch, tmp_path, allowed, message):
    monkeypatch.setattr(f"{__name__}.YAML",
                        YAML.replace("runtime: cpu", f"runtime: cpu\n    allow_custom_ops: "
                                                     f"{allowed}"))
    path = onnx_file.model(tmp_path / "net.onnx", [
        node("Relu", "x", "a"), node("Blur", "a", "y", "blur", "com.acme")], {"x": (1, 4)}, ["y"])
    code, err = convert("onnx", path, "x", "1,4", "y")
    assert code == ExitCode.ERROR
    assert "d.yml:9: models.net.allow_custom_ops" in err and message in err


def test_models_with_custom_ops_say_what_the_app_must_register(convert, monkeypatch, tmp_path):
    path = onnx_file.model(tmp_path / "net.onnx", [
        node("Relu", "x", "a"), node("Blur", "a", "y", "blur", "com.acme")], {"x": (1, 4)}, ["y"])
    code, err = convert("onnx", path, "x", "1,4", "y")
    assert code == ExitCode.UNSUPPORTED_OPS and "allow_custom_ops" in err
    monkeypatch.setattr(f"{__name__}.YAML",
                        YAML.replace("runtime: cpu", "runtime: cpu\n    allow_custom_ops: 1"))
    code, err = convert("onnx", path, "x", "1,4", "y")
    assert code == ExitCode.OK
    assert "custom ops that the app must register: com.acme.Blur" in err
