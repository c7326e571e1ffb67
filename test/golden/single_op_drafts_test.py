"""What `init` promises of a draft holds, over models of one operator each, of every format.

SPDX-License-Identifier: Apache-2.0

A draft converts if `init` says that it runs, and is refused if `init` says that it is to be changed
or filled in.
"""

import itertools
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from golden import data_folder

from mace_tools import cli
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing import caffe_cases, onnx_cases, onnx_nodes, tflite_cases

MIN = {"tflite": 300, "onnx": 150, "caffe": 40, "onnx_nodes": 600, "tensorflow": 100}


def tflite(folder: Path) -> Iterator[Path]:
    for k, case in enumerate(tflite_cases.CASES):
        m, feeds, outputs = case.model()
        path = folder / f"{k}_{case.op}.tflite"
        path.write_bytes(m.bytes(list(feeds), outputs))
        yield path


def onnx(folder: Path) -> Iterator[Path]:
    for op, case in onnx_cases.CASES.items():
        yield onnx_cases.save(folder / f"{op}.onnx", op, case)


def caffe(folder: Path) -> Iterator[Path]:
    for kind, cases in caffe_cases.CASES.items():
        for k, case in enumerate(cases):
            place = folder / f"{kind}_{k}"
            place.mkdir()
            yield caffe_cases.save(place, kind, case)


def of_archive(folder: Path) -> Iterator[Path]:
    """ONNX's node tests."""
    archive = data_folder(*Path(onnx_nodes.ARCHIVE).parts)
    yield from sorted(onnx_nodes.unpack(archive, folder).glob("*/model.onnx"))


def of_vectors(folder: Path) -> Iterator[Path]:
    """The graphs of TensorFlow's operators."""
    with tarfile.open(data_folder("models", "tensorflow", "op_vectors.tar.gz")) as archive:
        archive.extractall(folder)
    yield from sorted(folder.glob("*/*/*.pb"))


@pytest.mark.parametrize("kind, models", [
    pytest.param("tflite", tflite, marks=pytest.mark.deep),
    pytest.param("onnx", onnx, marks=pytest.mark.full),
    pytest.param("caffe", caffe, marks=pytest.mark.full),
    pytest.param("onnx_nodes", of_archive, marks=pytest.mark.deep),
    pytest.param("tensorflow", of_vectors, marks=pytest.mark.deep),
])
def test_promises_hold(kind, models, tmp_path, monkeypatch, capfd):
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path)
    broken, kept = [], 0
    for model, k in zip(models(tmp_path / "models"), itertools.count()):
        draft = f"{k}.yml"
        code = cli.main(["init", str(model), f"--output={draft}", "--model_name=m"])
        message = capfd.readouterr().err
        if code != ExitCode.OK:
            broken.append(f"{model}: init: {message}")
            continue
        promised = "converts and runs the model" in message
        code = cli.main(["convert", f"--config={draft}", "--output=b", "--force"])
        message = capfd.readouterr().err
        kept += promised
        if (code == ExitCode.OK) != promised:
            broken.append(f"{model}: {'promised' if promised else 'not promised'}: {message}")
    assert not broken, "\n".join(broken)
    assert kept >= MIN[kind]
