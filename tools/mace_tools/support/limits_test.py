"""Tests of bounds on files of unknown origin.

SPDX-License-Identifier: Apache-2.0
"""

import os
import resource
import socket
import zipfile

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.config.problems import ConfigError
from mace_tools.config.yaml_file import MAX_ALIASES, YamlFile
from mace_tools.convert import importers
from mace_tools.run import input_data
from mace_tools.run.preprocess import _pixels
from mace_tools.support import limits
from mace_tools.support.errors import MaceError, ModelError
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.limits import BadArchive, open_archive, open_file, read_bytes
from mace_tools.support.model_format import detect
from mace_tools.testing.onnx_file import model as onnx_model
from mace_tools.testing.onnx_file import node


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("kind, reason", [
    ("fifo", "a FIFO, not a regular file"), ("device", "a device, not"),
    ("socket", "No such device"), ("folder", "Is a directory")])
def test_only_regular_files_are_opened(tmp_path, pipe, kind, reason):
    path = {"fifo": pipe, "device": "/dev/zero", "folder": tmp_path}.get(kind)
    if kind == "socket":
        path = tmp_path / "socket"
        socket.socket(socket.AF_UNIX).bind(str(path))
    for read in (open_file, read_bytes):
        with pytest.raises(OSError, match=reason):
            read(path)
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(OSError, match=reason):
        open_file(link)


def test_sparse_files_are_refused_before_they_are_read(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 42)
    with pytest.raises(OSError, match="it has 4398046511104 bytes, and at most"):
        read_bytes(path)


@pytest.mark.parametrize("platform, name", [
    ("onnx", "m.onnx"), ("tensorflow", "m.pb"), ("tflite", "m.tflite"), ("caffe", "m.prototxt"),
    ("keras", "m.keras"), ("keras", "m.h5"), ("pytorch", "m.pt2")])
@pytest.mark.parametrize("kind", ["fifo", "sparse"])
def test_no_importer_waits_or_fills_the_memory(tmp_path, platform, name, kind):
    path = tmp_path / name
    if kind == "fifo":
        os.mkfifo(path)
    else:
        with path.open("wb") as file:
            file.truncate(1 << 42)
    with pytest.raises(ModelError):
        importers.read(platform, path)
    assert cli.main(["init", str(path)]) in (ExitCode.ERROR, ExitCode.BAD_MODEL)


def test_other_readers_do_not_wait(pipe):
    assert detect(pipe) is None
    with pytest.raises(MaceError, match="not a whole .npy file .*a FIFO"):
        input_data.read_npy(pipe, "input")
    with pytest.raises(MaceError, match="the image is damaged .*a FIFO"):
        _pixels(pipe, None, "input")
    with pytest.raises(ConfigError, match="the deployment file is not a regular file"):
        YamlFile(pipe)


def test_external_data_that_is_a_fifo_or_claims_too_much(tmp_path, pipe):
    path = tmp_path / "m.onnx"
    values = np.ones((2, 3), np.float32)
    onnx_model(path, [node("Add", "x w", "y")], {"x": (2, 3)}, ["y"], {"w": values})
    import onnx

    loaded = onnx.load(path)
    weight = loaded.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.ClearField("float_data")
    weight.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", "pipe"), ("offset", "0")):
        weight.external_data.add(key=key, value=value)
    path.write_bytes(loaded.SerializeToString())
    with pytest.raises(ModelError, match="a FIFO, not a regular file"):
        importers.read("onnx", path)
    pipe.unlink()
    with pipe.open("wb") as file:
        file.truncate(1 << 42)
    with pytest.raises(ModelError, match=r"'w' \[2, 3\] needs 24 bytes, the file says 439804"):
        importers.read("onnx", path)


def test_arrays_that_claim_more_than_they_hold(tmp_path):
    path = tmp_path / "x.npy"
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False,
                                                    "shape": (1 << 40,)})
        file.write(bytes(64))
    with pytest.raises(MaceError, match=r"needs 4398046511104 bytes, and it has 64"):
        input_data.read_npy(path, "input")


def test_archives_are_bounded_by_their_size_and_by_memory(tmp_path, monkeypatch):
    path = tmp_path / "m.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("zeros", bytes(20 << 20))
    with pytest.raises(BadArchive, match="unpacks to 20971520; at most 16777216 are unpacked"):
        with open_archive(path):
            pass
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("zeros", bytes(1 << 20))
    with open_archive(path) as archive:
        assert archive.read("zeros") == bytes(1 << 20)
    monkeypatch.setattr(limits, "memory_limit", lambda: 1 << 20)
    with pytest.raises(BadArchive, match="at most 524288 are unpacked"):
        with open_archive(path):
            pass
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadArchive, match="no sound zip archive"):
        with open_archive(path):
            pass


@pytest.mark.parametrize("nodes, constants", [
    ([node("BlackmanWindow", "n", "c"), node("Add", "x c", "y")], {"n": np.int64(1 << 40)}),
    ([node("ConstantOfShape", "s", "c"), node("EyeLike", "c", "e"), node("Add", "x e", "y")],
     {"s": np.int64([1 << 20, 1 << 20])})])
def test_what_a_few_bytes_ask_for_is_bounded_by_the_memory(tmp_path, nodes, constants):
    path = onnx_model(tmp_path / "m.onnx", nodes, {"x": (1,)}, ["y"], constants, opset=17)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(ModelError, match=f"{nodes[-2].op_type} .*MemoryError: Unable to allocate"):
        importers.load("onnx", path, {"x": (1,)}, ["y"])
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def bomb(levels, width):
    lines = ["a0: &a0 x"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * width)}]" for k in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize("text, reason", [
    (bomb(9, 10), r"its aliases stand for \d+ values; at most 30000 are read"),
    ("a: &a x\nb: [" + ", ".join(["*a"] * (MAX_ALIASES + 1)) + "]", r":2: .*than 10000 aliases"),
    ("a: [" + ", ".join(f"n{k}" for k in range(50_000)) + "]", ":1: .*more than 20000 values"),
])
def test_yaml_bombs(tmp_path, text, reason):
    path = tmp_path / "m.yml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=reason):
        YamlFile(path)


def test_aliases_that_people_write(tmp_path):
    path = tmp_path / "m.yml"
    path.write_text("base: &base {a: 1}\nb: *base\nc: {<<: *base, d: [*base, *base]}\n")
    assert YamlFile(path).data["c"]["a"] == 1
