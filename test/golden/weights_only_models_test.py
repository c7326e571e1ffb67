"""Weights of 4 bits in the models of the test data that have such layers: how near their outputs
for the stored inputs are to those in float32, which other tests compare with the stored ones.
Samples, which are never the stored inputs, make them more exact.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from calibration import Case, cases_of, crops, graph_of
from golden import Arrays, mace_run

from mace_tools.analyze.quantize.runs import Runs
from mace_tools.analyze.quantize.weight_only import MIN_DB, inputs_of, store_weights

pytestmark = pytest.mark.full
SAMPLES = 100
MIN, MIN_WITHOUT = 0.999, 0.998  # cosine similarity, with samples and without
Feeds = Callable[[list[Case], int], Iterator[Arrays]]


def pictures(cases: list[Case], count: int) -> Iterator[Arrays]:
    return crops(cases[0], count, seed=1)


def noisy(cases: list[Case], count: int) -> Iterator[Arrays]:
    """The stored inputs, shifted in time or place, brighter or louder, with noise."""
    d = np.random.default_rng(1)
    for k in range(count):
        case = cases[k % len(cases)]
        x = case.x[d.integers(len(case.x))][None]
        moved = np.roll(x, d.integers(1, 4), 1)
        y = moved * d.uniform(0.9, 1.1) + d.normal(size=x.shape) * x.std() * 0.1
        yield {case.input: y.astype(np.float32)}


MODELS: dict[str, tuple[str, str, str, Feeds]] = {
    "lenet": ("caffe/lenet_mnist", "lenet.prototxt", "lenet", noisy),
    "MNIST": ("onnx/mnist_cntk", "opt-mnist.onnx", "opt-mnist.onnx", noisy),
    "mtcnn r": ("caffe/mtcnn", "det2.prototxt", "det2", pictures),
    "mtcnn o": ("caffe/mtcnn", "det3.prototxt", "det3", pictures),
    "keyword spotting": ("tensorflow/kws_ds_cnn_s", "DS_CNN_S_features.pb",
                         "DS_CNN_S_features.pb", noisy),
    "speech commands": ("tensorflow/speech_commands_conv_actions", "conv_actions_frozen.pb",
                        "conv_actions_frozen.pb", noisy),
    "CIFAR-10": ("tflite/resnet8_cifar10", "pretrainedResnet.tflite",
                 "pretrainedResnet.tflite", pictures),
    "visual wake words": ("tflite/vww_96", "vww_96_float.tflite", "vww_96_float.tflite",
                          pictures),
}


def similarity(a: np.ndarray, b: np.ndarray) -> float:
    x, y = a.ravel().astype(np.float64), b.ravel().astype(np.float64)
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


@pytest.mark.parametrize("with_samples", [False, True], ids=["plain", "samples"])
@pytest.mark.parametrize("title", MODELS)
def test_outputs_stay(title, with_samples):
    folder, file, name, feeds = MODELS[title]
    cases, runs = cases_of(folder, name), Runs(mace_run())
    graph = graph_of(folder, file, cases)
    seen = inputs_of(graph, runs, list(feeds(cases, SAMPLES))) if with_samples else {}
    made = store_weights(graph, "int4", seen=seen)
    each = [{case.input: case.x[k:k + 1]} for case in cases for k in range(len(case.x))]
    found = [list(runs.each(g, each, g.outputs)) for g in (made.graph, graph)]
    # Of a stored input, which may be a batch.
    sizes = np.cumsum([0, *(len(case.x) for case in cases)])
    least = min(similarity(*(np.stack([out[name] for out in of[begin:end]]) for of in found))
                for begin, end in zip(sizes, sizes[1:]) for name in graph.outputs)
    kinds = {n: f"{w.kind} {w.error.sqnr_db:.1f} dB" for n, w in made.weights.items()}
    print(f"{title}: {least:.6f} {kinds}")
    assert all(w.error.sqnr_db >= MIN_DB for w in made.weights.values())
    assert least >= (MIN if with_samples else MIN_WITHOUT)
