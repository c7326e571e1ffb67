"""Whole models from their source file to their outputs, against stored outputs of other engines.

SPDX-License-Identifier: Apache-2.0

Every float model of the test data, and the bundled digits. Set MACE_GOLDEN_REPORT to a file to
get a table of errors and times.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from golden import ROOT, Arrays, Run, data_folder, import_model, relative_error, run_all
from PIL import Image

from mace_tools.convert import reference
from mace_tools.convert.importers import load

MODELS = data_folder("models")
TOLERANCE = 1e-4
DETECTOR_TOLERANCE = 1e-3
DETECTORS = {"blazeface_front_128", "ultraface_slim320", "ultraface_rfb320", "yunet_n_320"}
# Models whose stored outputs are computed from the model's outputs.
DERIVED: dict[str, tuple[str, dict[str, Callable[[np.ndarray], np.ndarray]]]] = {
    "deeplabv3_257": ("ResizeBilinear_3", {
        "argmax": lambda y: y.argmax(-1),
        "logits[:,::8,::8]": lambda y: y[:, ::8, ::8],
    }),
}
# Models whose stored batch is a stack of runs with one element.
STACKED = {"mnist_cntk"}
# How stored bytes v become the input, by the words of case.json.
FEEDS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "float32 v of": lambda v: v,
    "float32 v/255 of": lambda v: v / np.float32(255),
    "float32 v/127.5-1 of": lambda v: v / np.float32(127.5) - 1,
    "float32 (v-127)/128 of": lambda v: (v - 127) / 128,
    "float32 v-(104,117,123) per channel (axis 1) of":
        lambda v: v - np.float32([104, 117, 123]).reshape(1, 3, 1, 1),
}
SUFFIXES = {"tensorflow": ".pb", "tflite": ".tflite", "onnx": ".onnx", "caffe": ".prototxt"}
# Stored outputs that have the name of a layer, where the blob of this name is overwritten later.
BEFORE = {"lenet_mnist": {"ip1": "ip1@ip1"}}


@dataclass
class Case:
    platform: str
    model: Path
    feeds: Arrays
    wanted: Arrays
    detector: bool

    @property
    def derived(self) -> tuple[str, dict[str, Callable]] | None:
        return DERIVED.get(self.model.parent.name)


def all_cases() -> dict[str, Case]:
    """Every case but those of quantized models, by "platform/model/case"."""
    cases = {}
    for platform in SUFFIXES:
        for path in sorted(MODELS.glob(f"{platform}/*/*/case.json")):
            case = read_case(platform, path)
            if case is not None:
                cases[str(path.parent.relative_to(MODELS))] = case
    return cases


def read_case(platform: str, path: Path) -> Case | None:
    case, folder = json.loads(path.read_text()), path.parent
    model = folder.parent / case.get("model", "")
    if platform == "caffe" and "model" in case:
        model = model.with_suffix(SUFFIXES[platform])
    if not model.is_file():
        model = next(p for p in sorted(folder.parent.iterdir()) if p.suffix == SUFFIXES[platform])
    if any(o["dtype"] in ("int8", "uint8") for n, o in case["outputs"].items() if n != "argmax"):
        return None  # a quantized model
    feeds = {n: stored_input(folder / i["file"], i.get("feed")) for n, i in case["inputs"].items()}
    if "input_file" in case:
        feeds[case["input_name"]] = np.load(folder / case["input_file"])
    renamed = BEFORE.get(folder.parent.name, {})
    wanted = {renamed.get(n, n): np.load(folder / o["file"]) for n, o in case["outputs"].items()}
    return Case(platform, model, feeds, wanted, model.parent.name in DETECTORS)


def stored_input(path: Path, feed: str | None) -> np.ndarray:
    stored = np.load(path)
    if feed is None:
        return stored
    formula = feed.partition(" the stored")[0]
    return FEEDS[formula](stored.astype(np.float32)).astype(np.float32)


CASES = all_cases()


def make_run(name: str, case: Case) -> list[Run]:
    outputs = [case.derived[0]] if case.derived else list(case.wanted)
    feeds = [case.feeds]
    if case.model.parent.name in STACKED:
        feeds = [{n: v[i : i + 1] for n, v in case.feeds.items()}
                 for i in range(len(next(iter(case.feeds.values()))))]
    graph = import_model(case.platform, case.model, feeds[0], outputs)
    return [Run(name, graph, f) for f in feeds]


@pytest.fixture(scope="module")
def runs() -> dict[str, list[Run]]:
    return {name: make_run(name, case) for name, case in CASES.items()}


# One thread, where outputs may lie over inputs that were read. Guarded: memory that holds nothing
# live is NaN while the model runs.
@pytest.fixture(scope="module", params=[[], ["--guard", "--num_threads=1"]],
                ids=["plain", "guarded"])
def results(request, runs, tmp_path_factory) -> dict[str, tuple[Arrays, str, float]]:
    """Outputs, error and milliseconds of every case, all made by one process."""
    found, _ = run_cases(runs, tmp_path_factory.mktemp("models"), request.param)
    if not request.param:
        write_report(found)
    return found


def run_cases(runs: dict[str, list[Run]], folder: Path, flags: list[str],
              stored: str = "f32") -> tuple[dict[str, tuple[Arrays, str, float]], str]:
    """Outputs, error and milliseconds by case; and what the engine logged."""
    log = run_all([r for several in runs.values() for r in several], folder, flags, stored)
    found = {}
    for name, several in runs.items():
        error = next((r.error for r in several if r.error), "")
        outputs = {} if error else {o: np.concatenate([r.outputs[o] for r in several])
                                    for o in several[0].graph.outputs}
        found[name] = (outputs, error, several[0].ms)
    return found, log


def wanted_and_got(case: Case, outputs: Arrays) -> list[tuple[str, np.ndarray, np.ndarray]]:
    if case.derived:
        source, derive = case.derived
        return [(n, w, derive[n](outputs[source])) for n, w in case.wanted.items()]
    return [(n, w, outputs[n]) for n, w in case.wanted.items()]


def write_report(found: dict[str, tuple[Arrays, str, float]]) -> None:
    path = os.environ.get("MACE_GOLDEN_REPORT")
    if not path:
        return
    rows = {}
    for name, (outputs, error, ms) in found.items():
        errors = [] if error else [relative_error(g, w)
                                   for _, w, g in wanted_and_got(CASES[name], outputs)]
        rows[name] = {"error": error, "max_relative_error": max(errors, default=None), "ms": ms}
    Path(path).write_text(json.dumps(rows, indent=1))


@pytest.mark.parametrize("name", CASES)
def test_outputs_are_those_stored(name, results):
    case = CASES[name]
    outputs, error, _ = results[name]
    assert not error, error
    tolerance = DETECTOR_TOLERANCE if case.detector else TOLERANCE
    for output, want, got in wanted_and_got(case, outputs):
        error = relative_error(got, want)
        assert error <= tolerance, f"'{output}' is off by {error:.2g} of its largest magnitude"
        if want.ndim == 2 and not case.detector:
            assert (got.argmax(-1) == want.argmax(-1)).all(), f"top-1 of '{output}' differs"


def test_every_float_model_is_here():
    """The test data has not gained or lost anything unnoticed."""
    models = {(c.platform, c.model.name) for c in CASES.values()}
    assert len(models) == 24 and len(CASES) >= 41, sorted(models)


BATCHED = [
    ("tflite", "resnet8_cifar10", ["float_bird", "float_cat", "float_dog_like_owl"]),
    ("tflite", "vww_96", ["float_cat", "float_grace_hopper", "float_squat"]),
    ("tensorflow", "kws_ds_cnn_s", ["no", "silence", "yes"]),
    ("tensorflow", "speech_commands_conv_actions", ["no", "silence", "yes"]),
]


@pytest.mark.parametrize("platform, model, names", BATCHED, ids=[b[1] for b in BATCHED])
def test_a_batch_through_a_model_converted_for_one(platform, model, names, tmp_path):
    """Converted for batch 1 and run with batch 3: the engine makes another plan."""
    cases = [CASES[f"{platform}/{model}/{n}"] for n in names]
    run, = make_run(model, cases[0])
    run.feeds = {k: np.concatenate([c.feeds[k] for c in cases]) for k in cases[0].feeds}
    run_all([run], tmp_path)
    assert not run.error, run.error
    for output in cases[0].wanted:
        want = np.concatenate([c.wanted[output] for c in cases])
        assert relative_error(run.outputs[output], want) <= TOLERANCE


OTHER_SIZES = [
    "tensorflow/espcn_x2/face_luma", "tensorflow/fsrcnn_small_x3/face_luma",
    "tflite/blazeface_front_128/face", "tflite/ultraface_slim320/face",
    "onnx/squeezenet_imagenet/cat", "onnx/yunet_n_320/grace_hopper",
    "onnx/ultraface_rfb320/face__version-RFB-320_simplified",
    "caffe/mtcnn/pnet_grace_hopper_scale0.1",
]


@pytest.mark.parametrize("name", OTHER_SIZES)
def test_pictures_of_half_the_size(name, tmp_path):
    """Against a NumPy evaluation of the source graph at that size."""
    case = CASES[name]
    run, = make_run(name, case)
    rows = 2 if case.platform in ("onnx", "caffe") else 1
    run.feeds = {k: _fp16(_fp16(v, rows), rows + 1) for k, v in case.feeds.items()}
    source = load(case.platform, case.model, {k: v.shape for k, v in case.feeds.items()},
                  list(case.wanted))
    wanted = reference.run(source, run.feeds)
    run_all([run], tmp_path)
    assert not run.error, run.error
    for output, want in wanted.items():
        assert relative_error(run.outputs[output], want) <= TOLERANCE


def _fp16(array: np.ndarray, axis: int) -> np.ndarray:
    return array.take(range(array.shape[axis] // 2), axis)


DIGITS = ROOT / "models" / "digits"
DIGIT_FILES = {"tensorflow": ("digits.pb", "tf"), "onnx": ("digits.onnx", "onnx"),
               "tflite": ("digits.tflite", "tflite")}


@pytest.mark.parametrize("platform", DIGIT_FILES)
def test_bundled_digits(platform, tmp_path):
    expected = json.loads((DIGITS / "expected.json").read_text())
    file, key = DIGIT_FILES[platform]
    shape = (1, 1, 8, 8) if platform == "onnx" else (1, 8, 8, 1)
    pictures = [np.asarray(Image.open(DIGITS / p).convert("L"), np.float32).reshape(shape) / 255
                for p in expected["images"]]
    graph = import_model(platform, DIGITS / file, {"input": pictures[0]}, ["probabilities"])
    runs = [Run(file, graph, {"input": p}) for p in pictures]
    run_all(runs, tmp_path)
    assert not any(r.error for r in runs), runs[0].error
    got = np.concatenate([r.outputs["probabilities"] for r in runs])
    assert relative_error(got, np.float32(expected[key])) <= TOLERANCE
    assert got.argmax(-1).tolist() == expected["labels"]
