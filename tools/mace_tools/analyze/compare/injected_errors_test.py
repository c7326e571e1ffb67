"""An error that is planted in a converted graph is found: the layer, and the cause. Nothing is
found in the graphs without it.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.commands import compare_sides
from mace_tools.convert.ops.common.windows import SAME_LOWER
from mace_tools.support.protos import REPO
from mace_tools.testing import injected_errors, vision_nets

SHARED = Path(os.environ.get("MACE_TEST_DATA", REPO.parent / "shared")) / "models"
DIGITS = REPO / "models" / "digits"
MADE = {"convolutions": vision_nets.convolutions, "segments": vision_nets.segments,
        "attention": vision_nets.attention}
MODELS = {
    "digits_onnx": DIGITS / "digits.onnx", "digits_tf": DIGITS / "digits.pb",
    "digits_tflite": DIGITS / "digits.tflite",
    "squeezenet": SHARED / "onnx/squeezenet_imagenet/squeezenet_fp32.onnx",
    "ultraface": SHARED / "onnx/ultraface_rfb320/version-RFB-320_simplified.onnx",
    "mnist": SHARED / "onnx/mnist_cntk/opt-mnist.onnx",
    "mobilenet": SHARED / "tflite/mobilenet_v1_025_224/mobilenet_v1_0.25_224_float.tflite",
    "blazeface": SHARED / "tflite/blazeface_front_128/face_detection_front.tflite",
    "resnet8": SHARED / "tflite/resnet8_cifar10/pretrainedResnet.tflite",
    "keywords": SHARED / "tensorflow/kws_ds_cnn_s/DS_CNN_S_features.pb",
}


def transposed(w):
    return w.T if w.ndim == 2 else w.transpose(0, 1, 3, 2)


def reversed_channels(w):
    return w[:, ::-1]


def wrong_epsilon(constants):
    return injected_errors.folded_epsilon("Conv2d", 0, constants["n1_beta"], constants["n1_var"],
                                  right=1e-5, wrong=1e-3)


# The network, what is injected_errors, and the cause that is to be named.
CASES = [
    ("convolutions", wrong_epsilon, "epsilon"),
    ("convolutions", injected_errors.paddings("Conv2d", 1, (2, 3, 0, 1)), "padding"),
    ("convolutions", injected_errors.attribute("Pooling", 0, count_include_pad=1),
     "divisor of the average"),
    ("convolutions", injected_errors.weight("FullyConnected", 1, transposed), "transposed weight"),
    ("convolutions", injected_errors.weight("Conv2d", 0, reversed_channels), "channel order"),
    ("convolutions", injected_errors.weight("FullyConnected", 0, lambda w: w.reshape(
        16, 4, 4, 8).transpose(0, 3, 1, 2)), "layout"),
    ("segments", injected_errors.attribute("InstanceNorm", 0, epsilon=1e-5), "epsilon"),
    ("segments", injected_errors.attribute("Resize", 0, coordinate="ALIGN_CORNERS"),
     "coordinates of the resizing"),
    ("segments", injected_errors.operands("Eltwise", 0, type="SUB"), "order of the operands"),
    ("segments", injected_errors.paddings("Conv2d", 0, (2, 3, 0, 1)), "padding"),
    ("segments", injected_errors.weight("Deconv2d", 0, lambda w: w[:, :, ::-1, ::-1]),
     "transposed weight"),
    ("attention", injected_errors.attribute("LayerNorm", 0, epsilon=1e-5), "epsilon"),
    ("attention", injected_errors.attribute("Softmax", 0, axis=1), "axis"),
    ("attention", injected_errors.weight("FullyConnected", 1, transposed), "transposed weight"),
    ("attention", injected_errors.no_bias("FullyConnected", 0), "bias"),
    ("digits_onnx", injected_errors.attribute("Conv2d", 1, activation="NOOP"), "activation"),
    ("digits_tf", injected_errors.no_bias("Conv2d", 2), "bias"),
    ("digits_tflite", injected_errors.weight("DepthwiseConv2d", 0, transposed),
     "transposed weight"),
    ("squeezenet", injected_errors.no_bias("Conv2d", 9), "bias"),
    ("squeezenet", injected_errors.weight("Conv2d", 6, transposed), "transposed weight"),
    ("ultraface", injected_errors.attribute("Conv2d", 14, activation="NOOP"), "activation"),
    ("mnist", injected_errors.weight("Conv2d", 1, transposed), "transposed weight"),
    ("mobilenet", injected_errors.attribute("Conv2d", 0, padding=SAME_LOWER), "padding"),
    ("blazeface", injected_errors.weight("Conv2d", 4, lambda w: w * np.float32(1.01)), "scale"),
    ("resnet8", injected_errors.attribute("Conv2d", 2, activation="RELUX", max_limit=1.0),
     "activation"),
    ("keywords", injected_errors.weight("Conv2d", 0, transposed), "transposed weight"),
]


@pytest.fixture
def compare(tmp_path, monkeypatch, capfd):
    """Compares a network, with an error planted in what the converter makes of it. Returns the exit
    status, the report and the name of the node that is wrong."""
    monkeypatch.chdir(tmp_path)
    converted = compare_sides.converted

    def run(name, plant, *options):
        file = MODELS.get(name, tmp_path / f"{name}.onnx")
        if name in MADE:
            constants = MADE[name](file)
            plant = plant(constants) if plant is wrong_epsilon else plant
        elif not file.is_file():
            pytest.skip(f"test data: no {file}; MACE_TEST_DATA names the folder of models and such")
        wrong = []

        def changed(*arguments):
            graph = converted(*arguments)
            if plant is not None:
                wrong.append(plant(graph).name)
            return graph

        monkeypatch.setattr(compare_sides, "converted", changed)
        code = cli.main(["compare", str(file), f"--json={tmp_path / 'report.json'}", *options])
        _, err = capfd.readouterr()
        assert code in (0, 5), err
        models = json.loads((tmp_path / "report.json").read_text())["models"]
        ((report,),) = [m["comparisons"] for m in models.values()]
        return code, report, wrong[0] if wrong else ""

    return run


def in_its_ring(name, *more):
    """What is small is quick."""
    is_small = name in (*MADE, "digits_onnx", "digits_tflite")
    return pytest.param(name, *more, marks=() if is_small else pytest.mark.full)


@pytest.mark.parametrize("name, plant, cause", [in_its_ring(*case) for case in CASES],
                         ids=[f"{k}_{name}" for k, (name, _, _) in enumerate(CASES)])
def test_a_planted_error_is_found(compare, name, plant, cause):
    code, report, node = compare(name, plant, "--layers")
    assert (code, report["verdict"]) == (5, "wrong layer"), report["text"]
    assert node in report["first_wrong"]["nodes"], report["text"]
    wrong = [layer for layer in report["layers"] if layer["wrong"]]
    assert len(wrong) == 1, "layers after it are right alone"
    assert report["causes"][0]["cause"] == cause, report["causes"]
    if all(output["passed"] for output in report["outputs"]):
        return  # without --layers only outputs count
    code, halved, _ = compare(name, plant)
    assert (code, halved["first_wrong"]["tensor"]) == (5, report["first_wrong"]["tensor"])
    assert halved["causes"] == report["causes"]
    assert halved["engine_runs"] < max(12, report["engine_runs"])


@pytest.mark.parametrize("name", [in_its_ring(k) for k in (*MADE, *MODELS)])
def test_nothing_is_found_where_nothing_is_planted(compare, name):
    code, report, _ = compare(name, None, "--layers")
    assert (code, report["verdict"], report["causes"]) == (0, "agree", []), report["text"]
    assert report["layers"] and not any(x["wrong"] or x["problem"] for x in report["layers"])
