"""Runs a source model in its own framework, for `run --validate`.

SPDX-License-Identifier: Apache-2.0

The frameworks are extras. They are loaded in a process of their own (child.py), because they are
noisy, big, and end the process when they fail badly. The modules by_<platform> run the models.
"""

import importlib.metadata
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert import exporters
from mace_tools.frameworks.nudge import Nudge
from mace_tools.run import input_data
from mace_tools.support import sandbox
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import MissingToolError, RunFailedError
from mace_tools.support.limits import read_bytes
from mace_tools.support.protos import REPO

# Platform: the framework's name, the module to import, the package to install.
FRAMEWORKS = {
    "tensorflow": ("TensorFlow", "tensorflow", "tensorflow-cpu"),
    "onnx": ("ONNX Runtime", "onnxruntime", "onnxruntime"),
    "tflite": ("LiteRT", "ai_edge_litert", "ai-edge-litert"),
    # Caffe itself can no longer be installed.
    "caffe": ("OpenCV", "cv2", "opencv-python-headless"),
}
# Those that export a model also run it, by the same program (exporters/).
EXPORTERS = {"keras": "Keras", "pytorch": "PyTorch"}
REQUIREMENTS = REPO / "tools" / "requirements" / "validate.txt"
Arrays = dict[str, np.ndarray]


def require(platform: str, who: str = "--validate") -> None:
    """Errors: MissingToolError, saying how to install the framework. `who` needs it."""
    if platform in EXPORTERS:
        return  # converting needs it as well
    if platform not in FRAMEWORKS:
        raise MaceError(f"{who} compares with the source framework, and models of platform "
                        f"{platform} hold no graph that one could run: the converter writes it. "
                        "test/golden/decoder_logits.py compares with transformers")
    name, module, package = FRAMEWORKS[platform]
    missing = "is not installed" if importlib.util.find_spec(module) is None else (
        _too_new(platform))
    if missing:
        lines = REQUIREMENTS.read_text().splitlines() if REQUIREMENTS.is_file() else []
        wanted = next((s for s in lines if s.startswith(package)), package)
        raise MissingToolError(f"{who} compares with {name}, which {missing}: run "
                               f"`tools/setup.sh --for validate`, or "
                               f"`{sys.executable} -m pip install '{wanted}'`")


def _too_new(platform: str) -> str:
    """Why the version of the framework that is installed does not do; empty if it does."""
    if platform != "caffe":
        return ""
    versions = {importlib.metadata.version(name)
                for name in importlib.metadata.packages_distributions().get("cv2", ())}
    newest = max((v for v in versions if v.split(".")[0].isdecimal()), default="0",
                 key=lambda v: int(v.split(".")[0]))
    return (f"reads no Caffe models from version 5 on, and {newest} is installed"
            if int(newest.split(".")[0]) >= 5 else "")


def run(platform: str, model: Path, inputs: Mapping[str, np.ndarray],
        outputs: Sequence[str], signature: str = "", weights: Path | None = None) -> Arrays:
    """The outputs of the framework. `signature` (only LiteRT needs it), `weights`: as for
    importers.read.

    Errors: MissingToolError, RunFailedError with the framework's message."""
    (found,) = attempts(platform, model, [inputs], outputs, signature, weights)
    if isinstance(found, RunFailedError):
        raise found
    return found


def attempts(platform: str, model: Path, inputs: Sequence[Mapping[str, np.ndarray]],
             outputs: Sequence[str], signature: str = "", weights: Path | None = None,
             nudge: Nudge | None = None) -> list[Arrays | RunFailedError]:
    """The outputs for each of the inputs, or why there are none; `nudge` changes the weights.

    Errors: MissingToolError, RunFailedError if the framework ends its process."""
    with tempfile.TemporaryDirectory(prefix="mace_validate.") as folder:
        request: dict[str, Any] = {
            "platform": platform, "model": str(model.resolve()), "outputs": list(outputs),
            "inputs": [_saved(Path(folder), j, one) for j, one in enumerate(inputs)],
            "nudge": asdict(nudge) if nudge is not None else None, "more": {}}
        if platform in EXPORTERS:
            exporters.call(platform, request, Path(folder))
        else:
            require(platform)
            if platform == "tflite":
                request["more"]["signature"] = signature
            if weights is not None:
                request["more"]["weights"] = str(weights.resolve())
            _call(platform, model, request, folder)
        errors = _errors(platform, Path(folder) / "errors.json", len(inputs))
        return [RunFailedError(f"{title(platform)} cannot run {model}: {error}") if error
                else {name: input_data.read_npy(Path(folder, f"out{j}_{k}.npy"), f"'{name}' of "
                                                 f"{title(platform)}")
                      for k, name in enumerate(outputs)}
                for j, error in enumerate(errors)]


def _errors(platform: str, file: Path, count: int) -> list[str]:
    """What the process of a framework says about each of the inputs. Errors: RunFailedError."""
    try:
        found = json.loads(read_bytes(file, 1 << 24))
    except (OSError, ValueError, RecursionError) as e:
        raise RunFailedError(f"{title(platform)} left no report ({e})") from e
    if not isinstance(found, list) or len(found) != count or not all(
            isinstance(error, str) for error in found):
        raise RunFailedError(f"{title(platform)} left a report that does not fit its inputs")
    return found


def _saved(folder: Path, number: int, inputs: Mapping[str, np.ndarray]) -> dict[str, str]:
    files = {name: folder / f"in{number}_{k}.npy" for k, name in enumerate(inputs)}
    for name, file in files.items():
        input_data.save(file, inputs[name])
    return {name: str(file) for name, file in files.items()}


def _call(platform: str, model: Path, request: Mapping[str, Any], folder: str) -> None:
    # By default TensorFlow computes otherwise, and lacks kernels, on CPUs without VNNI.
    environment = {"TF_ENABLE_ONEDNN_OPTS": "1", **os.environ, "TF_CPP_MIN_LOG_LEVEL": "3",
                   "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(REPO / "tools")}
    asked = Path(folder) / "request.json"  # a command line has no space for thousands of names
    asked.write_text(json.dumps(request))
    # A path, since `-m` would look in the working folder.
    command = [sys.executable, str(Path(__file__).with_name("child.py")), str(asked), folder]
    done = sandbox.run(f"{title(platform)} on {model}", command, Path(folder), environment,
                       sandbox.limits_for(model))
    if done.returncode != 0:
        raise RunFailedError(f"{title(platform)} cannot run {model}: {done.reason()}")


def title(platform: str) -> str:
    """The name of a framework for people."""
    return EXPORTERS.get(platform) or FRAMEWORKS[platform][0]

