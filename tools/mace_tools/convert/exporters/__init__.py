"""Calls the exporters of frameworks whose models are programs: Keras and PyTorch.

SPDX-License-Identifier: Apache-2.0

The framework runs in a process of its own (keras_child.py, torch_child.py), which needs no package
of ours and reaches nothing but its folder (support/sandbox.py). It reads a copy of the model there.
The Python of it is this one, or that of the environment variable MACE_EXPORT_PYTHON.
"""

import atexit
import functools
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mace_tools.convert.exporters import keras_file, torch_archive
from mace_tools.support import sandbox
from mace_tools.support.errors import MaceError, ModelError
from mace_tools.support.exit_codes import MissingToolError, RunFailedError
from mace_tools.support.limits import read_bytes

PYTHON = "MACE_EXPORT_PYTHON"
ANSWER = "answer.json"
MAX_ANSWER = 64 << 20
# The framework, and what pip installs to export models of it.
PACKAGES = {"keras": ("Keras with TensorFlow", "'tensorflow-cpu>=2.19.1' 'keras>=3.13.2'"),
            "pytorch": ("PyTorch", "'torch>=2.10' onnx onnxscript")}
_ERRORS: dict[str, Callable[[str], MaceError]] = {"model": ModelError, "missing": MissingToolError,
                                                  "version": MissingToolError}


def python() -> str:
    return os.environ.get(PYTHON) or sys.executable


def install(platform: str) -> str:
    """The command that installs the framework."""
    return f"`{python()} -m pip install {PACKAGES[platform][1]}`"


def export(platform: str, model: Path, shapes: Mapping[str, Any] | None = None) -> Path:
    """The folder with what the framework wrote, and with its answer; it is kept while this program
    runs. `shapes` of inputs are needed by models that do not hold them.

    Errors: ModelError for what the framework says about the model; MissingToolError if it is not
    installed or too old."""
    try:
        state = model.stat()
    except OSError as e:
        raise ModelError(f"{model}: cannot be read: {e.strerror or e}") from e
    given = json.dumps({name: list(shape) for name, shape in shapes.items()}) if shapes else ""
    return _exported(platform, model.resolve(), state.st_mtime_ns, state.st_size, given, python())


def answer(folder: Path) -> dict[str, Any]:
    """What the framework reported: names of inputs and outputs. Errors: ModelError."""
    try:
        found = json.loads(read_bytes(folder / ANSWER, MAX_ANSWER))
        names = [*found["inputs"], *found["outputs"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as e:
        raise ModelError(f"the exporter gave no names of inputs and outputs ({e})") from e
    if not all(isinstance(name, str) for name in names):
        raise ModelError("the exporter gave names of inputs and outputs that are no texts")
    return found


def call(platform: str, request: Mapping[str, Any], folder: Path) -> None:
    """Runs the framework's process, which writes to `folder`. Errors: as `export`."""
    model = Path(request["model"])
    child = Path(__file__).with_name({"keras": "keras_child.py", "pytorch": "torch_child.py"}[
        platform])
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "",
                   "KERAS_BACKEND": "tensorflow", "PYTHONDONTWRITEBYTECODE": "1",
                   "TORCH_FORCE_WEIGHTS_ONLY_LOAD": "1"}  # pickles run no code
    if os.environ.get(PYTHON):
        environment.pop("PYTHONPATH", None)
    copied = (torch_archive.copy if platform == "pytorch" else keras_file.copy)(model, folder)
    try:
        done = sandbox.run(
            f"{PACKAGES[platform][0]} on {model}",
            [python(), str(child), json.dumps({**request, "model": str(copied)}), str(folder)],
            folder, environment, sandbox.limits_for(model))
    except OSError as e:
        raise MissingToolError(f"{python()}, which {PYTHON} names, cannot be started: "
                               f"{e.strerror or e}") from e
    finally:
        copied.unlink(missing_ok=True)
    if done.returncode == 0:
        return
    try:
        reply = json.loads(read_bytes(folder / ANSWER, MAX_ANSWER))
        kind, message = str(reply["error"]), str(reply["message"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise RunFailedError(f"{PACKAGES[platform][0]} failed on {model}: {done.reason()}"
                             ) from None
    cure = "" if kind == "model" else f": run {install(platform)}"
    raise _ERRORS.get(kind, RunFailedError)(f"{model}: {message}{cure}")


@functools.cache
def _exported(platform: str, model: Path, changed: int, size: int, shapes: str, by: str) -> Path:
    folder = Path(tempfile.mkdtemp(dir=_root()))
    call(platform, {"model": str(model), "shapes": json.loads(shapes or "null")}, folder)
    return folder


@functools.cache
def _root() -> str:
    root = tempfile.mkdtemp(prefix="mace_export.")
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return root
