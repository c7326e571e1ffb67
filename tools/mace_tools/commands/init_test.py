"""Drafts of deployment files: what they say, and that they convert as they are.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
import sys

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.config.load import load
from mace_tools.convert.importers import platforms
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker
from mace_tools.support import protos
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO
from mace_tools.testing import onnx_file
from mace_tools.testing.onnx_file import node
from mace_tools.testing.tflite_file import Maker as Tflite
from mace_tools.testing.workplace import DIGITS, Workplace


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    """Runs a command; returns the exit status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = cli.main([str(a) for a in arguments])
        return code, *capfd.readouterr()

    return run


def drafted(call, model, *arguments):
    """The model of the draft, which `convert` takes as it is, and the text."""
    code, out, err = call("init", model, *arguments)
    assert code == ExitCode.OK, err
    with open("my.yml", "w") as file:
        file.write(out)
    return out, err


def section(path="my.yml"):
    (model,) = load(path).library.models.values()
    return model.subgraph


@pytest.mark.parametrize("fmt, platform", [("onnx", "onnx"), ("pb", "tensorflow"),
                                           ("tflite", "tflite")])
def test_two_commands_run_the_bundled_model(tmp_path, monkeypatch, capfd, call, fmt, platform):
    model = DIGITS / f"digits.{fmt}"
    out, err = drafted(call, model)
    assert err == "" and f"platform: {platform}\n" in out
    deployment = load("my.yml")
    assert deployment.notes == () and deployment.library.library_name == "digits"
    monkeypatch.chdir(REPO)
    own = load(DIGITS / f"digits_{'tf' if fmt == 'pb' else fmt}.yml")
    (draft,), (right,) = (d.library.models.values() for d in (deployment, own))
    for key in ("input_tensors", "input_shapes", "output_tensors", "output_shapes"):
        assert getattr(draft.subgraph, key) == getattr(right.subgraph, key)
    assert draft.model_sha256_checksum == right.model_sha256_checksum
    place = Workplace(tmp_path / "place", monkeypatch, capfd)
    place.answer(3)
    code, out, err = call("run", f"--config={tmp_path / 'my.yml'}", f"--mace_run={place.mace_run}")
    assert code == 0, err
    assert "Average latency" in out


def test_a_file_is_written_once(call, tmp_path):
    code, out, err = call("init", DIGITS / "digits.onnx", "--output=new/my.yml", "--model_name=net")
    assert code == 0 and out == ""
    assert "INFO: new/my.yml: `tools/converter.py run --config=new/my.yml` converts and" in err
    text = (tmp_path / "new" / "my.yml").read_text()
    assert "library_name: net\n" in text and "  net:\n" in text
    code, _, err = call("init", DIGITS / "digits.onnx", "--output=new/my.yml")
    assert code == ExitCode.USAGE and "--output=new/my.yml is there already, perhaps" in err
    assert (tmp_path / "new" / "my.yml").read_text() == text
    assert call("convert", "--config=new/my.yml")[0] == 0


def conv(path, shape, **names):
    x = names.get("x", "x")
    w = np.ones((4, 3, 3, 3), np.float32)
    nodes = [node("Conv", "x w", "y", "conv", pads=[1, 1, 1, 1])]
    proto = onnx_file.onnx().ModelProto.FromString(
        onnx_file.model(path, nodes, {"x": shape}, ("y",), {"w": w}).read_bytes())
    proto.graph.node[0].input[0] = proto.graph.input[0].name = x
    path.write_bytes(proto.SerializeToString())
    return path


def test_an_open_batch_is_one(call, tmp_path):
    out, err = drafted(call, conv(tmp_path / "m.onnx", ("batch", 3, 8, 6)))
    assert err == "" and "fill in" not in out.lower()
    assert "input_shapes: 1,3,8,6  # the file leaves the first extent open, taken as a" in out
    assert section().output_shapes == ((1, 4, 8, 6),)
    assert section().output_data_formats == ("NCHW",)
    assert "resize: [8, 6], channels: rgb" in out
    assert call("convert", "--config=my.yml")[0] == 0


def test_open_extents_are_to_be_filled_in(call, tmp_path):
    out, err = drafted(call, conv(tmp_path / "m.onnx", ("n", 3, "h", "w")))
    assert "fill in each '?' of input_shapes (x)" in err
    assert "# Fill in each '?' first.\n" in out and "output_shapes" not in out
    assert "input_shapes: 1,3,?,?  # the file leaves the first extent open, taken as a batch of " \
           "1; fill in '?' (H, W): the file leaves it open\n" in out
    code, _, err = call("convert", "--config=my.yml")
    assert code == ExitCode.ERROR and "my.yml:13: " in err
    assert "'1,3,?,?' still has a '?' to fill in: the model's file leaves this open" in err
    with open("my.yml", "w") as file:
        file.write(out.replace("?,?", "8,8"))
    assert call("convert", "--config=my.yml")[0] == 0


def test_open_extents_of_tflite(call, tmp_path):
    m = Tflite()
    m.tensor("x", (1, 1, 3))
    m.op("NEG", ["x"], ["y"])
    m.shape_signatures = {"x": (-1, -1, 3)}
    code, out, err = call("init", m.save(tmp_path, ["x"], ["y"]))
    assert code == ExitCode.OK and "fill in each '?' of input_shapes (x)" in err
    assert "input_shapes: 1,?,3  # " in out
    m.shape_signatures = {"x": (-1, 1, 3)}
    assert "input_shapes: 1,1,3  # the file leaves the first extent open" in call(
        "init", m.save(tmp_path, ["x"], ["y"]))[1]


@pytest.mark.parametrize("shape, written", [
    (("n",), "'?'"), (("n", "c"), "1,?"), ((2, "t", 5), "2,?,5"), (("n", 16), "1,16")])
def test_other_ranks(call, tmp_path, shape, written):
    file = onnx_file.model(tmp_path / "m.onnx", [node("Relu", "x", "y")], {"x": shape}, ("y",))
    out, _ = drafted(call, file)
    assert f"input_shapes: {written}" in out
    assert ("input_shapes: '?'  # fill in '?' (extent 1)" in out) == (len(shape) == 1)
    code = call("convert", "--config=my.yml")[0]
    assert code == (ExitCode.ERROR if "?" in written else ExitCode.OK)


def test_a_scalar(call, tmp_path):
    nodes = [node("Add", "x rate", "y")]
    out, _ = drafted(call, onnx_file.model(tmp_path / "m.onnx", nodes, {"x": (1, 4), "rate": ()},
                                           ("y",)))
    assert "input_shapes:\n          - 1,4\n          - []\n" in out


def test_several_ends_have_lists(call, tmp_path):
    nodes = [node("Add", "a b", "s"), node("Relu", "s", "r"), node("Neg", "c", "n"),
             node("Reshape", "unused shape", "gone")]
    shapes = {"a": ("n", 3, 4, 4), "unused": (4,), "b": (1, 3, 4, 4), "c": (2, 5)}
    file = onnx_file.model(tmp_path / "m.onnx", nodes, shapes, ("r", "n"),
                           {"shape": np.array([2, 2])})
    out, _ = drafted(call, file)
    assert "          - 1,3,4,4  # the file leaves the first extent open" in out
    sub = section()
    assert sub.input_tensors == ("a", "b", "c")  # not `unused`, which no output needs
    assert sub.input_shapes == ((1, 3, 4, 4), (1, 3, 4, 4), (2, 5))
    assert sub.input_data_formats == ("NCHW", "NCHW", "NONE")
    assert sub.input_data_types == ("float32",)
    assert sub.output_tensors == ("r", "n") and sub.output_shapes == ((1, 3, 4, 4), (2, 5))
    code, _, err = call("convert", "--config=my.yml")
    assert code == 0 and "WARNING" not in err, err


@pytest.mark.parametrize("name", ["137", "1e5", "0x1F", "yes", "null", "a: b", "a #b", "[a]", "-a",
                                  "%a", "a/b:1", "'a'", '"a"', "@x", "1,2", "ä", "a" * 300, "?"])
def test_odd_names(call, tmp_path, name):
    out, _ = drafted(call, conv(tmp_path / "m.onnx", (1, 3, 4, 4), x=name))
    assert section().input_tensors == (name,)
    code, _, err = call("convert", "--config=my.yml")
    assert code == 0, err


def test_inputs_and_outputs_of_one_tensor_have_one_order(call, tmp_path):
    out, _ = drafted(call, onnx_file.model(tmp_path / "m.onnx", [], {"x": (1, 2, 3, 4)}, ("x",)))
    assert "output_data_formats: NCHW" in out
    for inputs, outputs, code in (("NHWC", "NHWC", ExitCode.OK), ("NHWC", "NCHW", ExitCode.ERROR)):
        text = out.replace("1,2,3,4", "1,3,4,2").replace("output_data_formats: NCHW",
                                                         f"output_data_formats: {outputs}")
        (tmp_path / "my.yml").write_text(text.replace("input_data_formats: NCHW",
                                                      f"input_data_formats: {inputs}"))
        found, _, err = call("convert", "--config=my.yml")
        assert found == code, err
    assert "'x' is an input and an output, one tensor with one order" in err


def test_a_tensor_may_be_an_output_by_two_names(call, tmp_path):
    m = Tflite()
    m.tensor("x", (2, 3))
    m.op("RELU", ["x"], ["y"])
    m.signatures = [("serve", {"a": "x"}, {"b": "y"}, 0)]
    out, _ = drafted(call, m.save(tmp_path, ["x"], ["y"]))
    out = out.replace("output_tensors: b", "output_tensors: [b, y]")
    (tmp_path / "my.yml").write_text(out.replace("_shapes: 2,3\n", "_shapes: ['2,3', '2,3']\n")
                                     .replace("input_shapes: ['2,3', '2,3']", "input_shapes: 2,3"))
    assert call("convert", "--config=my.yml")[0] == ExitCode.OK  # one tensor by two names
    net = protos.mace().NetDef.FromString((tmp_path / "build/model/model/model.pb").read_bytes())
    assert [info.name for info in net.output_info] == ["b", "y"]


@pytest.mark.parametrize("file", ["new\nline.onnx", "1 model.onnx", "mödel.v2-final.onnx",
                                  "-.onnx", "a'b#c.onnx"])
def test_odd_files(call, tmp_path, file):
    conv(tmp_path / file, (1, 3, 4, 4))
    out, _ = drafted(call, f"./{file}")
    code, _, err = call("convert", "--config=my.yml")
    assert code == 0, err


def test_graphs_that_state_no_shape(call, tmp_path):
    m = Maker()
    m.placeholder("x")
    m.node("y", "Relu", "x")
    m.graph.node[0].ClearField("attr")
    m.graph.node[0].attr["dtype"].type = 1
    out, err = drafted(call, m.save(tmp_path))
    assert "input_shapes: '?'  # fill in the whole shape, such as 1,224,224,3" in out
    assert call("convert", "--config=my.yml")[0] == ExitCode.ERROR
    (tmp_path / "my.yml").write_text(out.replace("'?'", "2,3"))
    assert call("convert", "--config=my.yml")[0] == 0


def test_a_tensorflow_graph_in_nchw(call, tmp_path):
    m = Maker()
    m.placeholder("x", 1, 3, 8, 6)
    m.const("b", np.ones(3, np.float32))
    m.node("s", "BiasAdd", "x", "b", data_format="NCHW")
    m.node("y", "Relu", "s")
    drafted(call, m.save(tmp_path))
    assert section().input_data_formats == ("NCHW",)
    assert section().input_shapes == section().output_shapes == ((1, 3, 8, 6),)
    code, _, err = call("convert", "--config=my.yml")
    assert code == 0 and "WARNING" not in err, err


def test_operators_that_do_not_convert_are_noted(call, tmp_path):
    nodes = [node("Fancy", "x", "a"), node("Fancy", "a", "b"), node("Odd", "b", "y")]
    out, err = drafted(call, onnx_file.model(tmp_path / "m.onnx", nodes, {"x": (1, 4)}, ("y",)))
    assert "3 nodes of it cannot be converted (Fancy, Odd)" in err and "input_shapes: 1,4" in out
    assert "# `convert` refuses the model as it is: 3 nodes of it cannot be converted" in out


@pytest.mark.parametrize("shape, op, promise", [
    ((1, 4), "Relu", "`tools/converter.py run --config=my.yml` converts and runs the model"),
    ((1, "w"), "Relu", "fill in each '?' of it, then try `tools/converter.py run --config=my.yml`"),
    ((1, 4), "Fancy", "it is to be changed before it converts"),
    ((1,) * 9, "Relu", "it is to be changed before it converts"),
])
def test_what_is_promised_of_a_draft_holds(call, tmp_path, shape, op, promise):
    file = onnx_file.model(tmp_path / "m.onnx", [node(op, "x", "y")], {"x": shape}, ("y",))
    code, out, err = call("init", file, "--output=my.yml")
    assert code == ExitCode.OK and out == "" and f"INFO: my.yml: {promise}\n" in err
    assert (call("convert", "--config=my.yml")[0] == ExitCode.OK) == ("converts and" in promise)


@pytest.mark.parametrize("contents, message", [
    (None, "there is no file 'm.bin'"), (b"", "'m.bin' is no model that can be converted"),
    (b"hello", f"what can be is {', '.join(platforms())}"),
    (b"PK\x03\x04broken", "holds a zip archive, which cannot be converted; unpack it"),
    (b"\xa2\x06\x03\n\x01a", "weights file (.caffemodel), which cannot be converted; give its "
                             "network (.prototxt)"),
    (b"\x12\x05ab", "'m.bin' is no model"),
])
def test_what_is_no_model(call, tmp_path, contents, message):
    if contents is not None:
        (tmp_path / "m.bin").write_bytes(contents)
    code, out, err = call("init", "m.bin")
    assert code == ExitCode.ERROR and message in err and out == ""


def test_a_damaged_model_and_wrong_use(call, tmp_path):
    model = (DIGITS / "digits.onnx").read_bytes()
    (tmp_path / "cut.onnx").write_bytes(model[: len(model) // 2])
    code, out, err = call("init", "cut.onnx")
    assert code == ExitCode.BAD_MODEL and "truncated" in err and out == ""
    assert call("init")[0] == ExitCode.USAGE
    assert "'.' is a folder without saved_model.pb" in call("init", ".")[2]
    assert "did you mean '--output'?" in call("init", "cut.onnx", "--outptu=x")[2]
    assert "names files" in call("init", DIGITS / "digits.onnx", "--model_name=a/b")[2]
    assert "takes no new files" in call("init", DIGITS / "digits.onnx", "--output=/proc/x")[2]


def test_no_framework_is_needed():
    bare = ("import sys\n"
            "sys.modules.update(dict.fromkeys(['tensorflow', 'onnx', 'onnxruntime', "
            "'ai_edge_litert', 'torch', 'keras']))\n"
            "from mace_tools.cli import main\n"
            "sys.exit(main(['init', sys.argv[1]]))")
    for fmt in ("onnx", "pb", "tflite"):
        done = subprocess.run([sys.executable, "-c", bare, DIGITS / f"digits.{fmt}"], text=True,
                              cwd=REPO / "tools", capture_output=True, check=False)
        assert done.returncode == 0 and "library_name: digits" in done.stdout, done.stderr
