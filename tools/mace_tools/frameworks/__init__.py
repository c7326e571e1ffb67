"""Runs a source model in its own framework, for `run --validate`.

SPDX-License-Identifier: Apache-2.0

The frameworks are extras. They are loaded in a process of their own (child.py), because they are
noisy, big, and end the process when they fail badly. The modules by_<platform> run the models.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools import data, exporters
from mace_tools.exit_codes import MissingToolError, RunFailedError
from mace_tools.protos import REPO

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
    name, module, package = FRAMEWORKS[platform]
    if importlib.util.find_spec(module) is None:
        lines = REQUIREMENTS.read_text().splitlines() if REQUIREMENTS.is_file() else []
        wanted = next((s for s in lines if s.startswith(package)), package)
        raise MissingToolError(f"{who} compares with {name}, which is not installed: run "
                          f"`tools/setup.sh --for validate`, or "
                          f"`{sys.executable} -m pip install '{wanted}'`")


def run(platform: str, model: Path, inputs: Mapping[str, np.ndarray],
        outputs: Sequence[str], signature: str = "", weights: Path | None = None) -> Arrays:
    """The outputs of the framework. `signature` (only LiteRT needs it), `weights`: as for
    importers.read.

    Errors: MissingToolError, RunFailedError with the framework's message."""
    if platform in EXPORTERS:
        return _by_exporter(platform, model, inputs, outputs)
    require(platform)
    with tempfile.TemporaryDirectory(prefix="mace_validate.") as folder:
        request: dict[str, Any] = {"platform": platform, "model": str(model.resolve()),
                                   "outputs": list(outputs), "inputs": {}, "more": {}}
        if platform == "tflite":
            request["more"]["signature"] = signature
        if weights is not None:
            request["more"]["weights"] = str(weights.resolve())
        for k, (name, array) in enumerate(inputs.items()):
            request["inputs"][name] = f"{folder}/in{k}.npy"
            data.save(Path(folder) / f"in{k}.npy", array)
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "",
                       "PYTHONPATH": str(REPO / "tools")}
        command = [sys.executable, "-m", f"{__name__}.child", json.dumps(request), folder]
        done = subprocess.run(command, env=environment, capture_output=True, text=True,
                              errors="replace")
        if done.returncode != 0:
            said = [s for s in done.stderr.strip().splitlines() if s.strip()]
            reason = said[-1] if said else f"status {done.returncode}"
            raise RunFailedError(f"{FRAMEWORKS[platform][0]} cannot run {model}: {reason}")
        return {name: np.load(f"{folder}/out{k}.npy") for k, name in enumerate(outputs)}


def title(platform: str) -> str:
    """The name of a framework for people."""
    return EXPORTERS.get(platform) or FRAMEWORKS[platform][0]


def _by_exporter(platform: str, model: Path, inputs: Mapping[str, np.ndarray],
                 outputs: Sequence[str]) -> Arrays:
    with tempfile.TemporaryDirectory(prefix="mace_validate.") as folder:
        files = {}
        for k, (name, array) in enumerate(inputs.items()):
            files[name] = f"{folder}/in{k}.npy"
            data.save(Path(files[name]), array)
        exporters.call(platform, {"model": str(model.resolve()), "inputs": files,
                                  "outputs": list(outputs)}, Path(folder))
        return {name: np.load(f"{folder}/out{k}.npy") for k, name in enumerate(outputs)}
