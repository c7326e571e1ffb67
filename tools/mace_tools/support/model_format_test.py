"""Model files are told apart by what they hold, every pair of them.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import itertools
import zipfile

import numpy as np
import pytest

from mace_tools.config.load import load
from mace_tools.config.problems import ConfigError
from mace_tools.convert import emit
from mace_tools.convert.importers.tensorflow.reader import PROTO as TF_PROTO
from mace_tools.graph.ir import Graph
from mace_tools.support import model_format as formats
from mace_tools.support import protos
from mace_tools.support.model_format import detect
from mace_tools.support.protos import REPO

DIGITS = REPO / "models" / "digits"


def field(number, contents):
    """A field of bytes, or of a whole number below 128."""
    if isinstance(contents, int):
        return varint(number << 3) + varint(contents)
    return varint(number << 3 | 2) + varint(len(contents)) + contents


def varint(value):
    head = b""
    while value > 127:
        head, value = head + bytes([value & 127 | 128]), value >> 7
    return head + bytes([value])


def graph_def():
    graph = protos.load(TF_PROTO).GraphDef()
    graph.node.add(name="x", op="Placeholder")
    graph.node.add(name="v", op="VarHandleOp")
    return graph


def archive(path, *names):
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, "x")


def meta_graph():
    return field(1, field(4, b"serve") + field(5, b"2.18")) + field(2, graph_def()
                                                                   .SerializeToString())


def caffe(number):
    return field(1, b"net") + field(number, field(1, b"conv1") + field(2, b"Convolution"))


TEXTS = {
    "net.prototxt": ('name: "LeNet" # of 1998\nlayer {\n  name: "data"\n  type: "Input"\n}\n',
                     formats.CAFFE_NET),
    "old.prototxt": ("input: 'data'\nlayers {\n  type: CONVOLUTION\n}\n", formats.CAFFE_NET),
    "graph.pbtxt": ('node {\n  name: "x"\n  op: "Placeholder"\n}\n', formats.TENSORFLOW),
    "lfs.onnx": ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
                 formats.LFS),
    "page.onnx": ("<!DOCTYPE html>\n<html>", formats.HTML),
    "net.param": ("7767517\n75 83\nInput data 0 1 data\n", formats.NCNN),
    "notes.txt": ("layers of types: none\n", None),
}
BINARIES = {
    "saved_model.pb": (lambda: field(1, 1) + field(2, meta_graph()), formats.SAVED_MODEL),
    "model.meta": (meta_graph, formats.META_GRAPH),
    "model.index": (lambda: bytes(40) + bytes.fromhex("57fb808b247547db"), formats.CHECKPOINT),
    "variables.pb": (lambda: graph_def().SerializeToString(), formats.TENSORFLOW),
    "a.caffemodel": (lambda: caffe(100), formats.CAFFE_WEIGHTS),
    "m.h5": (lambda: b"\x89HDF\r\n\x1a\n" + bytes(100), formats.KERAS_H5),
    "m.pth": (lambda: formats.TORCH_MAGIC + bytes(10), formats.TORCH_OLD),
    "m.gguf": (lambda: b"GGUF" + bytes(20), formats.GGUF),
    "m.safetensors": (lambda: bytes([60]) + bytes(7) + b'{"w":{"dtype":"F32","shape":[1],'
                              b'"data_offsets":[0,4]}}     ' + bytes(4), formats.SAFETENSORS),
    "m.gz": (lambda: b"\x1f\x8b\x08" + bytes(20), formats.GZIP),
    "m.tar": (lambda: bytes(257) + b"ustar" + bytes(300), formats.TAR),
    "noise": (lambda: np.random.default_rng(0).bytes(5000), None),
    "zeros": (lambda: bytes(5000), None),
    "empty": (lambda: b"", None),
}
ARCHIVES = {
    "m.pt": (("m/data.pkl", "m/version"), formats.TORCH),
    "script.pt": (("m/data.pkl", "m/code/__torch__.py", "m/constants.pkl"), formats.TORCH_SCRIPT),
    "m.pt2": (("m/archive_format", "m/models/model.json"), formats.TORCH_PROGRAM),
    "compiled.pt2": (("m/archive_format", "m/data/aotinductor/model/c.wrapper.so"),
                     formats.TORCH_COMPILED),
    "m.keras": (("metadata.json", "config.json", "model.weights.h5"), formats.KERAS),
    "m.npz": (("a.npy",), formats.NUMPY),
    "m.zip": (("model.onnx",), formats.ZIP),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file of every format, with the format."""
    folder = tmp_path_factory.mktemp("formats")
    found = {DIGITS / "digits.onnx": formats.ONNX, DIGITS / "digits.pb": formats.TENSORFLOW,
             DIGITS / "digits.tflite": formats.TFLITE,
             DIGITS / "images" / "3.png": formats.PICTURE}
    for name, (text, kind) in TEXTS.items():
        (folder / name).write_text(text)
        found[folder / name] = kind
    for name, (contents, kind) in BINARIES.items():
        (folder / name).write_bytes(contents())
        found[folder / name] = kind
    for name, (names, kind) in ARCHIVES.items():
        archive(folder / name, *names)
        found[folder / name] = kind
    checkpoint = folder / "checkpoint"
    checkpoint.mkdir()
    for name in ("config.json", "model.safetensors"):
        (checkpoint / name).write_text("{}")
    found[checkpoint] = formats.CHECKPOINT_FOLDER
    genai = folder / "genai"
    genai.mkdir()
    for name in ("genai_config.json", "model.onnx"):
        (genai / name).write_text("{}")
    found[genai] = formats.GENAI_FOLDER
    old = folder / "old.caffemodel"
    old.write_bytes(caffe(2))
    np.save(folder / "a.npy", np.zeros(3))
    found |= {folder / "a.npy": formats.NUMPY, folder: formats.SAVED_MODEL}
    graph = Graph("m")
    graph.add_input("x", "f32", (1, 4), "NONE")
    graph.add("FullyConnected", ["x", graph.add_const("w", np.ones((2, 4), np.float32))],
              ["y"], "y")
    graph.outputs.append("y")
    emit.write_model(graph, folder / "m.pb", folder / "m.data")
    found |= {folder / "m.pb": formats.MACE_GRAPH, folder / "m.data": formats.MACE_WEIGHTS}
    found[old] = formats.CAFFE_OLD_WEIGHTS
    return found


def test_every_format_is_known(files):
    assert {path.name: detect(path) for path in files} == {p.name: k for p, k in files.items()}


def test_every_kind_is_tested(files):
    kinds = {v for v in vars(formats).values() if isinstance(v, formats.Kind)}
    assert kinds - set(files.values()) == {formats.ONNX_TENSOR}


def test_a_tensor_is_not_a_model(tmp_path):
    tensor = protos.load(REPO / "tools/mace_tools/convert/importers/onnx/onnx.proto").TensorProto(
        dims=[2], data_type=1, name="t", raw_data=bytes(8))
    (tmp_path / "t.pb").write_bytes(tensor.SerializeToString())
    assert detect(tmp_path / "t.pb") is formats.ONNX_TENSOR


@pytest.mark.parametrize("fmt", ["onnx", "pb", "tflite"])
def test_the_beginning_of_a_model_is_enough(tmp_path, fmt):
    whole = (DIGITS / f"digits.{fmt}").read_bytes()
    for size in (len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut").write_bytes(whole[:size])
        assert detect(tmp_path / "cut") is detect(DIGITS / f"digits.{fmt}")


def test_damaged_files_are_looked_at_to_the_end(tmp_path):
    """Nothing but a kind or None comes of any bytes."""
    rng = np.random.default_rng(1)
    for fmt, _ in itertools.product(("onnx", "pb", "tflite"), range(40)):
        data = bytearray((DIGITS / f"digits.{fmt}").read_bytes()[: int(rng.integers(8, 2000))])
        for at in rng.integers(0, len(data), 4):
            data[at] = int(rng.integers(0, 256))
        (tmp_path / "m").write_bytes(data)
        detect(tmp_path / "m")


@pytest.mark.parametrize("platform", ["onnx", "tensorflow", "tflite"])
def test_a_deployment_file_with_another_platform_is_refused(tmp_path, files, platform):
    for path, kind in files.items():
        if kind is None or path.is_dir():
            continue
        sha = hashlib.sha256(path.read_bytes()).hexdigest()
        deployment = tmp_path / "d.yml"
        deployment.write_text(
            "library_name: l\ntarget_abis: [host]\nmodels:\n  m:\n"
            f"    platform: {platform}\n    model_file_path: {path}\n"
            f"    model_sha256_checksum: {sha}\n    runtime: cpu\n    subgraphs:\n"
            "      - {input_tensors: x, input_shapes: '1,4', output_tensors: y}\n")
        if kind.platform == platform:
            load(deployment)
            continue
        with pytest.raises(ConfigError) as caught:
            load(deployment)
        text = str(caught.value)
        assert f"'{path}' holds {kind.name}, " in text
        if kind.platform and not kind.cure:
            assert "d.yml:5: models.m.platform" in text
            assert text.endswith(f"example: platform: {kind.platform}")
        else:
            assert f"d.yml:6: models.m.model_file_path: '{path}'" in text
            assert text.endswith(f"which cannot be converted; {kind.cure}")


def test_a_saved_model_is_a_folder_with_a_checksum(tmp_path, files):
    saved = next(p for p, kind in files.items() if p.is_dir() and kind is formats.SAVED_MODEL)
    deployment = tmp_path / "d.yml"

    def check(folder, sha, platform="tensorflow"):
        deployment.write_text(
            f"library_name: l\ntarget_abis: [host]\nmodels:\n  m:\n    platform: {platform}\n"
            f"    model_file_path: {folder}\n    model_sha256_checksum: {sha}\n"
            "    runtime: cpu\n    subgraphs:\n"
            "      - {input_tensors: x, input_shapes: '1,4', output_tensors: y}\n")
        load(deployment)

    model = tmp_path / "saved"
    (model / "variables").mkdir(parents=True)
    (model / "saved_model.pb").write_bytes((saved / "saved_model.pb").read_bytes())
    (model / "variables" / "variables.index").write_bytes(b"1")
    digests = [hashlib.sha256((model / name).read_bytes()).hexdigest() + f"  {name}\n"
               for name in ("saved_model.pb", "variables/variables.index")]
    sha = hashlib.sha256("".join(digests).encode()).hexdigest()
    check(model, sha)
    check(model / "saved_model.pb", sha)
    with pytest.raises(ConfigError, match="TensorFlow SavedModel, not what platform: onnx"):
        check(model, sha, "onnx")
    (model / "variables" / "variables.index").write_bytes(b"2")
    with pytest.raises(ConfigError, match="has another checksum"):
        check(model, sha)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="is not a file"):
        check(tmp_path / "empty", sha)
