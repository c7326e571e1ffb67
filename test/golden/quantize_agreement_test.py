"""Quantized models choose the class that they choose in float32, for nearly all of many inputs:
noise, shifts and brightness on the inputs of the test data, which are not those of the calibration.

SPDX-License-Identifier: Apache-2.0
"""

import json

import numpy as np
import pytest
from golden import data_folder, import_model, mace_run

from mace_tools.analyze.quantize import runs as runs_module
from mace_tools.analyze.quantize.post_training import quantize
from mace_tools.analyze.quantize.runs import Runs
from mace_tools.config.quantization_options import Choices
from mace_tools.support.console import Console

pytestmark = pytest.mark.deep
COUNT, CALIBRATION = 1000, 100
MIN = 0.99  # of the inputs for which floats keep the class of the original
MODELS = {  # platform, file, input and output of TensorFlow's
    "keyword spotting": ("tensorflow", "kws_ds_cnn_s/DS_CNN_S_features.pb", "Reshape_1",
                         "labels_softmax"),
    "visual wake words": ("tflite", "vww_96/vww_96_float.tflite", "", ""),
    "CIFAR-10": ("tflite", "resnet8_cifar10/pretrainedResnet.tflite", "", ""),
}


def originals(platform, name):
    path = data_folder("models", platform) / name
    found = []
    for case in sorted(path.parent.glob("*/case.json")):
        report = json.loads(case.read_text())
        if report["model"] != path.name:
            continue
        x = np.load(case.parent / "input_0.npy")
        found.append(x.astype(np.float32) / 255 if x.dtype == np.uint8 else x)
    return path, found


def perturbed(found, count, seed):
    """(number of the original, input) of each."""
    d = np.random.default_rng(seed)
    for k in range(count):
        x = found[k % len(found)]
        is_picture = x.shape[3] == 3  # else features of sound in time, of which the first is large
        moved = np.roll(x, tuple(d.integers(-2, 3, 2)), (1, 2)) if is_picture else np.roll(
            x, d.integers(-2, 3), 1)
        gain = d.uniform(0.85, 1.15) if is_picture else d.uniform(0.98, 1.02)
        y = moved * gain + d.normal(size=x.shape) * x.std(1, keepdims=True) * d.uniform(0, 0.1)
        yield k % len(found), y.astype(np.float32)


@pytest.mark.parametrize("title", MODELS)
def test_the_best_class_stays(title, monkeypatch):
    platform, name, _, output = MODELS[title]
    monkeypatch.setattr(runs_module, "_MAX_AT_ONCE", 250)
    path, found = originals(platform, name)
    feeds = {MODELS[title][2]: found[0]} if platform == "tensorflow" else {}
    graph = import_model(platform, path, feeds, [output] if platform == "tensorflow" else None)
    runs, place = Runs(mace_run()), graph.inputs[0]
    samples = [{place: x} for _, x in perturbed(found, CALIBRATION, seed=1)]
    made = quantize(graph, samples, runs, Choices(), Console())
    tested = list(perturbed(found, COUNT, seed=2))

    def classes(of, inputs):
        return np.array([next(iter(out.values())).argmax()
                         for out in runs.each(of, [{place: x} for x in inputs], of.outputs[:1])])

    first = classes(graph, found)
    floats = classes(graph, [x for _, x in tested])
    quantized = classes(made.graph, [x for _, x in tested])
    steady = floats == first[[k for k, _ in tested]]
    assert steady.sum() > COUNT / 2
    agreement = (floats == quantized)[steady].mean()
    print(f"{title}: {agreement:.4f} of {steady.sum()}")
    assert agreement >= MIN
