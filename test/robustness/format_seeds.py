"""Small files of the formats that MACE reads, from which the campaign starts.

SPDX-License-Identifier: Apache-2.0

A seed is a set of files, those of them that are mutated, and what reads them: a command of
converter.py, or of mace_run, in whose arguments FOLDER stands for the folder of the mutant.
"""

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mace_tools.convert.emit import write_model
from mace_tools.convert.importers import load
from mace_tools.convert.importers.huggingface.logits_test import stated, tensors
from mace_tools.convert.passes.pipeline import convert
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO
from mace_tools.testing import decoder_cases, gguf_file, onnx_file, tflite_cases
from mace_tools.testing.caffe_file import Net
from mace_tools.testing.onnx_cases import CASES, save

DIGITS = REPO / "models" / "digits"
RUN = ("--model_file=FOLDER/m.pb", "--model_data_file=FOLDER/m.data")


@dataclass(frozen=True)
class Format:
    """How the files of a format are made, in a folder; which are mutated; what reads them."""

    write: Callable[[Path], None]
    mutated: tuple[str, ...]
    arguments: tuple[str, ...]
    by_engine: bool = False  # mace_run reads them, else converter.py


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


def _converted(folder: Path) -> None:
    """The digits as a MACE model, with an image of theirs."""
    source = load("onnx", DIGITS / "digits.onnx", {"input": (1, 1, 8, 8)}, ["probabilities"])
    write_model(convert(source), folder / "m.pb", folder / "m.data")
    np.save(folder / "x.npy", np.ones((1, 1, 8, 8), np.float32))


def _by_engine(folder: Path, *flags: str) -> None:
    """Files that mace_run writes itself."""
    words = [word.replace("FOLDER", str(folder)) for word in (*RUN, *flags)]
    subprocess.run([runner.find(Console(), None), *words], check=True, capture_output=True)


def _packed(folder: Path) -> None:
    _converted(folder)
    _by_engine(folder, "--pack_weights=host", "--packed_model=FOLDER/p")


def _tuning(folder: Path) -> None:
    """The digits have no convolution that is tuned."""
    weights = {"w": np.ones((16, 16, 3, 3), np.float32)}
    conv = onnx_file.node("Conv", "x w", "y", pads=[1, 1, 1, 1])
    onnx_file.model(folder / "m.onnx", [conv], {"x": (1, 16, 28, 28)}, ("y",), weights)
    write_model(convert(load("onnx", folder / "m.onnx")), folder / "m.pb", folder / "m.data")
    _by_engine(folder, "--tune=500", "--tuning_file=FOLDER/t")


FORMATS: dict[str, Format] = {
    "ONNX": Format(_onnx, ("m.onnx",), _init("m.onnx")),
    "TFLite": Format(_tflite, ("m.tflite",), _init("m.tflite")),
    "GraphDef": Format(_copy(DIGITS / "digits.pb", "m.pb"), ("m.pb",), _init("m.pb")),
    "Caffe": Format(_caffe, ("net.prototxt", "net.caffemodel"), _init("net.prototxt")),
    "GGUF": Format(_gguf, ("m.gguf",), _init("m.gguf")),
    "safetensors": Format(
        _checkpoint, ("config.json", "model.safetensors.index.json",
                      "model-00001-of-00002.safetensors"), _init("")),
    "tokenizer": Format(_tokenizer, ("tokenizer.json",), ("tokenizer", "FOLDER/tokenizer.json")),
    "deployment file": Format(_deployment, ("m.yml",), ("check", "--config=FOLDER/m.yml")),
    "MACE model": Format(_converted, ("m.pb",), RUN, by_engine=True),
    "weights": Format(_converted, ("m.data",), (*RUN, "--no_checksum"), by_engine=True),
    ".npy": Format(_converted, ("x.npy",), (*RUN, "--input=input=FOLDER/x.npy"), by_engine=True),
    "packed model": Format(_packed, ("p.pb", "p.data"),
                           ("--model_file=FOLDER/p.pb", "--no_checksum",
                            "--model_data_file=FOLDER/p.data"), by_engine=True),
    "tuning": Format(_tuning, ("t",), (*RUN, "--tune=1", "--tuning_file=FOLDER/t"),
                     by_engine=True),
}
