"""Runs a source model in the framework it comes from: the other side of `run --validate`.

SPDX-License-Identifier: Apache-2.0

The frameworks are extras. They are loaded in a process of their own (this file, started with
`python -m`), because they are noisy, big, and end the process when they fail badly.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools import data
from mace_tools.exit_codes import MissingToolError, RunFailedError
from mace_tools.protos import REPO, load

# Platform: the framework's name, the module to import, the package to install.
FRAMEWORKS = {
    "tensorflow": ("TensorFlow", "tensorflow", "tensorflow-cpu"),
    "onnx": ("ONNX Runtime", "onnxruntime", "onnxruntime"),
    "tflite": ("LiteRT", "ai_edge_litert", "ai-edge-litert"),
}
REQUIREMENTS = REPO / "tools" / "requirements" / "validate.txt"
ONNX_PROTO = Path(__file__).parent / "importers" / "onnx" / "onnx.proto"
Arrays = dict[str, np.ndarray]


def require(platform: str) -> None:
    """Errors: MissingToolError, saying how to install the framework."""
    name, module, package = FRAMEWORKS[platform]
    if importlib.util.find_spec(module) is None:
        lines = REQUIREMENTS.read_text().splitlines() if REQUIREMENTS.is_file() else []
        pinned = next((s for s in lines if s.startswith(package)), package)
        raise MissingToolError(f"--validate compares with {name}, which is not installed: run "
                          f"`tools/setup.sh --for validate`, or "
                          f"`{sys.executable} -m pip install {pinned}`")


def run(platform: str, model: Path, inputs: Mapping[str, np.ndarray],
        outputs: Sequence[str]) -> Arrays:
    """What the framework computes.

    Errors: MissingToolError, RunFailedError with the framework's own words."""
    require(platform)
    with tempfile.TemporaryDirectory(prefix="mace_validate.") as folder:
        request: dict[str, Any] = {"platform": platform, "model": str(model.resolve()),
                                   "outputs": list(outputs), "inputs": {}}
        for k, (name, array) in enumerate(inputs.items()):
            request["inputs"][name] = f"{folder}/in{k}.npy"
            data.save(Path(folder) / f"in{k}.npy", array)
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "",
                       "PYTHONPATH": str(REPO / "tools")}
        done = subprocess.run([sys.executable, "-m", __name__, json.dumps(request), folder],
                              env=environment, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            said = [s for s in done.stderr.strip().splitlines() if s.strip()]
            reason = said[-1] if said else f"status {done.returncode}"
            raise RunFailedError(f"{FRAMEWORKS[platform][0]} cannot run {model}: {reason}")
        return {name: np.load(f"{folder}/out{k}.npy") for k, name in enumerate(outputs)}


def _tensorflow(model: str, inputs: Arrays, outputs: list[str]) -> list[np.ndarray]:
    import tensorflow.compat.v1 as tf

    graph = tf.GraphDef()
    graph.ParseFromString(Path(model).read_bytes())
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph, name="")
        feeds = {_port(n): a for n, a in inputs.items()}
        return session.run([_port(n) for n in outputs], feeds)


def _port(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _onnx(model: str, inputs: Arrays, outputs: list[str]) -> list[np.ndarray]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(_onnx_part(model, inputs, outputs), options,
                                           providers=["CPUExecutionProvider"])
    return session.run(outputs, inputs)


def _onnx_part(model: str, inputs: Arrays, outputs: list[str]) -> bytes:
    """The model between the given tensors and with their shapes.

    ONNX Runtime feeds and fetches only the ends of a graph, in the shapes that it states."""
    onnx = load(ONNX_PROTO)
    part = onnx.ModelProto.FromString(Path(model).read_bytes())
    graph = part.graph
    makers = {out: k for k, node in enumerate(graph.node) for out in node.output if out}
    needed: set[int] = set()
    stack = list(outputs)
    while stack:
        name = stack.pop()
        if name in makers and name not in inputs and makers[name] not in needed:
            needed.add(makers[name])
            stack += _read_by(graph.node[makers[name]])
    kept = [onnx.NodeProto.FromString(graph.node[k].SerializeToString()) for k in sorted(needed)]
    del graph.node[:], graph.input[:], graph.output[:], graph.value_info[:]
    graph.node.extend(kept)
    types = {np.dtype(t): k for t, k in ((np.float32, 1), (np.uint8, 2), (np.int8, 3),
             (np.int16, 5), (np.int32, 6), (np.int64, 7), (np.bool_, 9), (np.float16, 10))}
    for name, array in inputs.items():
        value = graph.input.add(name=name)
        value.type.tensor_type.elem_type = types[array.dtype]
        for extent in array.shape:
            value.type.tensor_type.shape.dim.add(dim_value=extent)
    for name in outputs:
        graph.output.add(name=name)
    return part.SerializeToString()


def _read_by(node: Any) -> list[str]:
    """The tensors that a node and the graphs within it read."""
    names = list(node.input)
    for attribute in node.attribute:
        for inner in attribute.g.node:
            names += _read_by(inner)
    return names


def _tflite(model: str, inputs: Arrays, outputs: list[str]) -> list[np.ndarray]:
    from ai_edge_litert.interpreter import Interpreter

    plain = Interpreter(model_path=model)
    inner = set(outputs) - {d["name"] for d in plain.get_output_details()}
    run = Interpreter(model_path=model, experimental_preserve_all_tensors=True) if inner else plain
    starts = {d["name"]: d for d in run.get_input_details()}
    for name, array in inputs.items():
        if name not in starts:
            raise ValueError(f"'{name}' is not an input of the model; LiteRT feeds no others")
        if tuple(starts[name]["shape"]) != array.shape:
            run.resize_tensor_input(starts[name]["index"], array.shape)
    run.allocate_tensors()
    for name, array in inputs.items():
        run.set_tensor(starts[name]["index"], array)
    run.invoke()
    places = {d["name"]: d["index"] for d in run.get_tensor_details()}
    return [run.get_tensor(places[name]) for name in outputs]


_RUNNERS: dict[str, Callable[[str, Arrays, list[str]], list[np.ndarray]]] = {
    "tensorflow": _tensorflow, "onnx": _onnx, "tflite": _tflite}  # fmt: skip


def _child(request: dict[str, Any], folder: str) -> int:
    """In the process of the framework."""
    inputs = {name: np.load(file) for name, file in request["inputs"].items()}
    try:
        results = _RUNNERS[request["platform"]](request["model"], inputs, request["outputs"])
    except Exception as e:  # whatever a framework raises becomes one line for the parent
        print(f"{type(e).__name__}: {' '.join(str(e).split())}", file=sys.stderr)
        return 1
    for k, array in enumerate(results):
        np.save(f"{folder}/out{k}.npy", np.asarray(array))
    return 0


if __name__ == "__main__":
    sys.exit(_child(json.loads(sys.argv[1]), sys.argv[2]))
