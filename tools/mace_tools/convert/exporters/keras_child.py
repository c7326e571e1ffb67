"""Exports a Keras model as a SavedModel, or runs it; it needs a Python with TensorFlow.

SPDX-License-Identifier: Apache-2.0

    python keras_child.py '{"model": PATH}' FOLDER                       writes model/
    python keras_child.py '{"model": PATH, "inputs": [{NAME: NPY}], "outputs": [NAME]}' FOLDER
                                                                    writes out0_0.npy, ...
"""

import io
import json
import re
import runpy
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

# Keras refuses Lambda layers in .h5 files from 3.11.3 on, and files that read others from 3.13.2.
OLDEST = (3, 13, 2)
_KINDS = "layers|models|ops|initializers|regularizers|constraints|activations|losses|metrics"
# Modules whose classes and functions a file may name.
_MODULES = re.compile(
    r"builtins|tensorflow|(keras|tf_keras|tensorflow\.keras|tensorflow\.python\.keras)(\.src)?(\."
    rf"({_KINDS}|engine|optimizers|dtype_policies|quantizers|random|backend|mixed_precision)"
    r"(\.\w+)*)?")
_FUNCTIONS = re.compile(rf"builtins|(keras|tf_keras)(\.src)?\.({_KINDS})(\.\w+)*")
# Classes that are or load code, and how a file asks for one of any module.
_CODE = {"Lambda", "__lambda__", "__typespec__", "TFSMLayer", "TorchModuleWrapper", "JaxLayer",
         "FlaxLayer"}
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
    found = str(getattr(tf.keras, "__version__", "0"))
    if tuple(int(v) for v in re.findall(r"\d+", found)[:3]) < OLDEST:
        raise Failed("version", f"Keras {found} (TensorFlow {tf.__version__}) can be made to run "
                     f"code that a file holds; {'.'.join(map(str, OLDEST))} or newer refuses")
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
    layers made of code (Lambda) are refused, and so is what reads other files."""
    written, config = _written(path)
    _check_config(config)
    newer = str(getattr(keras, "__version__", "3"))
    is_old = written.startswith("2.")
    keras.layers.Lambda.from_config = _refuse
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
    tf_keras.layers.Lambda.from_config = _refuse
    try:
        return tf_keras, tf_keras.models.load_model(path, compile=False, safe_mode=True)
    except Exception as e:
        raise Failed("model", _cause(e)) from e


def _refuse(*given: Any, **more: Any) -> Any:
    raise ValueError(_LAMBDA)


def _written(path: str) -> tuple[str, Any]:
    """The version of Keras that wrote a file, and the configuration of the model; empty where the
    file does not say. Errors: Failed for one that reads other files, or is damaged."""
    try:
        import h5py

        if path.endswith(".keras"):
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    if name.endswith(".h5"):
                        with h5py.File(io.BytesIO(archive.read(name)), "r") as file:
                            _check_links(h5py, file)
                version = json.loads(archive.read("metadata.json")).get("keras_version", "")
                return str(version), json.loads(archive.read("config.json"))
        with h5py.File(path, "r") as file:
            _check_links(h5py, file)
            config = file.attrs.get("model_config")
            return (str(file.attrs.get("keras_version", "")),
                    None if config is None else json.loads(config))
    except ImportError as e:
        raise Failed("missing", "platform: keras needs h5py, which is not installed "
                     f"({_line(e)})") from e
    except (OSError, KeyError, ValueError, TypeError, AttributeError, RecursionError,
            zipfile.BadZipFile) as e:
        raise Failed("model", f"what it says of itself cannot be read: {_line(e)}; save the model "
                     "again") from e


def _check_links(h5py: Any, group: Any) -> None:
    """Errors: Failed if a part of an HDF5 file lies in another file."""
    for name in group:
        link = group.get(name, getlink=True)
        if isinstance(link, h5py.HardLink):
            part = group[name]
            if isinstance(part, h5py.Group):
                _check_links(h5py, part)
                continue
            if not isinstance(part, h5py.Dataset) or not (part.external or part.is_virtual):
                continue
        raise Failed("model", f"its '{name}' lies in another file or place; save the model again")


def _check_config(config: Any) -> None:
    """Errors: Failed for what is not known to be a layer or a function of Keras."""
    stack = [config]
    while stack:
        part = stack.pop()
        if isinstance(part, list):
            stack += part
        if not isinstance(part, dict):
            continue
        stack += part.values()
        kind, module = part.get("class_name"), part.get("module")
        if isinstance(kind, str) and kind.rpartition(">")[2] in _CODE:
            raise Failed("model", _LAMBDA if "ambda" in kind else
                         f"it has a {kind}, which would run or load code that is not Keras'")
        allowed = _FUNCTIONS if kind == "function" else _MODULES
        if isinstance(module, str) and not allowed.fullmatch(module):
            raise Failed("model", f"it names code of the module '{module[:80]}', which would be "
                         "run; export the model where that is meant to run, by "
                         "model.export(FOLDER), and name that folder")
        if isinstance(part.get("vocabulary"), str):
            raise Failed("model", "it reads a vocabulary from another file "
                         f"({part['vocabulary'][:80]!r}); save the model with the words in it")


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
