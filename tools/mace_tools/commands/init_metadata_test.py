"""Tests of init with the metadata that TFLite models carry.

SPDX-License-Identifier: Apache-2.0
"""

import io
import re
import zipfile

import flatbuffers
import numpy as np
import pytest

from mace_tools import cli
from mace_tools.config.load import load
from mace_tools.convert.importers.tflite import metadata
from mace_tools.testing.tflite_file import Maker, offsets

LABELS = "cat\ndog\nbird\n"


def _table(b, fields):
    """A table with these fields, by number: ("u1", value) or an offset."""
    b.StartObject(max(fields, default=-1) + 1)
    for number, value in fields.items():
        if isinstance(value, tuple):
            b.PrependInt8Slot(number, value[1], 0)
        else:
            b.PrependUOffsetTRelativeSlot(number, value, 0)
    return b.EndObject()


def described(mean=(127.5,), std=(127.5,), labels="labels.txt"):
    """The buffer TFLITE_METADATA of a model with an image and scores."""
    b = flatbuffers.Builder()
    numbers = [b.CreateNumpyVector(np.float32(v)) for v in (mean, std)]
    options = _table(b, dict(enumerate(numbers)))
    units = offsets(b, [_table(b, {0: ("u1", 1), 1: options})])
    image = _table(b, {0: ("u1", 1)})
    content = _table(b, {0: ("u1", 2), 1: image})
    name = b.CreateString("image")
    picture = _table(b, {0: name, 3: content, 4: units})
    file = b.CreateString(labels)
    files = offsets(b, [_table(b, {0: file, 2: ("u1", 2)})])
    scores = _table(b, {6: files})
    inputs, outputs = offsets(b, [picture]), offsets(b, [scores])
    graphs = offsets(b, [_table(b, {2: inputs, 3: outputs})])
    b.Finish(_table(b, {3: graphs}), b"M001")
    return bytes(b.Output())


def model(folder, buffer=None, files=None, channels=3):
    m = Maker()
    m.tensor("picture", (1, 4, 5, channels))
    w = m.const("w", np.ones((3, 20 * channels), np.float32))
    m.tensor("scores", (1, 3))
    m.op("FULLY_CONNECTED", ["picture", w], ["scores"], "FullyConnectedOptions")
    m.metadata["TFLITE_METADATA"] = described() if buffer is None else buffer
    path = m.save(folder, ["picture"], ["scores"])
    packed = io.BytesIO(path.read_bytes())
    with zipfile.ZipFile(packed, "a") as archive:
        for name, text in (files if files is not None else {"labels.txt": LABELS}).items():
            archive.writestr(name, text)
    path.write_bytes(packed.getvalue())
    return path


def test_normalization_and_labels_are_taken_over(tmp_path, capsys):
    path, yml = model(tmp_path), tmp_path / "m.yml"
    assert cli.main(["init", str(path), f"--output={yml}"]) == 0
    found, = load(yml).library.models.values()
    assert found.preprocess.resize == (4, 5) and found.preprocess.channels == "rgb"
    assert found.preprocess.mean == (127.5,)
    assert found.preprocess.scale == pytest.approx((1 / 127.5,))
    assert (tmp_path / "model_labels.txt").read_text() == LABELS
    assert found.labels == str(tmp_path / "model_labels.txt")
    assert "trained with" not in yml.read_text()
    yml.unlink()
    assert cli.main(["init", str(path), f"--output={yml}"]) == 0  # the same labels again
    yml.unlink()
    (tmp_path / "model_labels.txt").write_text("mine")
    assert cli.main(["init", str(path), f"--output={yml}"]) == 1
    assert "model_labels.txt is there already, with other contents" in capsys.readouterr().err
    assert (tmp_path / "model_labels.txt").read_text() == "mine" and not yml.exists()


def test_numbers_for_each_channel(tmp_path, capsys):
    path = model(tmp_path, described((120.5, 115, 100), (58, 57, 57.5)))
    assert cli.main(["init", str(path)]) == 0
    captured = capsys.readouterr()
    assert "mean: [120.5, 115.0, 100.0], scale: [0.0172413793, 0.0175438596, 0.0173913043]" in (
        captured.out)
    assert "with --output=YML they are written beside it" in captured.err


@pytest.mark.parametrize("buffer, files, note", [
    (described(), {}, "names 'labels.txt', which is not in the file|cannot be read"),
    (b"\xff\xff\xff\x7fM001" + bytes(8), None, "its metadata is left out: .*at the metadata"),
    (b"damaged?", None, "its identifier is b'ged[?]'"),
    (described()[:60], None, "its metadata is left out"),
])
def test_damaged_metadata_is_left_out_with_a_warning(tmp_path, capsys, buffer, files, note):
    path = model(tmp_path, buffer, files)
    assert cli.main(["init", str(path)]) == 0
    captured = capsys.readouterr()
    assert re.search(note, captured.err), captured.err
    assert "\n    labels:" not in captured.out


@pytest.mark.parametrize("mean, std", [((0,), (0,)), ((np.nan,), (1,)), ((1, 2), (1, 2)), ((), ())])
def test_numbers_that_cannot_be_meant(tmp_path, capsys, mean, std):
    path = model(tmp_path, described(mean, std))
    assert cli.main(["init", str(path)]) == 0
    assert "\n    preprocess:" not in capsys.readouterr().out


def test_mutated_metadata_is_never_another_error(tmp_path):
    whole, rng = described(), np.random.default_rng(8)
    for _ in range(300):
        data = bytearray(whole)
        for at in rng.integers(0, len(data), 3):
            data[at] = rng.integers(0, 256)
        metadata.read(model(tmp_path, bytes(data)))

