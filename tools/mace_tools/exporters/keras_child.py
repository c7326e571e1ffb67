"""Exports a Keras model to TFLite, or runs it; a program of its own, in a Python with TensorFlow.

SPDX-License-Identifier: Apache-2.0

    python keras_child.py '{"model": PATH}' FOLDER                       writes model.tflite
    python keras_child.py '{"model": PATH, "inputs": {NAME: NPY}}' FOLDER  writes out0.npy, ...
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

OLDEST = (2, 13)


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
    try:
        # Nothing that the file holds is executed: layers made of code (Lambda) are refused.
        model = tf.keras.models.load_model(request["model"], compile=False, safe_mode=True)
    except Exception as e:  # whatever Keras raises becomes one line
        raise Failed("model", _cause(e)) from e
    if "inputs" in request:
        _run(model, request, folder)
        return
    inputs = [_name(t) for t in model.inputs]
    try:
        converter = tf.lite.TFLiteConverter.from_keras_model(model)
        (folder / "model.tflite").write_bytes(converter.convert())
    except Exception as e:
        raise Failed("model", f"tf.lite.TFLiteConverter cannot export it: {_line(e)}; export a "
                     "model without the layer named, or end it before (keras.Model(model.input, "
                     "model.get_layer(NAME).output))") from e
    (folder / "answer.json").write_text(json.dumps({"inputs": inputs}))


def _run(model: Any, request: dict[str, Any], folder: Path) -> None:
    import numpy as np

    names = [_name(t) for t in model.inputs]
    feeds = {name: np.load(file) for name, file in request["inputs"].items()}
    if sorted(feeds) != sorted(names):
        raise Failed("model", f"Keras takes the inputs {names}, all of them and no others")
    inputs = [feeds[name] for name in names]
    found = model(inputs[0] if len(inputs) == 1 else inputs, training=False)
    if isinstance(found, dict):
        results = {str(key): value for key, value in found.items()}
    else:
        listed = list(found) if isinstance(found, (list, tuple)) else [found]
        results = {f"output_{k}": value for k, value in enumerate(listed)}
    for k, name in enumerate(request["outputs"]):
        if name not in results:
            raise Failed("model", f"Keras gives {sorted(results)}, but not '{name}'")
        np.save(folder / f"out{k}.npy", np.asarray(results[name]))


def _name(tensor: Any) -> str:
    return str(tensor.name).split(":")[0]


def _line(e: BaseException) -> str:
    return f"{type(e).__name__}: {' '.join(str(e).split())}"[:600]


def _cause(e: BaseException) -> str:
    if "ambda" in str(e):
        return ("it has a Lambda layer, whose code the file holds and which would be run; save the "
                "model with a layer class or with ops of keras.ops in its place")
    return (f"Keras cannot load it: {_line(e)}; layers of your own need their class: export the "
            "model where the class is defined, by tf.lite.TFLiteConverter.from_keras_model(model)")


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]), Path(sys.argv[2]))
    except Failed as failed:
        text = json.dumps(dict(zip(("error", "message"), failed.args)))
        (Path(sys.argv[2]) / "answer.json").write_text(text)
        sys.exit(1)
