"""Exports a Keras model as a SavedModel, or runs it; it needs a Python with TensorFlow.

SPDX-License-Identifier: Apache-2.0

    python keras_child.py '{"model": PATH}' FOLDER                       writes model/
    python keras_child.py '{"model": PATH, "inputs": [{NAME: NPY}], "outputs": [NAME]}' FOLDER
                                                                    writes out0_0.npy, ...
"""

from __future__ import annotations

import json
import runpy
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

OLDEST = (2, 13)
_MODULES = ("builtins", "keras", "tensorflow", "tf_keras")  # whose objects a file may name
_LAMBDA = ("it has a Lambda layer, whose code the file holds and which would be run; save the "
           "model with a layer class or with ops of keras.ops in its place")


class Failed(Exception):
    """What is wrong, and whose fault it is: missing, version, model."""


def main(request: dict[str, Any], folder: Path) -> None:
    try:
        import tensorflow as tf
    except ImportError as e:
        raise Failed("missing", "platform: keras needs Keras with TensorFlow, which is not "
                     f"installed ({e})") from e
    version = tuple(int(v) for v in tf.__version__.split(".")[:2])
    if version < OLDEST:
        raise Failed("version", f"TensorFlow {tf.__version__} is too old to export Keras models; "
                     f"{OLDEST[0]}.{OLDEST[1]} or newer can")
    keras, model = _load(tf.keras, request["model"])
    if not getattr(model, "inputs", None):
        raise Failed("model", "it does not say what inputs it takes: build it before it is saved, "
                     "with keras.Input as its first layer")
    if "inputs" in request:
        _run(model, request, folder)
    else:
        _export(tf, keras, model, folder)


def _load(keras: Any, path: str) -> tuple[Any, Any]:
    """The Keras that can load a model, and the model. Nothing that the file holds is executed:
    layers made of code (Lambda) are refused."""
    written, config = _written(path)
    if "Lambda" in _values(config, "class_name") or "__lambda__" in _values(config, "class_name"):
        raise Failed("model", _LAMBDA)
    newer = str(getattr(keras, "__version__", "3"))
    is_old = written.startswith("2.")
    if is_old:
        strange = [m for m in _values(config, "module") if m.split(".")[0] not in _MODULES]
        if strange:
            raise Failed("model", f"it names code of the module '{strange[0]}', which would be "
                         "run; export the model where that is meant to run, by "
                         "model.export(FOLDER), and name that folder")
    try:
        return keras, keras.models.load_model(path, compile=False, safe_mode=True)
    except Exception as e:  # whatever Keras raises becomes one line
        if not is_old or newer.startswith("2."):
            raise Failed("model", _cause(e)) from e
        first = e
    try:
        import tf_keras
    except ImportError as e:
        raise Failed("model", f"Keras {written} wrote it, and Keras {newer} cannot load it "
                     f"({_line(first)[:160]}): run `{sys.executable} -m pip install tf_keras`, "
                     "the Keras 2 that is then used") from e
    try:
        return tf_keras, tf_keras.models.load_model(path, compile=False, safe_mode=True)
    except Exception as e:
        raise Failed("model", _cause(e)) from e


def _written(path: str) -> tuple[str, Any]:
    """The version of Keras that wrote a file, and the configuration of the model; empty where the
    file does not say."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                version = json.loads(archive.read("metadata.json"))["keras_version"]
                return str(version), json.loads(archive.read("config.json"))
        import h5py

        with h5py.File(path, "r") as file:
            return str(file.attrs["keras_version"]), json.loads(file.attrs["model_config"])
    except (ImportError, OSError, KeyError, ValueError, TypeError):
        return "", None


def _values(config: Any, key: str) -> set[str]:
    """The texts that a configuration has under a key, anywhere."""
    found, stack = set(), [config]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            found.update(v for k, v in part.items() if k == key and isinstance(v, str))
            stack += part.values()
        elif isinstance(part, list):
            stack += part
    return found


def _export(tf: Any, keras: Any, model: Any, folder: Path) -> None:
    specs = [tf.TensorSpec(t.shape, t.dtype, f"input_{k}") for k, t in enumerate(model.inputs)]
    names: list[str] = []

    def serve(*tensors: Any) -> dict[str, Any]:
        found = _outputs(model, tensors)
        names[:] = found
        return {f"output_{k}": tf.identity(value) for k, value in enumerate(found.values())}

    try:
        archive = keras.export.ExportArchive()
        archive.track(model)
        archive.add_endpoint("serve", serve, specs)
        archive.write_out(str(folder / "model"))
    except Exception as e:
        raise Failed("model", f"TensorFlow cannot export it: {_line(e)}; end the model before the "
                     "layer named (keras.Model(model.input, model.get_layer(NAME).output))") from e
    (folder / "answer.json").write_text(json.dumps(
        {"inputs": [_name(t) for t in model.inputs], "outputs": names}))


def _call(model: Any, tensors: Sequence[Any]) -> Any:
    """What the model makes of tensors in the order of model.inputs, as inference."""
    given = {id(place): tensor for place, tensor in zip(model.inputs, tensors)}
    structure = getattr(model, "input", None)  # which a Sequential need not have
    if not all(id(leaf) in given for _, leaf in _leaves(structure, ())):
        structure = model.inputs[0] if len(model.inputs) == 1 else list(model.inputs)

    def filled(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: filled(value) for key, value in part.items()}
        if isinstance(part, (list, tuple)):
            return [filled(value) for value in part]
        return given[id(part)]

    return model(filled(structure), training=False)


def _outputs(model: Any, tensors: Sequence[Any]) -> dict[str, Any]:
    """Results by name: the keys of a dictionary where they can be told apart, or output_0 and so
    on."""
    found = _call(model, tensors)
    leaves = list(_leaves(found, ()))
    named = {"_".join(path): value for path, value in leaves}
    names = {_name(t) for t in model.inputs}
    if isinstance(found, dict) and len(named) == len(leaves) and not names & set(named):
        return named
    return {f"output_{k}": value for k, (_, value) in enumerate(leaves)}


def _leaves(part: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(part, dict):
        for key in sorted(part):
            yield from _leaves(part[key], (*path, str(key)))
    elif isinstance(part, (list, tuple)):
        for k, value in enumerate(part):
            yield from _leaves(value, (*path, str(k)))
    else:
        yield path, part


def _run(model: Any, request: dict[str, Any], folder: Path) -> None:
    if request["nudge"]:
        module = runpy.run_path(str(Path(__file__).parents[2] / "frameworks" / "nudge.py"))
        nudge = module["Nudge"](**request["nudge"])
        model.set_weights([nudge.of(w, k) for k, w in enumerate(model.get_weights())])
    errors = []
    for j, files in enumerate(request["inputs"]):
        try:
            _run_once(model, files, request["outputs"], folder, j)
            errors.append("")
        except Failed:
            raise
        except Exception as e:  # whatever Keras raises becomes one line
            errors.append(_line(e))
    (folder / "errors.json").write_text(json.dumps(errors))


def _run_once(model: Any, files: dict[str, str], outputs: list[str], folder: Path, number: int
              ) -> None:
    import numpy as np

    names = [_name(t) for t in model.inputs]
    feeds = {name: np.load(file) for name, file in files.items()}
    if sorted(feeds) != sorted(names):
        raise Failed("model", f"Keras takes the inputs {names}, all of them and no others")
    results = _outputs(model, [feeds[name] for name in names])
    for k, name in enumerate(outputs):
        if name not in results:
            raise Failed("model", f"Keras gives {sorted(results)}, but not '{name}'")
        np.save(folder / f"out{number}_{k}.npy", np.asarray(results[name]))


def _name(tensor: Any) -> str:
    return str(tensor.name).split(":")[0]


def _line(e: BaseException) -> str:
    return f"{type(e).__name__}: {' '.join(str(e).split())}"[:600]


def _cause(e: BaseException) -> str:
    if "ambda" in str(e):
        return _LAMBDA
    return (f"Keras cannot load it: {_line(e)}; layers of your own need their class: export the "
            "model where the class is defined, by model.export(FOLDER), and name that folder")


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]), Path(sys.argv[2]))
    except Failed as failed:
        text = json.dumps(dict(zip(("error", "message"), failed.args)))
        (Path(sys.argv[2]) / "answer.json").write_text(text)
        sys.exit(1)
