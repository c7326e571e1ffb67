"""Small files of the formats that MACE reads, from which the campaign starts.

SPDX-License-Identifier: Apache-2.0

A seed is a set of files, those of them that are mutated, and what reads them: a command of
converter.py, or a program, in whose arguments FOLDER stands for the folder of the mutant, and
PROGRAM for that of the program. `m.pt2!models/model.json` is a file in an archive.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mace_tools.convert.emit import write_model
from mace_tools.convert.exporters import torch_archive_test
from mace_tools.convert.importers import load
from mace_tools.convert.importers.huggingface.logits_test import stated, tensors
from mace_tools.convert.passes.pipeline import convert
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO
from mace_tools.testing import (
    decoder_cases,
    gguf_file,
    onnx_file,
    quantized_grid,
    tflite_cases,
)
from mace_tools.testing.caffe_file import Net
from mace_tools.testing.onnx_cases import CASES, save

DIGITS = REPO / "models" / "digits"
RUN = ("--model_file=FOLDER/m.pb", "--model_data_file=FOLDER/m.data")
MACE_RUN = "//tools/mace_run:mace_run"
READ_BYTES = "//test/robustness:read_bytes"
GPU = {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd",
       "POCL_CACHE_DIR": str(Path.home() / ".cache/mace/pocl")}
# By cost, the CPU would run such small models.
EVERYTHING = "--plan_without=placement"
ON_GPU = ("--device=GPU", EVERYTHING, "--gpu_storage_path=FOLDER/cache")
# Of the DSP's protocol (mace/hexagon/protocol).
MAGIC, VERSION, VTCM_BYTES = 0x5053444D, 5, 256 * 1024


@dataclass(frozen=True)
class Format:
    """How the files of a format are made, in a folder; which are mutated; what reads them."""

    write: Callable[[Path], None] | None  # None: the program does, with --write
    mutated: tuple[str, ...]
    arguments: tuple[str, ...]
    program: str = ""  # what reads them: a target of Bazel; "": converter.py
    statuses: frozenset[int] = frozenset()  # of converter.py, besides those that all may end with
    batch: int = 40  # mutants in a row; fewer where each starts a framework

    def runs_program(self) -> bool:
        """Not converter.py, which may call the program."""
        return bool(self.program) and "--mace_run=PROGRAM" not in self.arguments

    def on_gpu(self) -> bool:
        return "--device=GPU" in self.arguments


def _init(name: str) -> tuple[str, ...]:
    return ("init", f"FOLDER/{name}", "--output=FOLDER/out.yml", "--force")


def _copy(source: Path, name: str) -> Callable[[Path], None]:
    return lambda folder: shutil.copyfile(source, folder / name)


def _onnx(folder: Path) -> None:
    save(folder / "m.onnx", "Conv", CASES["Conv"])


def _tflite(folder: Path) -> None:
    made, feeds, outputs = next(c for c in tflite_cases.CASES if c.op == "CONV_2D").model()
    (folder / "m.tflite").write_bytes(made.bytes(list(feeds), outputs))


def _caffe(folder: Path) -> None:
    net = Net({"x": (1, 3, 8, 8)})
    net.layer("Convolution", ["x"], "c", "convolution_param { num_output: 4 kernel_size: 3 }",
              np.ones((4, 3, 3, 3), np.float32), np.ones(4, np.float32))
    net.layer("InnerProduct", ["c"], "y", "inner_product_param { num_output: 2 }",
              np.ones((2, 144), np.float32), np.ones(2, np.float32))
    net.save(folder)


def _saved_model(folder: Path) -> None:
    import tensorflow as tf

    module = tf.Module()
    module.w = tf.Variable(tf.ones((3, 3, 3, 4)))

    @tf.function(input_signature=[tf.TensorSpec((1, 8, 8, 3), tf.float32, "x")])
    def call(x: "tf.Tensor") -> "tf.Tensor":
        return tf.nn.relu(tf.nn.conv2d(x, module.w, 1, "SAME"))

    tf.saved_model.save(module, str(folder), signatures=call)


def _keras(folder: Path) -> None:
    import keras

    model = keras.Sequential([keras.Input((6, 4), name="x"), keras.layers.LSTM(3),
                              keras.layers.Dense(2, activation="softmax")])
    for name in ("m.keras", "m.h5"):
        model.save(folder / name)


def _pt2(folder: Path) -> None:
    meta = {"dtype": 7, "sizes": [{"as_int": 3}], "requires_grad": False, "layout": 7,
            "device": {"type": "cpu", "index": None}, "strides": [{"as_int": 1}],
            "storage_offset": {"as_int": 0}}
    config = {"config": {"w": {"path_name": "weight_0", "is_param": True, "use_pickle": False,
                               "tensor_meta": meta}}}
    torch_archive_test.program(folder / "m.pt2", **{
        "data/weights/model_weights_config.json": config, "data/weights/weight_0": bytes(12)})


def _gguf(folder: Path) -> None:
    case = stated("llama")
    gguf_file.write_decoder(folder / "m.gguf", case["config"], tensors(case))


def _checkpoint(folder: Path) -> None:
    case = stated("llama")
    decoder_cases.write_folder(folder, case["config"], tensors(case), 2)


def _tokenizer(folder: Path) -> None:
    cases = json.loads((REPO / "test/tokenizers/cases/llama3.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps(cases["source"]))


def _deployment(folder: Path) -> None:
    save(folder / "m.onnx", "Relu", CASES["Relu"])
    model = folder.parent / "mutant" / "m.onnx"
    (folder / "m.yml").write_text(
        "library_name: x\ntarget_abis: [host]\nmodels:\n  m:\n    platform: onnx\n"
        f"    model_file_path: {model}\n    runtime: cpu\n    winograd: 4\n"
        "    subgraphs:\n      - input_tensors: x\n        input_shapes: 2,3,4\n"
        "        output_tensors: y0\n        output_shapes: 2,3,4\n"
        "        preprocess: {resize: [8, 8], mean: [1, 2, 3], scale: 0.1, channels: rgb}\n")


def _without_checksum(graph: Path) -> None:
    """As files of earlier versions are: it would be why all mutants are refused."""
    data = graph.read_bytes()
    assert data[-10:-8] == b"\x89\x0d"  # the field graph_xxh3 of mace.proto
    graph.write_bytes(data[:-10])


def _converted(folder: Path) -> None:
    """The digits as a MACE model, with an image of theirs."""
    source = load("onnx", DIGITS / "digits.onnx", {"input": (1, 1, 8, 8)}, ["probabilities"])
    write_model(convert(source), folder / "m.pb", folder / "m.data")
    _without_checksum(folder / "m.pb")
    np.save(folder / "x.npy", np.ones((1, 1, 8, 8), np.float32))


def _by_engine(folder: Path, *flags: str) -> None:
    """Files that mace_run writes itself."""
    words = [word.replace("FOLDER", str(folder)) for word in (*RUN, *flags)]
    subprocess.run([runner.find(Console(), None), *words], check=True, capture_output=True,
                   env={**os.environ, **GPU})


def _packed(folder: Path) -> None:
    _converted(folder)
    _by_engine(folder, "--pack_weights=host", "--packed_model=FOLDER/p")
    _without_checksum(folder / "p.pb")


def _tuning(folder: Path) -> None:
    """The digits have no convolution that is tuned."""
    weights = {"w": np.ones((16, 16, 3, 3), np.float32)}
    conv = onnx_file.node("Conv", "x w", "y", pads=[1, 1, 1, 1])
    onnx_file.model(folder / "m.onnx", [conv], {"x": (1, 16, 28, 28)}, ("y",), weights)
    write_model(convert(load("onnx", folder / "m.onnx")), folder / "m.pb", folder / "m.data")
    _by_engine(folder, "--tune=500", "--tuning_file=FOLDER/t")


def _images(folder: Path) -> None:
    """An image of the digits in two formats, and the model that takes it, converted."""
    from PIL import Image

    picture = Image.open(DIGITS / "images" / "4.png").convert("RGB")
    for name in ("x.png", "x.jpg"):
        picture.save(folder / name)
    _by_converter("convert", folder)


def _by_converter(command: str, folder: Path, *flags: str, runtime: str = "cpu") -> None:
    """What a command makes of the digits, by a deployment file in the folder."""
    text = (DIGITS / "digits_onnx.yml").read_text().replace("models/digits", str(DIGITS))
    (folder / "m.yml").write_text(text.replace("runtime: cpu", f"runtime: {runtime}"))
    subprocess.run([sys.executable, REPO / "tools/converter.py", command,
                    f"--config={folder / 'm.yml'}", f"--output={folder / 'build'}", *flags],
                   check=True, capture_output=True)


def _capsule(folder: Path) -> None:
    """Of a failure that any model has."""
    _by_converter("capsule", folder, f"--capsule={folder / 'c.zip'}",
                  runtime="cpu\n    memory_limit: 100")


def _run_image(name: str) -> Format:
    return Format(_images, (name,), ("run", "--config=FOLDER/m.yml", f"--input=FOLDER/{name}",
                                     "--output=FOLDER/build", "--round=1", "--mace_run=PROGRAM"),
                  MACE_RUN)


def _stores(folder: Path) -> None:
    _converted(folder)
    (folder / "cache").mkdir()
    _by_engine(folder, *ON_GPU)


def _dsp_answers(folder: Path) -> None:
    """What an executor answers; a script stands for the emulator."""
    script = folder / "answer"
    script.write_text('#!/bin/sh\ncat "$1"\nexec cat > /dev/null\n')
    script.chmod(0o755)
    made, feeds, outputs = next(c for c in quantized_grid.CASES if "CONV_2D" in str(c.op)).model()
    path = made.save(folder, list(feeds), outputs)
    shapes = {name: array.shape for name, array in feeds.items()}
    write_model(convert(load("tflite", path, shapes, outputs)), folder / "m.pb", folder / "m.data")
    answers = [(1, VERSION, VTCM_BYTES, 32, 4), (2, 0), (4, 0), *[(5, 100)] * 4, (6,), (7,), (3,)]
    (folder / "answers").write_bytes(b"".join(
        struct.pack("<4I8I4I", MAGIC, VERSION, command, number + 1,
                    *(*args, *[0] * 8)[:8], 0, 0, 0, 0)
        for number, (command, *args) in enumerate(answers)))


def _read_bytes(kind: str) -> Format:
    return Format(None, ("m",), (kind, "FOLDER/m"), READ_BYTES)


# A library of Keras may crash in its child process.
_OF_KERAS = frozenset({int(ExitCode.RUN_FAILED)})
# Without PyTorch: what is checked before it sees the file.
_OF_TORCH = frozenset({int(ExitCode.MISSING_TOOL)})
FORMATS: dict[str, Format] = {
    "ONNX": Format(_onnx, ("m.onnx",), _init("m.onnx")),
    "TFLite": Format(_tflite, ("m.tflite",), _init("m.tflite")),
    "GraphDef": Format(_copy(DIGITS / "digits.pb", "m.pb"), ("m.pb",), _init("m.pb")),
    "prototxt": Format(_caffe, ("net.prototxt",), _init("net.prototxt")),
    "caffemodel": Format(_caffe, ("net.caffemodel",), _init("net.prototxt")),
    "SavedModel": Format(_saved_model, ("saved_model.pb", "variables/variables.index",
                                        "variables/variables.data-00000-of-00001"), _init("")),
    ".keras": Format(_keras, ("m.keras", "m.keras!config.json", "m.keras!metadata.json",
                              "m.keras!model.weights.h5"), _init("m.keras"), "", _OF_KERAS, 4),
    ".h5": Format(_keras, ("m.h5",), _init("m.h5"), "", _OF_KERAS, 4),
    ".pt2": Format(_pt2, ("m.pt2", "m.pt2!m/models/model.json", "m.pt2!m/models/model.json",
                          "m.pt2!m/data/weights/model_weights_config.json"), _init("m.pt2"), "",
                   _OF_TORCH),
    "GGUF": Format(_gguf, ("m.gguf",), _init("m.gguf")),
    "safetensors": Format(
        _checkpoint, ("config.json", "model.safetensors.index.json",
                      "model-00001-of-00002.safetensors"), _init("")),
    "tokenizer": Format(_tokenizer, ("tokenizer.json",), ("tokenizer", "FOLDER/tokenizer.json")),
    "deployment file": Format(_deployment, ("m.yml",), ("check", "--config=FOLDER/m.yml")),
    "MACE model": Format(_converted, ("m.pb",), RUN, MACE_RUN),
    "weights": Format(_converted, ("m.data",), (*RUN, "--no_checksum"), MACE_RUN),
    ".npy": Format(_converted, ("x.npy",), (*RUN, "--input=input=FOLDER/x.npy"), MACE_RUN),
    "packed model": Format(_packed, ("p.pb", "p.data"),
                           ("--model_file=FOLDER/p.pb", "--no_checksum",
                            "--model_data_file=FOLDER/p.data"), MACE_RUN),
    "tuning": Format(_tuning, ("t",), (*RUN, "--tune=1", "--tuning_file=FOLDER/t"),
                     MACE_RUN),
    "PNG": _run_image("x.png"),
    "JPEG": _run_image("x.jpg"),
    "capsule": Format(_capsule, ("c.zip", "c.zip!capsule.json", "c.zip!inputs/0.npy"),
                      ("replay", "FOLDER/c.zip", "--mace_run=PROGRAM"), MACE_RUN),
    "GPU programs": Format(_stores, ("cache/mace_cl_compiled_program.bin",), (*RUN, *ON_GPU),
                           MACE_RUN),
    "kernel tests": Format(_stores, ("cache/mace_kernel_tests.bin",),
                           (*RUN, "--gpu_storage_path=FOLDER/cache"), MACE_RUN),
    "DSP answers": Format(_dsp_answers, ("answers",),
                          (*RUN, "--device=HEXAGON", EVERYTHING, "--dsp_emulator=FOLDER/answer",
                           "--dsp_program=FOLDER/answers", "--dsp_timeout_ms=2000"), MACE_RUN),
    "DSP requests": _read_bytes("dsp_requests"),
    "encrypted model": _read_bytes("encrypted"),
    "saved sequence": _read_bytes("saved_sequence"),
    "states": _read_bytes("states"),
    "pixels": _read_bytes("image"),
}
