"""Changing the weights of source models as little as a rounding can.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools import frameworks
from mace_tools.frameworks.frameworks_test import saved
from mace_tools.frameworks.nudge import Nudge
from mace_tools.support.protos import REPO

DIGITS = REPO / "models" / "digits"
X = np.random.default_rng(0).random((1, 8, 8, 1), np.float32)
W = np.random.default_rng(1).normal(size=(40, 30))
ULP = Nudge()


@pytest.mark.parametrize("kind, dtype, ulp", [
    ("f32", np.float32, 2.0**-23), ("f32", np.float64, 2.0**-23), ("f32", np.float16, 2.0**-10),
    ("f16", np.float32, 2.0**-10), ("bf16", np.float32, 2.0**-7)])
def test_floats_move_by_an_ulp_up_or_down(kind, dtype, ulp):
    w = W.astype(dtype)
    moved = Nudge(kind).of(w, 0)
    change = np.abs(moved.astype(np.float64) - w) / np.abs(w)
    assert moved.dtype == dtype and (change <= ulp).all() and (change > ulp / 2.1).all()
    assert 0.4 < (moved > w).mean() < 0.6
    assert np.array_equal(Nudge(kind).of(w, 0), moved)
    assert not np.array_equal(Nudge(kind).of(w, 1), moved)


def test_matrices_move_by_a_step_of_integers():
    w = W.astype(np.float32)
    step = np.abs(w).max() / 127
    assert np.allclose(np.abs(Nudge("i8").of(w, 0) - w), step, rtol=1e-3)
    assert np.allclose(np.abs(Nudge("i4").of(w, 0) - w), step * 127 / 7, rtol=1e-3)
    assert np.abs(Nudge("i8").of(w[0], 0) / w[0] - 1).max() < 2e-7  # a bias


def test_integers_zeros_and_what_is_not_finite():
    q = np.random.default_rng(2).integers(-128, 128, (50, 50)).astype(np.int8)
    moved = Nudge().of(q, 0).astype(int)
    inner = (q > -128) & (q < 127)
    assert (np.abs(moved - q)[inner] == 1).all() and moved.min() == -128 and moved.max() == 127
    for kept in (np.int8([3, 4]), np.int32([[1, 2]]), np.float32([[0, np.inf, -np.inf]])):
        assert np.array_equal(Nudge().of(kept, 0), kept)
    assert np.isnan(Nudge().of(np.float32([np.nan]), 0)).all()
    assert np.array_equal(Nudge(min_dims=2).of(W[0], 0), W[0])


def change(platform, model, feed, output, nudge=ULP, **more):
    """Of an output, relative to its largest magnitude; and the same without a change."""
    (plain,) = frameworks.attempts(platform, model, [feed], [output], **more)
    near, again = (frameworks.attempts(platform, model, [feed], [output], nudge=n, **more)[0]
                   for n in (nudge, None))
    assert np.array_equal(plain[output], again[output])
    return float(np.abs(near[output] - plain[output]).max() / np.abs(plain[output]).max())


def test_onnx():
    feed = {"input": X.reshape(1, 1, 8, 8)}
    assert 0 < change("onnx", DIGITS / "digits.onnx", feed, "probabilities") < 1e-5
    assert 1e-4 < change("onnx", DIGITS / "digits.onnx", feed, "probabilities", Nudge("i8")) < 0.5


@pytest.mark.parametrize("how", ["raw", *(pytest.param(how, marks=pytest.mark.full) for how in (
    "float_data", "external", "constant", "int8"))])
def test_constants_of_onnx_wherever_they_are(tmp_path, how):
    onnx = pytest.importorskip("onnx")
    w = W[:3, :3].astype(np.float32)
    nodes = [("MatMul", ["x", "w"], ["y"])]
    constants = {"w": w}
    if how == "int8":
        nodes = [("DequantizeLinear", ["q", "s"], ["w"]), *nodes]
        constants = {"q": np.int8([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), "s": np.float32(0.5)}
    path = saved(tmp_path / "m.onnx", nodes, [("x", 1, [1, 3])], constants)
    proto = onnx.load(path)
    if how == "float_data":
        proto.graph.initializer[0].CopyFrom(onnx.helper.make_tensor("w", 1, [3, 3], w.ravel()))
    if how == "constant":
        del proto.graph.initializer[:]
        proto.graph.node.insert(0, onnx.helper.make_node(
            "Constant", [], ["w"], value=onnx.numpy_helper.from_array(w, "w")))
    onnx.save_model(proto, path, save_as_external_data=how == "external", location="w.bin",
                    size_threshold=0)
    found = change("onnx", path, {"x": np.float32([[1, 2, 3]])}, "y")
    assert (found > 0.01) if how == "int8" else (0 < found < 1e-6)


@pytest.mark.full
def test_tensorflow_and_tflite():
    from ai_edge_litert.interpreter import Interpreter

    assert 0 < change("tensorflow", DIGITS / "digits.pb", {"input": X}, "probabilities") < 1e-5
    model = DIGITS / "digits.tflite"
    plain = Interpreter(model_path=str(model))
    name, output = (d()[0]["name"] for d in (plain.get_input_details, plain.get_output_details))
    assert 0 < change("tflite", model, {name: X}, output) < 1e-5
    assert 1e-4 < change("tflite", model, {name: X}, output, Nudge("i8")) < 0.5


@pytest.mark.full
def test_variables_of_saved_models_and_keras(tmp_path):
    tf = pytest.importorskip("tensorflow")
    net = tf.keras.Sequential([tf.keras.Input((5,), name="x"), tf.keras.layers.Dense(4)])
    net.save(tmp_path / "m.keras")
    x = np.float32([[1, 2, 3, 4, 5]])
    assert 0 < change("keras", tmp_path / "m.keras", {"x": x}, "output_0") < 1e-6

    class Module(tf.Module):
        def __init__(self):
            self.w = tf.Variable(W[:5, :3].astype(np.float32))

        @tf.function(input_signature=[tf.TensorSpec([1, 5], tf.float32)])
        def f(self, x):
            return {"y": tf.matmul(x, self.w)}

    module = Module()
    tf.saved_model.save(module, tmp_path / "s", signatures={"serving_default": module.f})
    names = ("serving_default_x", "StatefulPartitionedCall")
    assert 0 < change("tensorflow", tmp_path / "s", {names[0]: x}, names[1]) < 1e-6


def test_caffe(tmp_path):
    pytest.importorskip("cv2")
    from mace_tools.testing.caffe_file import Net

    net = Net({"data": (1, 3, 8, 8)})
    weight = np.random.default_rng(3).normal(size=(4, 3, 3, 3))
    net.layer("Convolution", ["data"], "conv",
              "convolution_param { num_output: 4 kernel_size: 3 }", weight, np.zeros(4))
    x = np.random.default_rng(4).random((1, 3, 8, 8), np.float32)
    assert 0 < change("caffe", net.save(tmp_path), {"data": x}, "conv") < 1e-6


def test_one_input_that_a_framework_refuses_does_not_stop_the_others(tmp_path):
    path = saved(tmp_path / "m.onnx", [("Gather", ["w", "x"], ["y"])], [("x", 7, [1])],
                 {"w": np.float32([1, 2])})
    feeds = [{"x": np.array([k])} for k in (0, 5, 1)]
    first, refused, last = frameworks.attempts("onnx", path, feeds, ["y"])
    assert (first["y"].tolist(), last["y"].tolist()) == ([1], [2])
    assert "ONNX Runtime cannot run" in str(refused) and "5" in str(refused)


def test_thousands_of_tensors_fit(tmp_path):
    """A command line has space for 128 KB."""
    count = 4000
    nodes = [("Neg", [f"a_tensor_with_a_long_name_{k}" if k else "x"],
              [f"a_tensor_with_a_long_name_{k + 1}"]) for k in range(count)]
    names = [node[2][0] for node in nodes]
    path = saved(tmp_path / "m.onnx", nodes, [("x", 1, [1])], {}, output=names[-1])
    found = frameworks.run("onnx", path, {"x": np.float32([1])}, names)
    assert len(found) == count and found[names[0]] == -1
