"""quantize and quantize: from the deployment file to answers, and what bad samples get.

SPDX-License-Identifier: Apache-2.0
"""

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from mace_tools import cli
from mace_tools.commands import quantize_model
from mace_tools.config.sections import Quantize
from mace_tools.run import runner
from mace_tools.support import protos
from mace_tools.support.console import Console
from mace_tools.testing.workplace import DIGITS


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    """A folder with the digits model, and the command line."""
    shutil.copytree(DIGITS, tmp_path / "models" / "digits")
    monkeypatch.chdir(tmp_path)
    mace_run = runner.find(Console(), None)

    def call(command, *arguments):
        code = cli.main([command, "--config=models/digits/digits_onnx.yml",
                         f"--mace_run={mace_run}", *arguments])
        out, err = capfd.readouterr()
        return code, out, " ".join(err.split())

    call.folder, call.images = tmp_path, tmp_path / "models" / "digits" / "images"
    call.made = tmp_path / "build" / "digits_onnx" / "quantized"
    call.config = tmp_path / "models" / "digits" / "digits_onnx.yml"
    return call


def test_a_report_and_a_model(place):
    code, out, err = place("quantize", f"--samples={place.images}", "--html=q.html",
                           "--json=q.json")
    assert code == 0, err
    assert "conv1/Conv2d" in out and "nodes compute int8" in out
    report = json.loads((place.folder / "q.json").read_text())["models"]["digits_onnx"]
    assert report["outputs"]["probabilities"]["similarity"] > 0.999
    net = protos.mace().NetDef.FromString((place.made / "digits_onnx.pb").read_bytes())
    assert protos.mace().DT_INT8 in {t.data_type for t in net.tensors}
    page = (place.folder / "q.html").read_text()
    assert "error along the network" in page
    quantized_convs = [op.name for op in net.op if op.type == "Conv2d" and op.output_quantization]
    assert any(f"values of {name}" in page for name in quantized_convs), quantized_convs


@pytest.mark.parametrize("device, given, wanted", [
    ("cpu", {}, True), ("cpu", {"float_ends": 0}, False), ("dsp", {}, False),
    ("dsp", {"float_ends": 1}, True)])
def test_first_and_last_layers_for_devices(device, given, wanted):
    """A DSP computes nothing in float32."""
    asked = Quantize.model_validate({"samples": "a", **given})
    model = SimpleNamespace(devices=(device,), quantize=asked)
    assert quantize_model.choices_of(model).float_ends == wanted


def test_the_same_seed_gives_the_same_files(place):
    first = []
    for _ in range(2):
        assert place("quantize", f"--samples={place.images}", "--num_samples=6", "--seed=3")[0] == 0
        first.append([(place.made / f"digits_onnx.{e}").read_bytes() for e in ("pb", "data")])
    assert first[0] == first[1]


def test_the_deployment_file_makes_every_command_use_it(place):
    text = place.config.read_text()
    place.config.write_text(text.replace(
        "    runtime: cpu\n", "    runtime: cpu\n    quantize: {samples: models/digits/images}\n"))
    for digit in (3, 8):
        code, out, err = place("run", f"--input={place.images / f'{digit}.png'}", "--validate")
        assert code == 0, err
        assert f"  1  {digit}  0." in out and "Similarity Test Passed" in out
    assert "converting" not in err  # the second time it is up to date
    (place.images / "new.png").write_bytes((place.images / "3.png").read_bytes())
    assert "converting digits_onnx" in place("convert")[2]


def wrong(place, *arguments):
    """The message of a call that fails, and leaves nothing."""
    code, _, err = place("quantize", *arguments)
    assert code not in (0, 70) and "internal" not in err, err
    assert not place.made.exists() and not list(place.folder.glob("build/**/*.pb"))
    return err


def test_bad_folders(place):
    empty = place.folder / "empty"
    empty.mkdir()
    assert "has no samples: give --samples" in wrong(place)
    assert f"samples: '{empty}' is empty" in wrong(place, f"--samples={empty}")
    assert "nowhere" in wrong(place, "--samples=nowhere")
    (empty / "notes.txt").write_text("no picture")
    assert "has no file of a sample" in wrong(place, f"--samples={empty}")
    (empty / "a.png").write_text("no picture")
    (empty / "b.npy").write_text("no array")
    message = wrong(place, f"--samples={empty}")
    assert "2 of 2 files cannot be used" in message and "a.png" in message and "b.npy" in message


def test_samples_that_show_nothing(place):
    folder = place.folder / "same"
    folder.mkdir()
    for k in range(3):
        shutil.copy(place.images / "1.png", folder / f"{k}.png")
    assert "all 3 samples are equal" in wrong(place, f"--samples={folder}")
    for k in range(3):
        Image.new("L", (8, 8), 40 * k).save(folder / f"{k}.png")
    assert "the same number everywhere" in wrong(place, f"--samples={folder}")


def test_arrays_of_several_samples_and_of_wrong_shapes(place):
    values = np.random.default_rng(0).uniform(size=(9, 1, 8, 8)).astype(np.float32)
    np.save(place.folder / "many.npy", values)
    assert place("quantize", "--samples=many.npy")[0] == 0
    shutil.rmtree(place.folder / "build")
    np.save(place.folder / "many.npy", values[:, 0])
    assert "has the shape [9, 8, 8], the model takes [1, 1, 8, 8]" in wrong(
        place, "--samples=many.npy")
    values[4, 0, 0, 0] = np.inf
    np.save(place.folder / "many.npy", values)
    assert "NaN or infinite" in wrong(place, "--samples=many.npy")


def test_bad_flags(place):
    samples = f"--samples={place.images}"
    assert "--percentile: '7.0' is not above 50" in wrong(place, samples, "--percentile=7")
    assert "no node 'conv9'" in wrong(place, samples, "--float_nodes=conv9")
    assert "budget 1e-15 cannot be met" in wrong(place, samples, "--accuracy_budget=1e-15")
