"""Keras models by the SavedModel that Keras exports of them, against Keras.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import subprocess
import sys
import zipfile

import h5py
import numpy as np
import pytest

from mace_tools.convert import exporters, importers, reference
from mace_tools.convert.exporters import keras_child
from mace_tools.convert.importers.keras import exported
from mace_tools.convert.importers.request import needed_inputs
from mace_tools.graph.run_io import first_values
from mace_tools.support.errors import ModelError
from mace_tools.testing.lazily import keras, tf


def compare(model, folder, batch=1, extent=5, **tolerance):
    """Exports a model, whose results are those of Keras."""
    rng = np.random.default_rng(0)
    feeds = []
    for t in model.inputs:
        shape = [batch if k == 0 else d or extent for k, d in enumerate(t.shape)]
        whole = "int" in str(t.dtype)
        x = rng.integers(0, 5, shape) if whole else rng.uniform(-1, 1, shape)
        feeds.append(x.astype(str(t.dtype)))
    want = keras_child._outputs(model, [tf.constant(x) for x in feeds])
    keras_child._export(tf, keras, model, folder)
    read = exported(folder)
    assert [read.signed(i) for i in read.inputs] == [t.name for t in model.inputs]
    outputs = [read.signed(o) for o in read.outputs]
    assert outputs == list(want)
    named = dict(zip([t.name for t in model.inputs], feeds))
    used = {read.signed(n): named[read.signed(n)] for n in needed_inputs(read, read.outputs)}
    graph = importers.translate("keras", read, {n: x.shape for n, x in used.items()}, outputs)
    assert graph.inputs[: len(used)] == list(used) and graph.outputs[: len(outputs)] == outputs
    got = reference.run(graph, used | first_values(graph))
    for name in outputs:
        value = np.asarray(tf.cast(want[name], tf.float32) if want[name].dtype == tf.bfloat16
                           else want[name])
        np.testing.assert_allclose(got[name], value, **{"rtol": 2e-5, "atol": 2e-6, **tolerance})
    return graph


def model_of(shape, *layers, **more):
    x = y = keras.Input(shape, name="x", **more)
    for layer in layers:
        y = layer(y)
    return keras.Model(x, y)


def two_of_one_shape():
    a, b = (keras.Input((6, 8), name=n) for n in ("first", "second"))
    return keras.Model([a, b], keras.layers.Subtract()([keras.layers.Activation("tanh")(b), a]))


def against_the_alphabet():
    z, a, m = (keras.Input((3,), name=n) for n in ("z", "a", "m"))
    return keras.Model([z, a, m], [a - 2.0 * z, m * 3.0])


def numbered():
    """Names of which keras_tensor_10 comes before keras_tensor_2, and so for outputs."""
    inputs = [keras.Input((2,)) for _ in range(12)]
    return keras.Model(inputs, [inputs[11] - inputs[0], *(i * float(k) for k, i in
                                                          enumerate(inputs))])


def by_dictionary():
    i = {"q": keras.Input((4,), name="one"), "p": keras.Input((4,), name="two")}
    return keras.Model(i, {"z": i["q"] - 2.0 * i["p"], "w": i["q"] * 2.0})


def named_alike():
    i = keras.Input((4,), name="x")
    return keras.Model(i, {"x": i * 2.0, "y": i * 3.0})


def nested():
    a, b = (keras.Input((4,), name=n) for n in "ab")
    inner = keras.Model([a, b], keras.layers.Subtract()([b, a]))
    c, d = (keras.Input((4,), name=n) for n in "cd")
    return keras.Model([c, d], inner([d, c]))


def unused():
    a, b = (keras.Input((4,), name=n) for n in "ab")
    return keras.Model([a, b], b * 2.0)


def repeated():
    i = keras.Input((4,), name="x")
    y = keras.layers.Dense(3)(i)
    return keras.Model(i, [y, y, i])


def built_later():
    model = keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(2)])
    model.build((None, 4))
    return model


def quick(cases, *of_the_quick_ring):
    """The cases; all but a few are of the full ring."""
    return [pytest.param(c, id=getattr(c, "__name__", c),
                         marks=() if c in of_the_quick_ring else pytest.mark.full) for c in cases]


@pytest.mark.parametrize("make", quick([
    two_of_one_shape, against_the_alphabet, numbered, by_dictionary, named_alike, nested, unused,
    repeated, built_later], two_of_one_shape, by_dictionary, repeated))
def test_inputs_and_outputs_are_those_of_the_model_in_its_order(tmp_path, make):
    compare(make(), tmp_path)


def layers():
    """Layers that TFLite lacks, that need a fixed batch there, or that keep something."""
    of = keras.layers
    rnn = {f"{kind}{number}": (shape, (of.Masking(), *made) if kind == "masked " else made)
           for kind in ("", "masked ")
           for number, (shape, made) in enumerate([
               ((7, 6), (of.LSTM(4),)),
               ((7, 6), (of.GRU(4, return_sequences=True),)),
               ((7, 6), (of.Bidirectional(of.LSTM(3)),)),
               ((None, 6), (of.SimpleRNN(4),))])}
    return {**rnn,
            "convlstm": ((3, 5, 6, 2), (of.ConvLSTM2D(3, 3),)),
            "softsign": ((4,), (of.Activation("softsign"),)),
            "identity": ((4,), (of.Activation("linear"),)),
            "bicubic": ((5, 6, 3), (of.UpSampling2D(2, interpolation="bicubic"),)),
            "volumes": ((4, 5, 6, 2), (of.MaxPooling3D(2),)),
            "dropout": ((4,), (of.Dropout(0.5), of.GaussianNoise(1.0))),
            "flip": ((5, 6, 3), (of.RandomFlip(),)),
            "shrunk": ((9, 11, 3), (of.Resizing(5, 7, interpolation="lanczos3", antialias=True),
                                    of.AutoContrast(value_range=(-1, 1)))),
            "bins": ((4,), (of.Discretization(bin_boundaries=[-0.5, 0.0, 0.5]),
                            of.CategoryEncoding(num_tokens=4, output_mode="count"))),
            "mel": ((2000,), (of.MelSpectrogram(fft_length=128, sequence_stride=64,
                                                num_mel_bins=8, sampling_rate=8000),)),
            "open": ((None, None, 3), (of.Conv2D(4, 3), of.GlobalAveragePooling2D()))}


LAYERS = [*(f"{kind}{number}" for kind in ("", "masked ") for number in range(4)), "convlstm",
          "softsign", "identity", "bicubic", "volumes", "dropout", "flip", "shrunk", "bins", "mel",
          "open"]


@pytest.mark.parametrize("name", quick(LAYERS, "0", "masked 1", "softsign", "open"))
def test_layers_compute_what_keras_does(tmp_path, name):
    shape, made = layers()[name]
    compare(model_of(shape, *made), tmp_path, batch=2)


@pytest.mark.parametrize("policy", quick(["mixed_float16", "mixed_bfloat16"], "mixed_float16"))
def test_mixed_precision(tmp_path, policy):
    of = keras.layers
    keras.utils.set_random_seed(0)
    model = model_of((6, 6, 3), of.Conv2D(4, 3, dtype=policy), of.BatchNormalization(dtype=policy),
                     of.GlobalAveragePooling2D(dtype=policy), of.Dense(2, dtype=policy))
    compare(model, tmp_path, rtol=0, atol=0.02)


def test_lookups_of_numbers(tmp_path):
    of = keras.layers
    i = keras.Input((6,), name="x", dtype="int64")
    table = of.IntegerLookup(vocabulary=[3, 5, 1, 4])
    counts = of.IntegerLookup(vocabulary=[3, 5, 1, 4], output_mode="count")
    compare(keras.Model(i, [table(i), counts(i)]), tmp_path, batch=3)


def test_open_extents_stay_open(tmp_path):
    keras_child._export(tf, keras, model_of((None, 4), keras.layers.Conv1D(2, 3)), tmp_path)
    model = exported(tmp_path)
    assert [info.shape for info in model.inputs.values()] == [(None, None, 4)]


def test_a_stateful_layer_keeps_its_state(tmp_path):
    model = model_of((3, 6), keras.layers.LSTM(5, stateful=True), batch_size=1)
    keras_child._export(tf, keras, model, tmp_path)
    read = exported(tmp_path)
    graph = importers.translate("keras", read, {"x": (1, 3, 6)}, ["output_0"])
    held = first_values(graph)
    assert len(held) == 2
    for x in np.random.default_rng(2).uniform(-1, 1, (3, 1, 3, 6)).astype(np.float32):
        found = reference.run(graph, {"x": x, **held})
        np.testing.assert_allclose(found["output_0"], np.asarray(model(x)), rtol=1e-5, atol=1e-6)
        held = {name: found[state.next] for name, state in graph.states.items()}


OLD = """
import json, h5py, keras
keras.Sequential([keras.Input((5, 4), name="x"), keras.layers.LSTM(3)]).save("old.h5")
with h5py.File("old.h5", "a") as file:
    file.attrs["keras_version"] = "2.15.0"
    config = json.loads(file.attrs["model_config"])
    config["config"]["layers"][1]["config"]["time_major"] = False
    file.attrs["model_config"] = json.dumps(config)
"""
# Stands in for Keras 2, which takes what it wrote.
STAND_IN = """
import json, h5py
from keras import *
def load_model(path, **options):
    assert options == {"compile": False, "safe_mode": True}
    with h5py.File(path, "a") as file:
        file.attrs["model_config"] = file.attrs["model_config"].replace(', "time_major": false', '')
    return saving.load_model(path, compile=False)
class models:
    load_model = staticmethod(load_model)
"""


@pytest.mark.full
def test_files_of_keras_2(tmp_path, monkeypatch):
    (tmp_path / "make.py").write_text(OLD)
    subprocess.run([sys.executable, "make.py"], cwd=tmp_path, check=True, capture_output=True)
    path = tmp_path / "old.h5"
    with pytest.raises(ModelError, match=r"Keras 2.15.0 wrote it, and Keras .* cannot load it "
                       r"\(ValueError: .*time_major.*\): run `.* -m pip install tf_keras`"):
        importers.read("keras", path)
    (tmp_path / "tf_keras.py").write_text(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    path.touch()
    assert list(importers.read("keras", path).inputs)
    answer = exporters.answer(exporters.export("keras", path))
    assert answer == {"inputs": ["x"], "outputs": ["output_0"]}


@pytest.mark.parametrize("config, message", [
    ({"layers": [{"class_name": "Lambda"}]}, "it has a Lambda layer, whose code"),
    ({"activation": {"class_name": "__lambda__"}}, "it has a Lambda layer, whose code"),
    ({"a": [{"module": "os", "class_name": "function"}]}, "names code of the module 'os'"),
    ({"class_name": "Lambda>x"}, None),
    ({"class_name": "mine>Lambda"}, "it has a Lambda layer"),
    ({"class_name": "function", "module": "keras.utils", "config": "get_file"}, "'keras.utils'"),
    ({"class_name": "function", "module": "keras.config"}, "the module 'keras.config'"),
    ({"class_name": "function", "module": "keras.src.saving"}, "the module 'keras.src.saving'"),
    ({"class_name": "X", "module": "keras.src.utils.file_utils"}, "the module 'keras.src.utils"),
    ({"class_name": "X", "module": "kerasx"}, "the module 'kerasx'"),
    ({"class_name": "__typespec__", "spec_name": "get_file"}, "would run or load code"),
    ({"class_name": "TorchModuleWrapper", "module": "keras.layers"}, "would run or load code"),
    ({"class_name": "TFSMLayer", "module": "keras.layers"}, "would run or load code"),
    ({"class_name": "StringLookup", "config": {"vocabulary": "/etc/passwd"}}, "another file"),
    ({"class_name": "StringLookup", "config": {"vocabulary": ["a", "b"]}}, None),
    ({"class_name": "Functional", "module": "keras.src.models.functional"}, None),
    ({"class_name": "Dense", "module": "keras.layers", "config": {"activation": {
        "class_name": "function", "module": "keras.activations", "config": "relu"}}}, None),
])
def test_code_in_files_is_not_run(config, message):
    if message is None:
        keras_child._check_config(config)
        return
    with pytest.raises(keras_child.Failed, match=message):
        keras_child._check_config([{"a": config}])


def h5(path, change):
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps({"class_name": "Lambda"})
        change(file)
    return str(path)


def test_a_file_that_hides_its_version_is_checked(tmp_path):
    """Without a version, a Lambda layer in an .h5 file was not looked for."""
    assert keras_child._written(h5(tmp_path / "m.h5", lambda file: None)) == (
        "", {"class_name": "Lambda"})
    with pytest.raises(keras_child.Failed, match="it has a Lambda layer"):
        keras_child._load(keras, str(tmp_path / "m.h5"))


def test_layers_made_of_code_cannot_be_made(tmp_path, monkeypatch):
    """Also if the file's configuration is read in another way."""
    keras.Sequential([keras.Input((4,)), keras.layers.Lambda(lambda t: t * 2)]).save(
        tmp_path / "m.h5")
    monkeypatch.setattr(keras_child, "_check_config", lambda config: None)
    monkeypatch.setattr(keras.layers.Lambda, "from_config", keras.layers.Lambda.from_config)
    with pytest.raises(keras_child.Failed, match="it has a Lambda layer"):
        keras_child._load(keras, str(tmp_path / "m.h5"))


def virtual(file):
    layout = h5py.VirtualLayout((4,), "f4")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", (4,))
    file.create_virtual_dataset("a", layout)


@pytest.mark.parametrize("change", [
    lambda file: file.create_dataset("a", (4,), "u1", external=[("/etc/passwd", 0, 4)]),
    lambda file: file.create_group("g").__setitem__("a", h5py.ExternalLink("other.h5", "/a")),
    lambda file: file.create_group("g").__setitem__("a", h5py.SoftLink("/a")),
    virtual])
def test_files_that_read_others(tmp_path, change):
    path = h5(tmp_path / "m.h5", change)
    with pytest.raises(keras_child.Failed, match="its 'a' lies in another file or place"):
        keras_child._written(path)
    whole = tmp_path / "m.keras"
    with zipfile.ZipFile(whole, "w") as out:
        out.write(path, "model.weights.h5")
        out.writestr("metadata.json", "{}")
        out.writestr("config.json", "{}")
    with pytest.raises(keras_child.Failed, match="its 'a' lies in another file or place"):
        keras_child._written(str(whole))


def test_a_file_that_cannot_be_read_is_not_taken_unchecked(tmp_path, monkeypatch):
    path = tmp_path / "m.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = "{"
    archive = tmp_path / "m.keras"
    archive.write_bytes(b"PK")
    for damaged in (path, archive):
        with pytest.raises(keras_child.Failed, match="what it says of itself cannot be read") as e:
            keras_child._written(str(damaged))
        assert e.value.args[0] == "model"
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(keras_child.Failed, match="needs h5py") as e:
        keras_child._written(str(path))
    assert e.value.args[0] == "missing"


def test_a_model_that_does_not_know_its_inputs(tmp_path, monkeypatch):
    monkeypatch.setattr(keras_child, "_load", lambda *_: (keras, keras.Sequential([])))
    with pytest.raises(keras_child.Failed, match="does not say what inputs it takes: build it"):
        keras_child.main({"model": "m.keras"}, tmp_path)
