"""Quantized models by the defaults, with crops of images for samples, none of which is a stored
input: classes and faces that they find in the stored inputs, compared with the stored ones.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable

import detectors
import numpy as np
import pytest
from calibration import Case, cases_of, crops, graph_of
from golden import Arrays, mace_run

from mace_tools.analyze.quantize.post_training import Made, quantize
from mace_tools.analyze.quantize.runs import Runs
from mace_tools.config.quantization_options import Choices
from mace_tools.support.console import Console

pytestmark = pytest.mark.full
SAMPLES = 100
FARTHEST = 0.02  # of the image
MIN_SCORE = 0.5
CLASSIFIERS = {
    "MobileNet v1 0.25": ("tflite/mobilenet_v1_025_224", "mobilenet_v1_0.25_224_float.tflite"),
    "SqueezeNet": ("onnx/squeezenet_imagenet", "squeezenet_fp32.onnx"),
    "visual wake words": ("tflite/vww_96", "vww_96_float.tflite"),
    "CIFAR-10": ("tflite/resnet8_cifar10", "pretrainedResnet.tflite"),
}
# Folder, file, name in case.json, whether boxes give way to others, what the outputs mean.
DETECTORS: dict[str, tuple[str, str, str, bool, Callable[[Arrays], detectors.Found]]] = {
    "BlazeFace": ("tflite/blazeface_front_128", "face_detection_front.tflite",
                  "face_detection_front.tflite", True, detectors.blazeface),
    "UltraFace slim": ("tflite/ultraface_slim320", "version-slim-320.tflite",
                       "version-slim-320.tflite", True, detectors.ultraface),
    "YuNet": ("onnx/yunet_n_320", "yunet_n_320.onnx", "yunet_n_320.onnx", True, detectors.yunet),
    "MTCNN P": ("caffe/mtcnn", "det1.prototxt", "det1", False, detectors.mtcnn),
    "MTCNN R": ("caffe/mtcnn", "det2.prototxt", "det2", False, detectors.mtcnn),
    "MTCNN O": ("caffe/mtcnn", "det3.prototxt", "det3", False, detectors.mtcnn),
}


def quantized(folder: str, file: str, cases: list[Case]) -> tuple[Made, Runs]:
    runs = Runs(mace_run())
    samples = list(crops(cases[0], SAMPLES, seed=0))
    return quantize(graph_of(folder, file, cases), samples, runs, Choices(), Console()), runs


def outputs(made: Made, runs: Runs, case: Case) -> Arrays:
    each = [{case.input: case.x[k:k + 1]} for k in range(len(case.x))]
    found = list(runs.each(made.graph, each, made.graph.outputs))
    return {name: np.concatenate([one[name] for one in found]) for name in found[0]}


@pytest.mark.parametrize("title", CLASSIFIERS)
def test_the_best_class_is_that_in_floats(title):
    folder, file = CLASSIFIERS[title]
    cases = cases_of(folder, file)
    made, runs = quantized(folder, file, cases)
    for case in cases:
        (got,), (want,) = outputs(made, runs, case).values(), case.outputs.values()
        print(f"{title} {case.name}: {want.max():.3f} {got.ravel()[want.argmax()]:.3f}")
        assert got.argmax() == want.argmax(), case.name


@pytest.mark.parametrize("title", DETECTORS)
def test_faces_are_where_they_are_in_floats(title):
    folder, file, name, give_way, meaning = DETECTORS[title]
    cases = cases_of(folder, name)
    made, runs = quantized(folder, file, cases)
    for case in cases:
        want, got = meaning(case.outputs), meaning(outputs(made, runs, case))
        certain = want[0] > MIN_SCORE
        assert certain.any()
        farthest = float(np.abs(want[1] - got[1])[certain].max())
        print(f"{title} {case.name}: each box within {farthest:.2%}")
        assert farthest <= FARTHEST, case.name
        if give_way:
            faces, found = detectors.kept(want), detectors.kept(got)
            apart = np.abs(faces[:, None] - found[None]).max(2)
            print(f"  faces within {apart.min(1).max():.2%}, {len(faces)} and {len(found)}")
            assert len(faces) == len(found) and apart.min(1).max() <= FARTHEST, case.name
