"""Running source models in their frameworks, at their ends and in between.

SPDX-License-Identifier: Apache-2.0
"""

import importlib.metadata
import subprocess

import numpy as np
import onnx
import pytest
from ai_edge_litert import interpreter as litert

from mace_tools import frameworks
from mace_tools.support.exit_codes import MissingToolError, RunFailedError
from mace_tools.support.protos import REPO

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


@pytest.mark.full
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


@pytest.mark.full
def test_tensorflow_at_the_ends_and_in_between():
    model = DIGITS / "digits.pb"
    whole = frameworks.run("tensorflow", model, {"input": X}, ["probabilities"])
    assert whole["probabilities"].sum() == pytest.approx(1, abs=1e-5)
    again = frameworks.run("tensorflow", model, {"input:0": X}, ["probabilities:0"])
    assert np.array_equal(again["probabilities:0"], whole["probabilities"])


@pytest.mark.full
def test_operators_of_files_write_none(tmp_path):
    """The node that is asked for needs one that writes."""
    tf = pytest.importorskip("tensorflow")
    if subprocess.run(["unshare", "-Urmn", "true"], capture_output=True).returncode:
        pytest.skip("this distribution: the kernel grants no namespaces")
    stolen = tmp_path / "written.txt"
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], "x")
        with tf.control_dependencies([tf.raw_ops.WriteFile(filename=str(stolen), contents="x")]):
            tf.identity(x, "y")
    (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
    with pytest.raises(RunFailedError, match="TensorFlow cannot run .*Read-only file system"):
        frameworks.run("tensorflow", tmp_path / "m.pb", {"x": np.float32([1, 2])}, ["y"])
    assert not stolen.exists()


def test_a_framework_that_refuses_is_quoted():
    with pytest.raises(RunFailedError, match="ONNX Runtime cannot run .*: .*ONNXRuntimeError"):
        frameworks.run("onnx", DIGITS / "digits.onnx", {"input": X[..., 0]}, ["probabilities"])


def saved(path, nodes, inputs, constants, ir_version=8, opset=13, output="y", more_inputs=()):
    """An ONNX model; `inputs` are (name, element type, shape)."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    h = onnx.helper
    graph = h.make_graph([h.make_node(*n[:3], **(n[3] if len(n) > 3 else {})) for n in nodes], "g",
                         [h.make_tensor_value_info(*i) for i in (*inputs, *more_inputs)],
                         [onnx.ValueInfoProto(name=output)],
                         [onnx.numpy_helper.from_array(a, n) for n, a in constants.items()])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=ir_version)
    path.write_bytes(model.SerializeToString())
    return path


def test_the_reference_of_an_average_pool_after_a_pad_is_the_definition(tmp_path):
    """ONNX Runtime 1.20's optimizer makes one node of them that forgets the zeros."""
    path = saved(tmp_path / "m.onnx", [("Pad", ["x", "p"], ["a"]), (
        "AveragePool", ["a"], ["y"], {"kernel_shape": [3, 3], "strides": [2, 2]})],
        [("x", 1, [1, 2, 5, 5])], {"p": np.array([0, 0, 1, 1, 0, 0, 1, 1])})
    x = np.arange(50, dtype=np.float32).reshape(1, 2, 5, 5) + 1
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    want = [[padded[:, :, i : i + 3, j : j + 3].mean((2, 3)) for j in (0, 2, 4)] for i in (0, 2, 4)]
    got = frameworks.run("onnx", path, {"x": x}, ["y"])["y"]
    assert np.allclose(got, np.array(want).transpose(2, 3, 0, 1), rtol=1e-6)


@pytest.mark.full
def test_onnx_with_data_in_other_files(tmp_path):
    path = saved(tmp_path / "m.onnx", [("Add", ["x", "w"], ["a"]), ("Relu", ["a"], ["y"])],
                 [("x", 1, [4])], {"w": np.float32([1, -2, 3, -4])})
    onnx = pytest.importorskip("onnx")
    onnx.save_model(onnx.load(path), path, save_as_external_data=True, location="w.bin",
                    size_threshold=0)
    assert (tmp_path / "w.bin").stat().st_size >= 16
    x = np.zeros(4, np.float32)
    assert frameworks.run("onnx", path, {"x": x}, ["y"])["y"].tolist() == [1, 0, 3, 0]
    assert frameworks.run("onnx", path, {"x": x}, ["a"])["a"].tolist() == [1, -2, 3, -4]


@pytest.mark.full
def large(kind, *shape):
    """Of values whose products ONNX Runtime saturates on CPUs without VNNI."""
    top = np.iinfo(kind).max
    return np.random.default_rng(len(shape)).integers(top - 40, top, shape, kind, endpoint=True)


@pytest.mark.parametrize("point", [None, 3])
@pytest.mark.parametrize("activations", [np.uint8, np.int8])
def test_products_of_integers_in_onnx_are_exact(tmp_path, activations, point):
    x, w = large(activations, 4, 64), large(np.int8, 64, 8)
    added = {} if point is None else {"xz": activations(2), "wz": np.int8(point)}
    node = onnx.helper.make_node("MatMulInteger", ["x", "w", *added], ["y"])
    kind = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(activations))
    graph = onnx.helper.make_graph(
        [node, onnx.helper.make_node("Cast", ["w"], ["z"], to=6)], "g",
        [onnx.helper.make_tensor_value_info("x", kind, x.shape)],
        [onnx.helper.make_tensor_value_info(name, 6, None) for name in "yz"],
        [onnx.numpy_helper.from_array(np.asarray(v), k) for k, v in {"w": w, **added}.items()])
    file = tmp_path / "m.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)],
                                     ir_version=8), file)
    got = frameworks.run("onnx", file, {"x": x}, ["y", "z"])
    a, b = x.astype(int) - (2 if added else 0), w.astype(int) - (point or 0)
    assert np.array_equal(got["y"], a @ b) and np.array_equal(got["z"], w)


def test_old_onnx_whose_constants_are_inputs_too(tmp_path):
    """As all files were before version 4 of the format; also cut in the middle."""
    path = saved(tmp_path / "m.onnx",
                 [("Add", ["x", "w"], ["a"]), ("Mul", ["a", "v"], ["b"]), ("Relu", ["b"], ["y"])],
                 [("x", 1, [2])], {"w": np.float32([1, 2]), "v": np.float32([-1, 3])}, ir_version=3,
                 opset=8, more_inputs=[("w", 1, [2]), ("v", 1, [2])])
    x = np.float32([1, 1])
    assert frameworks.run("onnx", path, {"x": x}, ["y"])["y"].tolist() == [0, 9]
    assert frameworks.run("onnx", path, {"a": x}, ["b", "y"])["b"].tolist() == [-1, 3]
    assert frameworks.run("onnx", path, {"a": x, "v": x}, ["b"])["b"].tolist() == [1, 1]


@pytest.mark.full
def test_inputs_reach_a_framework_in_its_own_types(tmp_path):
    """The engine has float32 where these models have float64."""
    path = saved(tmp_path / "m.onnx", [("Add", ["x", "w"], ["y"])], [("x", 11, [2])],
                 {"w": np.float64([1, 2])})
    got = frameworks.run("onnx", path, {"x": np.float32([1, 1])}, ["y"])["y"]
    assert got.dtype == np.float64 and got.tolist() == [2, 3]
    tf = pytest.importorskip("tensorflow")
    with tf.Graph().as_default() as graph:
        tf.add(tf.compat.v1.placeholder(tf.float64, [2], "x"), 1, "y")
    (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
    got = frameworks.run("tensorflow", tmp_path / "m.pb", {"x": np.float32([1, 1])}, ["y"])["y"]
    assert got.dtype == np.float64 and got.tolist() == [2, 2]


def test_the_version_of_opencv_that_reads_caffe_models_is_named(monkeypatch):
    frameworks.require("caffe")
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "5.0.1.2")
    with pytest.raises(MissingToolError, match="OpenCV, which reads no Caffe models from version "
                       "5 on, and 5.0.1.2 is installed: run .*opencv-python-headless.*<5"):
        frameworks.require("caffe")
