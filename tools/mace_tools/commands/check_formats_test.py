"""check MODEL on Keras models, SavedModels and detectors of Caffe, without a deployment file.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess
import sys

import pytest

from mace_tools import cli
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.caffe_file import Net, uniform
from mace_tools.testing.tflite_file import Maker

# The same network for all: a convolution of 3 x 3 from 3 channels to 4, at 4 x 4 places, and a
# product of 4 by 5.
PROGRAM = """
import keras, tensorflow as tf
keras.utils.set_random_seed(1)
picture = keras.Input((8, 8, 3), name="picture")
x = keras.layers.Conv2D(4, 3, strides=2, padding="same", bias_initializer="ones")(picture)
x = keras.layers.GlobalAveragePooling2D()(keras.layers.ReLU()(x))
model = keras.Model(picture, keras.layers.Dense(5, activation="softmax",
                                                   bias_initializer="ones")(x))
model.save("m.keras")
model.save("m.h5")
model.export("exported")
class Module(tf.Module):
    def __init__(self):
        self.weights = [tf.Variable(w) for w in model.get_weights()]
    def run(self, picture):
        filter, bias, dense, more = self.weights
        y = tf.nn.relu(tf.nn.conv2d(picture, filter, 2, "SAME") + bias)
        return {"scores": tf.nn.softmax(tf.reduce_mean(y, [1, 2]) @ dense + more)}
module = Module()
picture = tf.TensorSpec([None, 8, 8, 3], tf.float32, "picture")
run = tf.function(module.run, input_signature=[picture])
odd = tf.function(lambda picture: {"a": tf.math.lgamma(picture), "b": tf.math.digamma(picture)},
                  input_signature=[picture])
tf.saved_model.save(module, "saved", {"serving_default": run, "odd": odd})
"""
MACS, PARAMETERS = 16 * 4 * 27 + 4 * 5, 4 * 27 + 4 + 4 * 5 + 5


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def check(tmp_path, monkeypatch, capfd):
    """Runs the command; returns the exit code, the JSON, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    binary = runner.find(Console(), None)

    def call(*arguments):
        file = tmp_path / "report.json"
        code = cli.main(["check", f"--mace_run={binary}", f"--json={file}", *map(str, arguments)])
        out, err = capfd.readouterr()
        return code, json.loads(file.read_text()) if file.is_file() else None, out, err

    return call


@pytest.mark.full
@pytest.mark.parametrize("name", ["m.keras", "m.h5", "exported", "saved", "saved/saved_model.pb"])
def test_the_numbers_of_a_model(check, models, name):
    code, report, out, err = check(models / name)
    assert code == 0, err
    assert report["plan"]["macs"] == MACS
    assert report["graph"]["parameters"]["count"] == PARAMETERS
    assert report["inputs"][0]["shape"] == [1, 8, 8, 3] and report["outputs"][0]["shape"] == [1, 5]
    assert {"Conv2d", "FullyConnected", "Softmax"} <= set(report["library"]["ops"])
    assert "all convert" in out and f"multiply-adds: {MACS:,}" in out


@pytest.mark.full
def test_all_that_a_signature_has_and_that_does_not_convert(check, models):
    code, report, out, _ = check(models / "saved", "--signature=odd")
    assert code == report["exit_code"] != 0
    assert {one["op"] for one in report["refused"]} == {"Lgamma", "Digamma"}
    assert "end the model before it" in out


@pytest.mark.full
def test_a_signature_that_is_not_there(check, models):
    code, _, _, err = check(models / "saved", "--signature=od")
    assert code == ExitCode.ERROR and "did you mean 'odd'" in err


@pytest.mark.parametrize("kind", ["int16", "int8", "uint8", "int32", "int64", "bool", "float16"])
def test_inputs_of_all_types_have_random_values(check, tmp_path, kind):
    m = Maker()
    quantized = {"scale": 0.5, "zero": 0} if kind in ("int16", "int8", "uint8") else {}
    m.tensor("x", (1, 4), kind, **quantized)
    m.op("DEQUANTIZE" if quantized else "CAST", ["x"], ["y"],
         "DequantizeOptions" if quantized else "CastOptions")
    code, report, out, err = check(m.save(tmp_path, ["x"], ["y"]))
    assert code == 0 and report["plan"], err


def test_a_keras_file_that_is_none(check, tmp_path):
    (tmp_path / "m.keras").write_bytes(b"PK\3\4 nonsense")
    code, _, _, err = check("m.keras")
    assert code == ExitCode.ERROR and "m.keras" in err and "Traceback" not in err, err


def test_a_detector_of_caffe(check, tmp_path):
    net = Net({"data": (1, 3, 8, 8)})
    for top, count in (("loc", 16), ("conf", 8)):
        net.layer("Convolution", ["data"], f"{top}_conv",
                  f"convolution_param {{ num_output: {count} kernel_size: 1 }}",
                  uniform(count, 3, 1, 1), uniform(count))
        net.layer("Permute", [f"{top}_conv"], f"{top}_last",
                  "permute_param { order: 0 order: 2 order: 3 order: 1 }")
        net.layer("Flatten", [f"{top}_last"], top)
    net.layer("PriorBox", ["loc_conv", "data"], "priors", "prior_box_param { min_size: 2 "
              "aspect_ratio: 2 aspect_ratio: 3 aspect_ratio: 4 flip: false variance: 0.1 }")
    net.layer("DetectionOutput", ["loc", "conf", "priors"], "found", "detection_output_param { "
              "num_classes: 2 code_type: CENTER_SIZE keep_top_k: 7 nms_param { top_k: 50 } }")
    code, report, _, err = check(net.save(tmp_path))
    assert code == 0, err
    assert "NonMaxSuppression" in report["library"]["ops"]
    assert [o["shape"] for o in report["outputs"]] == [[1, 1, 7, 7]]
