"""Converted models that tests of the Python and Java packages run.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from consumers import DIGITS, VERSES
from PIL import Image

from mace_tools import cli
from mace_tools.support.protos import mace
from mace_tools.testing import onnx_file
from mace_tools.testing.onnx_file import node
from mace_tools.testing.tflite_file import Maker

CONFIG = """\
library_name: {name}
target_abis: [host]
build_type: proto
models:
  {name}:
    platform: {platform}
    model_file_path: {path}
    model_sha256_checksum: {checksum}
    runtime: cpu
    subgraphs:
      - input_tensors: {inputs}
        input_shapes: {input_shapes}
        output_tensors: {outputs}
        output_shapes: {output_shapes}
"""
SCALE, ZERO = 0.1, 3  # of the quantized model's input and output


def digits(folder: Path) -> Path:
    """The .pb of the bundled model; its .data is beside it."""
    return _converted(folder, (DIGITS / "digits_onnx.yml").read_text().replace(
        "models/digits/", f"{DIGITS}/").replace("digits_onnx:", "digits:"), "digits_onnx", "digits")


def verses(folder: Path) -> Path:
    """The bundled language model."""
    return _converted(folder, (VERSES / "verses.yml").read_text().replace(
        "models/verses", str(VERSES)), "verses", "verses")


def quantized(folder: Path) -> Path:
    """relu(x) on int8 values."""
    m = Maker()
    m.tensor("x", (1, 4), "int8", None, SCALE, ZERO)
    m.tensor("y", (1, 4), "int8", None, SCALE, ZERO)
    m.op("RELU", ["x"], ["y"])
    return _model(folder, "quantized", "tflite", m.save(folder, ["x"], ["y"]), "x", "1,4", "y",
                  "1,4")


def slow(folder: Path) -> Path:
    """A model that runs for seconds: twenty convolutions of 512 channels."""
    weights = np.full((512, 512, 3, 3), 1e-4, np.float32)
    steps = [node("Conv", f"{'x' if k == 0 else f'c{k}'} w", f"c{k + 1}", kernel_shape=[3, 3],
                  pads=[1, 1, 1, 1]) for k in range(20)]
    path = onnx_file.model(folder / "slow.onnx", steps, {"x": (1, 512, 112, 112)}, ["c20"],
                           {"w": weights})
    return _model(folder, "slow", "onnx", path, "x", "1,512,112,112", "c20", "1,512,112,112")


def wide(folder: Path) -> Path:
    """A convolution that is large enough for a GPU; its outputs are about 1."""
    path = onnx_file.model(folder / "wide.onnx", [
        node("Conv", "x w", "y", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    ], {"x": (1, 16, 64, 64)}, ["y"], {"w": np.full((32, 16, 3, 3), 1 / 144, np.float32)})
    return _model(folder, "wide", "onnx", path, "x", "1,16,64,64", "y", "1,32,64,64")


def two(folder: Path) -> Path:
    """sum = a + b, difference = a - b."""
    path = onnx_file.model(folder / "two.onnx", [
        node("Add", "a b", "sum"), node("Sub", "a b", "difference"),
    ], {"a": (2, 3), "b": (2, 3)}, ["sum", "difference"], {})
    return _model(folder, "two", "onnx", path, "[a, b]", "[[2,3], [2,3]]", "[sum, difference]",
                  "[[2,3], [2,3]]")


def waiting(folder: Path) -> Path:
    """The indices of the elements that are not 0, whose number the data say: its plan waits."""
    path = onnx_file.model(folder / "waiting.onnx", [
        node("NonZero", "x", "places"), node("Cast", "places", "y", to=1),
    ], {"x": (2, 3)}, ["y"], {})
    return _model(folder, "waiting", "onnx", path, "x", "2,3", "y", "2,6")


def like(path: Path, name: str, change: Callable[[Any], None]) -> Path:
    """A copy of a model, beside it, whose graph is changed."""
    net = mace().NetDef.FromString(path.read_bytes())
    change(net)
    net.ClearField("graph_xxh3")
    copy = path.with_name(f"{name}.pb")
    copy.write_bytes(net.SerializeToString())
    shutil.copyfile(path.with_suffix(".data"), copy.with_suffix(".data"))
    return copy


def indices(folder: Path) -> Path:
    """The place of the largest value, as an integer."""
    path = onnx_file.model(folder / "indices.onnx", [node("ArgMax", "x", "y", axis=1)],
                           {"x": (1, 4)}, ["y"], {})
    return _model(folder, "indices", "onnx", path, "x", "1,4", "y", "1,1")


def counter(folder: Path) -> Path:
    """y = 2 x + v, and v, a state that begins as [10, 20], becomes v + x."""
    m, once = Maker(), Maker()
    for maker, name in ((m, "handle"), (once, "of_it")):
        maker.tensor(name, (), "resource")
        maker.op("VAR_HANDLE", [], [name], "VarHandleOptions", Container="", SharedName="v")
    once.const("first", np.float32([10, 20]))
    once.op("ASSIGN_VARIABLE", ["of_it", "first"], [], "AssignVariableOptions")
    m.more.append((once, [], []))
    m.tensor("x", (2,))
    m.op("CALL_ONCE", [], [], "CallOnceOptions", InitSubgraphIndex=1)
    for name in ("old", "new", "sum", "y"):
        m.tensor(name, (2,))
    m.op("READ_VARIABLE", ["handle"], ["old"], "ReadVariableOptions")
    m.op("ADD", ["old", "x"], ["new"], "AddOptions")
    m.op("ASSIGN_VARIABLE", ["handle", "new"], [], "AssignVariableOptions")
    m.op("READ_VARIABLE", ["handle"], ["sum"], "ReadVariableOptions")
    m.op("ADD", ["sum", "x"], ["y"], "AddOptions")
    return _model(folder, "counter", "tflite", m.save(folder, ["x"], ["y"]), "x", "2", "y", "2")


def own(folder: Path) -> Path:
    """y = Scaled(x, w) + x, where com.acme.Scaled is an op of the app."""
    path = onnx_file.model(folder / "own.onnx", [
        node("Scaled", "x w", "s", "scaled", "com.acme", factor=2.5, words="ab", steps=[3, 4]),
        node("Add", "s x", "y"),
    ], {"x": (1, 2, 3, 4)}, ["y"], {"w": np.float32([1, 2, 3, 4])})
    return _model(folder, "own", "onnx", path, "x", "1,2,3,4", "y", "1,2,3,4",
                  "    allow_custom_ops: [com.acme.Scaled]\n")


def _model(folder: Path, name: str, platform: str, path: Path, inputs: str, input_shapes: str,
           outputs: str, output_shapes: str, more: str = "") -> Path:
    text = CONFIG.format(name=name, platform=platform, path=path, inputs=inputs,
                         checksum=hashlib.sha256(path.read_bytes()).hexdigest(),
                         input_shapes=input_shapes, outputs=outputs, output_shapes=output_shapes)
    text = text.replace("    subgraphs:\n", f"{more}    subgraphs:\n")
    return _converted(folder, text, name, name)


def _converted(folder: Path, text: str, library: str, tag: str) -> Path:
    file = folder / f"{tag}.yml"
    file.write_text(text)
    assert cli.main(["convert", f"--config={file}", f"--output={folder / 'build'}"]) == 0
    return folder / "build" / library / "model" / f"{tag}.pb"


def pixels(digit: int) -> np.ndarray:
    """The input of the digits model."""
    picture = np.asarray(Image.open(DIGITS / "images" / f"{digit}.png").convert("L"), np.float32)
    return (picture / np.float32(255)).reshape(1, 1, 8, 8)
