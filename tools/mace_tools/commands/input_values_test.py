"""input_values: inputs of a model that a deployment file turns into constants.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.convert import importers, reference
from mace_tools.convert.importers.fixed_inputs import with_values
from mace_tools.convert.importers.request import RequestError
from mace_tools.convert.importers.tensorflow.tensorflow_test import INT32
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker as TensorFlowMaker
from mace_tools.support.errors import UnsupportedOps
from mace_tools.support.protos import mace
from mace_tools.testing.lazily import tf, tf1
from mace_tools.testing.onnx_file import graph, info, node, onnx, tensor
from mace_tools.testing.tflite_file import Maker as TfliteMaker

X = np.arange(6, dtype=np.float32)


def onnx_file(folder):
    """y = x + 1 where the input rate is 16000, else x - 1."""
    proto = onnx().ModelProto(ir_version=8)
    proto.opset_import.add(version=13)
    proto.graph.input.extend([info("x", (6,), np.float32), info("rate", (), np.int64)])
    proto.graph.output.append(info("y", None))
    proto.graph.initializer.extend([tensor("r", np.array(16000)), tensor("one", np.array(1, "f"))])
    add, sub = (graph("branch", [node(op, "x one", op)], {}, [op]) for op in ("Add", "Sub"))
    proto.graph.node.extend([node("Equal", "rate r", "c"),
                             node("If", "c", "y", "if", then_branch=add, else_branch=sub)])
    path = folder / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


def tensorflow_file(folder):
    """y is x in the shape that the input s holds."""
    m = TensorFlowMaker()
    m.placeholder("x", 6)
    m.placeholder("s", 2)
    m.graph.node[-1].attr["dtype"].type = INT32
    m.node("r", "Reshape", "x", "s")
    m.node("y", "Unpack", "r", axis=0, num=2)
    return m.save(folder)


def tflite_file(folder):
    m = TfliteMaker()
    m.tensor("x", (6,))
    m.tensor("s", (2,), "int32")
    m.op("RESHAPE", ["x", "s"], ["y"])
    return m.save(folder, ["x", "s"], ["y"])


FILES = {"onnx": onnx_file, "tensorflow": tensorflow_file, "tflite": tflite_file}
CASES = {
    "onnx": [("onnx", {"rate": 16000}, X + 1), ("onnx", {"rate": 8000}, X - 1)],
    "tensorflow": [("tensorflow", {"s": [2, 3]}, X[:3]), ("tensorflow", {"s:0": [2, -1]}, X[:3])],
    "tflite": [("tflite", {"s": [3, 2]}, X.reshape(3, 2))],
}


@pytest.mark.parametrize(("platform", "values", "want"), sum(CASES.values(), []))
def test_what_the_value_decides_is_decided(platform, values, want, tmp_path):
    read = with_values(importers.read(platform, FILES[platform](tmp_path)), values)
    g = importers.translate(platform, read, {"x": (6,)}, ["y"])
    assert g.inputs == ["x"]
    assert g.tensors["y"].static_shape == want.shape
    np.testing.assert_array_equal(reference.run(g, {"x": X})["y"], want)


@pytest.fixture
def convert(tmp_path, monkeypatch, capfd):
    """Converts the ONNX model with these lines in its subgraph; the exit status and the message."""
    monkeypatch.chdir(tmp_path)
    file = onnx_file(tmp_path)
    sha = hashlib.sha256(file.read_bytes()).hexdigest()

    def run(inputs: str, shapes: str, more: str):
        (tmp_path / "d.yml").write_text(f"""\
library_name: lib
target_abis: [host]
models:
  net:
    platform: onnx
    model_file_path: {file}
    model_sha256_checksum: {sha}
    runtime: cpu
    subgraphs:
      - input_tensors: {inputs}
        input_shapes: {shapes}
        output_tensors: y
        {more}
""")
        return cli.main(["convert", "--config=d.yml"]), capfd.readouterr().err

    return run


def test_a_deployment_file_gives_the_value(convert, tmp_path):
    code, err = convert("x", "6", "input_values: {rate: 16000}")
    assert code == 0, err
    net = mace().NetDef.FromString((tmp_path / "build/lib/model/net.pb").read_bytes())
    assert [i.name for i in net.input_info] == ["x"]
    assert [(op.type, op.arg[0].s) for op in net.op] == [("Eltwise", b"SUM")]
    code, err = convert("x", "6", "input_values: {rate: [8000]}")
    assert code != 0 and "a value of the shape 1 does not fit the input 'rate'" in err
    code, err = convert("x", "6", "input_values: {rate: 8000}")  # another value, another model
    assert code == 0, err
    net = mace().NetDef.FromString((tmp_path / "build/lib/model/net.pb").read_bytes())
    assert [op.arg[0].s for op in net.op] == [b"SUB"]


def test_without_a_value_the_model_decides_when_it_runs(convert, tmp_path):
    code, err = convert("[x, rate]", "[[6], []]", "")
    assert code == 0 and "the plan waits for data" in err and "If 'y' for its condition" in err, err
    net = mace().NetDef.FromString((tmp_path / "build/lib/model/net.pb").read_bytes())
    assert [i.name for i in net.input_info] == ["x", "rate"]
    assert [op.type for op in net.op] == ["Compare", "If"]
    g = importers.load("onnx", tmp_path / "m.onnx")
    for rate, want in ((16000, X + 1), (8000, X - 1)):
        got = reference.run(g, {"x": X, "rate": np.array(rate)})
        np.testing.assert_array_equal(got["y"], want)


WRONG = {
    "an unknown input": ("x", "6", "input_values: {ratio: 1}",
                         "the model has no input 'ratio'; its inputs: 'x', 'rate'"),
    "a fraction": ("x", "6", "input_values: {rate: 0.5}",
                   "0.5 does not fit the input 'rate', whose elements are int64"),
    "true": ("x", "6", "input_values: {rate: true}", "whose elements are int64"),
    "too large": ("x", "6", "input_values: {rate: 99999999999999999999}", "are int64"),
    "far too large": ("x", "6", f"input_values: {{rate: {10**200}}}", "are int64"),
    "a shape": ("x", "6", "input_values: {rate: [1, 2]}",
                "a value of the shape 2 does not fit the input 'rate', of which the file states"),
    "uneven": ("x", "6", "input_values: {rate: [[1], [1, 2]]}", "whose rows are of one length"),
    "a word": ("x", "6", "input_values: {rate: fast}", "is not a number, true or false"),
    "no mapping": ("x", "6", "input_values: 16000", "is not a mapping from inputs"),
    "both": ("[x, rate]", "[[6], []]", "input_values: {rate: 1}",
             "'rate' is among input_tensors, too"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_does_not_fit_is_refused_with_its_line(kind, convert):
    inputs, shapes, more, message = WRONG[kind]
    code, err = convert(f"[{inputs}]" if "," in inputs and "[" not in inputs else inputs, shapes,
                        more)
    assert code != 0 and message in err, err
    assert "Traceback" not in err
    if more:
        assert "d.yml:13: models.net.subgraphs[0].input_values" in err.replace(".0.", "[0].")


def test_a_default_gives_way_to_a_value(tmp_path):
    """What TensorFlow 1 writes for is_training: a placeholder with a default."""
    with tf.Graph().as_default() as made:
        x = tf1.placeholder(tf.float32, [6], "x")
        training = tf1.placeholder_with_default(True, [], "training")
        on, off = tf1.raw_ops.Switch(data=x, pred=training)[::-1]
        tf1.raw_ops.Switch(data=training, pred=training)
        drawn = tf1.raw_ops.RandomUniform(shape=[6], dtype=tf.float32) * on
        tf1.identity(tf1.raw_ops.Merge(inputs=[off * 2.0, drawn])[0], "y")
    path = tmp_path / "m.pb"
    path.write_bytes(made.as_graph_def().SerializeToString())
    read = importers.read("tensorflow", path)
    with pytest.raises(UnsupportedOps, match="RandomUniform"):
        importers.translate("tensorflow", read, {"x": (6,)}, ["y"])
    fixed = with_values(read, {"training": False})
    converted = importers.translate("tensorflow", fixed, {"x": (6,)}, ["y"])
    assert reference.run(converted, {"x": X})["y"].tolist() == (X * 2).tolist()
    with pytest.raises(RequestError, match="no input 'train'; its inputs: 'x', 'training'"):
        with_values(read, {"train": False})
    with pytest.raises(RequestError, match="1.5 does not fit the input 'training'"):
        with_values(read, {"training": 1.5})


def test_what_says_which_side_runs_is_no_output(tmp_path):
    with tf.Graph().as_default() as made:
        x, on = tf1.placeholder(tf.float32, [6], "x"), tf1.placeholder(tf.bool, [], "on")
        for side in tf1.raw_ops.Switch(data=on, pred=on):
            tf1.identity(side)
        tf1.identity(x, "y")
    path = tmp_path / "m.pb"
    path.write_bytes(made.as_graph_def().SerializeToString())
    assert importers.read("tensorflow", path).outputs == ["y"]
