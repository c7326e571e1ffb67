"""Runs a source model in its own framework, for `run --validate`.

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

from mace_tools import data, exporters
from mace_tools.config.files import saved_model_folder
from mace_tools.exit_codes import MissingToolError, RunFailedError
from mace_tools.importers.tensorflow.saved_model import SavedModel
from mace_tools.protos import REPO, load

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
ONNX_PROTO = Path(__file__).parent / "importers" / "onnx" / "onnx.proto"
# Element types of ONNX by number, those that NumPy has.
ELEMENTS = {k: np.dtype(t) for k, t in (
    (1, np.float32), (2, np.uint8), (3, np.int8), (4, np.uint16), (5, np.int16), (6, np.int32),
    (7, np.int64), (9, np.bool_), (10, np.float16), (11, np.float64), (12, np.uint32),
    (13, np.uint64))}
NUMBERS = {dtype: number for number, dtype in ELEMENTS.items()}
Arrays = dict[str, np.ndarray]


def require(platform: str, who: str = "--validate") -> None:
    """Errors: MissingToolError, saying how to install the framework. `who` needs it."""
    if platform in EXPORTERS:
        return  # converting needs it as well
    name, module, package = FRAMEWORKS[platform]
    if importlib.util.find_spec(module) is None:
        lines = REQUIREMENTS.read_text().splitlines() if REQUIREMENTS.is_file() else []
        pinned = next((s for s in lines if s.startswith(package)), package)
        raise MissingToolError(f"{who} compares with {name}, which is not installed: run "
                          f"`tools/setup.sh --for validate`, or "
                          f"`{sys.executable} -m pip install {pinned}`")


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
        done = subprocess.run([sys.executable, "-m", __name__, json.dumps(request), folder],
                              env=environment, capture_output=True, text=True, errors="replace")
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


def _tensorflow(model: str, inputs: Arrays, outputs: list[str]) -> list[np.ndarray]:
    import tensorflow.compat.v1 as tf

    saved = saved_model_folder(Path(model))
    with tf.Graph().as_default(), tf.Session() as session:
        if saved is not None:
            tf.saved_model.load(session, SavedModel(saved).tags, str(saved))
        else:
            graph = tf.GraphDef()
            graph.ParseFromString(Path(model).read_bytes())
            tf.import_graph_def(graph, name="")
        feeds = {_port(n): a.astype(session.graph.get_tensor_by_name(_port(n)).dtype.as_numpy_dtype)
                 for n, a in inputs.items()}
        return session.run([_port(n) for n in outputs], feeds)


def _port(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _onnx(model: str, inputs: Arrays, outputs: list[str]) -> list[np.ndarray]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # The definition of the model, node by node, because an optimizer's bug would be taken for ours.
    # (The optimizer of 1.20 computes an AveragePool after a Pad incorrectly.)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # The folder of tensors that are stored outside the model; the model is passed as bytes.
    options.add_session_config_entry("session.model_external_initializers_file_folder_path",
                                     str(Path(model).parent))
    part, feeds = _onnx_part(model, inputs, outputs)
    session = onnxruntime.InferenceSession(part, options, providers=["CPUExecutionProvider"])
    return session.run(outputs, feeds)


def _onnx_part(model: str, inputs: Arrays, outputs: list[str]) -> tuple[bytes, Arrays]:
    """The part of the model between the given tensors, with their shapes, and the inputs in its
    types.

    ONNX Runtime accepts only the inputs and outputs of a graph, in their declared shapes."""
    onnx = load(ONNX_PROTO)
    part = onnx.ModelProto.FromString(Path(model).read_bytes())
    graph = part.graph
    makers = {out: k for k, node in enumerate(graph.node) for out in node.output if out}
    needed: set[int] = set()
    read = set(outputs)
    stack = list(outputs)
    while stack:
        name = stack.pop()
        if name in makers and name not in inputs and makers[name] not in needed:
            needed.add(makers[name])
            stack += _read_by(graph.node[makers[name]])
            read.update(_read_by(graph.node[makers[name]]))
    kept = [onnx.NodeProto.FromString(graph.node[k].SerializeToString()) for k in sorted(needed)]
    stored = [onnx.TensorProto.FromString(t.SerializeToString()) for t in graph.initializer
              if t.name in read and t.name not in inputs]
    types = {v.name: v.type.tensor_type.elem_type for v in [*graph.input, *graph.value_info]}
    del graph.node[:], graph.initializer[:], graph.input[:], graph.output[:], graph.value_info[:]
    graph.node.extend(kept)
    graph.initializer.extend(stored)
    # Before version 4, initializers must be inputs as well, which would make them variable.
    part.ir_version = max(part.ir_version, 4)
    feeds = {}
    for name, array in inputs.items():
        number = types.get(name) or NUMBERS[array.dtype]
        feeds[name] = array.astype(ELEMENTS[number]) if number in ELEMENTS else array
        value = graph.input.add(name=name)
        value.type.tensor_type.elem_type = number
        value.type.tensor_type.shape.SetInParent()  # a scalar has no dimensions
        for extent in array.shape:
            value.type.tensor_type.shape.dim.add(dim_value=extent)
    for name in outputs:
        graph.output.add(name=name)
    return part.SerializeToString(), feeds


def _read_by(node: Any) -> list[str]:
    """The tensors that a node and the graphs within it read."""
    names = list(node.input)
    for attribute in node.attribute:
        for inner in attribute.g.node:
            names += _read_by(inner)
        names += [v.name for v in attribute.g.output]  # may come from the outer graph
    return names


def _tflite(model: str, inputs: Arrays, outputs: list[str], signature: str) -> list[np.ndarray]:
    from ai_edge_litert.interpreter import Interpreter

    plain = Interpreter(model_path=model)
    known = list(plain.get_signature_list())
    usual = "serving_default" if "serving_default" in known or len(known) != 1 else known[0]
    if (signature or usual) in known:
        # An interpreter of its own: it must not be asked for other tensors afterwards.
        runner = Interpreter(model_path=model).get_signature_runner(signature or usual)
        starts, ends = runner.get_input_details(), runner.get_output_details()
        own = {d["name"] for d in plain.get_tensor_details()}
        if {d["name"] for d in starts.values()} != {d["name"] for d in plain.get_input_details()}:
            return _signature(runner, inputs, outputs)  # of another graph
        names = {alias: d["name"] for alias, d in (*starts.items(), *ends.items())
                 if alias not in own}
        inputs = {names.get(name, name): array for name, array in inputs.items()}
        outputs = [names.get(name, name) for name in outputs]
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
        run.set_tensor(starts[name]["index"], array.astype(starts[name]["dtype"]))
    run.invoke()
    places = {d["name"]: d["index"] for d in run.get_tensor_details()}
    return [run.get_tensor(places[name]) for name in outputs]


def _caffe(model: str, inputs: Arrays, outputs: list[str], weights: str | None = None
           ) -> list[np.ndarray]:
    import cv2

    from mace_tools.importers.caffe import read
    from mace_tools.importers.caffe.reader import beside

    file = Path(weights) if weights else beside(Path(model))
    source = read(Path(model), file)
    net = cv2.dnn.readNetFromCaffe(model, str(file) if file else "")
    net.enableFusion(False)  # the definition of the model, layer by layer
    for name, array in inputs.items():
        if name not in source.inputs:
            raise ValueError(f"'{name}' is not an input of the model; OpenCV feeds no others")
        net.setInput(array.astype(np.float32), name)
    # OpenCV names what a layer makes after the layer, or some layers after their top, and counts
    # the tops.
    known = set(net.getLayerNames())
    made = {out: (node.name if node.name in known else out.partition("@")[0], k)
            for node in source.nodes for k, out in enumerate(node.outputs)}
    found = net.forwardAndRetrieve([made[name][0] for name in outputs])
    return [np.asarray(tops[made[name][1]]) for name, tops in zip(outputs, found)]


def _signature(runner: Any, inputs: Arrays, outputs: list[str]) -> list[np.ndarray]:
    """Tensors by their own names, or by those of the signature."""
    starts, ends = runner.get_input_details(), runner.get_output_details()
    names = {d["name"]: alias for alias, d in (*starts.items(), *ends.items())}
    names |= {alias: alias for alias in (*starts, *ends)}
    strange = [n for n in (*inputs, *outputs) if n not in names]
    if strange:
        raise ValueError(f"'{strange[0]}' is no input or output of the signature; LiteRT gives no "
                         "others of it")
    feeds = {names[n]: a.astype(starts[names[n]]["dtype"]) for n, a in inputs.items()}
    found = runner(**feeds)
    return [found[names[n]] for n in outputs]


_RUNNERS: dict[str, Callable[..., list[np.ndarray]]] = {
    "tensorflow": _tensorflow, "onnx": _onnx, "tflite": _tflite, "caffe": _caffe}


def _child(request: dict[str, Any], folder: str) -> int:
    """Runs in the process of the framework."""
    inputs = {name: np.load(file) for name, file in request["inputs"].items()}
    try:
        results = _RUNNERS[request["platform"]](request["model"], inputs, request["outputs"],
                                                **request["more"])
    except Exception as e:  # whatever a framework raises becomes one line for the parent
        print(f"{type(e).__name__}: {' '.join(str(e).split())}", file=sys.stderr)
        return 1
    for k, array in enumerate(results):
        np.save(f"{folder}/out{k}.npy", np.asarray(array))
    return 0


if __name__ == "__main__":
    sys.exit(_child(json.loads(sys.argv[1]), sys.argv[2]))
