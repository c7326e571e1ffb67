"""Tests of exporting Keras models, and PyTorch programs with a fake torch.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from mace_tools import cli, frameworks
from mace_tools.convert import exporters, importers, reference
from mace_tools.frameworks.nudge import Nudge
from mace_tools.support.errors import ModelError
from mace_tools.support.exit_codes import ExitCode, MissingToolError, RunFailedError
from mace_tools.support.protos import REPO
from mace_tools.testing.onnx_file import model as onnx_model
from mace_tools.testing.onnx_file import node

KERAS = """
import keras
keras.utils.set_random_seed(1)
picture = keras.Input((8, 8, 3), name="picture")
x = keras.layers.Conv2D(4, 3, strides=2, padding="same")(picture)
x = keras.layers.ReLU(6.0)(keras.layers.BatchNormalization()(x))
seen = keras.layers.GlobalAveragePooling2D()(x)
model = keras.Model(picture, [keras.layers.Dense(5, activation="softmax")(seen), seen])
model.save("m.keras")
model.save("m.h5")
keras.Sequential([keras.Input((4,)), keras.layers.Lambda(lambda t: t * 2)]).save("code.keras")
"""

TORCH = '''
import json, os, shutil, sys
__version__ = os.environ.get("FAKE_TORCH", "2.15.0+cpu")
if __version__ == "none":
    raise ImportError("No module named 'torch'")
if __version__ == "crash":
    os._exit(9)
class Kind:
    def __init__(self, name, parts=()): self.name, self.parts = name, parts
    def __str__(self): return self.name
    def kind(self): return "TupleType" if self.parts else "TensorType"
    def elements(self): return self.parts
class Value:
    def __init__(self, name, kind): self.name, self.type = name, kind
    def has_default_value(self): return False
class Module:
    path = ""
    @property
    def forward(self):
        tensor = Kind("Tensor")
        self.schema = self
        kind = Kind(os.environ.get("FAKE_KIND", "Tensor"))
        self.arguments = [Value("self", tensor), Value("x", kind)]
        self.returns = [Value("", tensor)]
        return self
    def eval(self): return self
    def __call__(self, *feeds): return feeds[0]
class jit:
    @staticmethod
    def load(path, map_location):
        return Module()
class Program:
    class graph_signature:
        user_inputs, user_outputs = ["x"], ["relu"]
class export:
    @staticmethod
    def load(path): return Program()
class onnx:
    @staticmethod
    def export(model, args, path, **options):
        if "FAKE_ERROR" in os.environ:
            raise RuntimeError("Unsupported: aten::odd\\nof a graph")
        call = {"model": type(model).__name__, "shapes": args, **options}
        calls = os.path.join(os.path.dirname(path), "calls")
        open(calls, "a").write(json.dumps(call) + "\\n")
        shutil.copy(os.environ["FAKE_ONNX"], path)
def zeros(shape): return list(shape)
'''


@pytest.fixture(scope="module")
def keras_models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keras")
    subprocess.run([sys.executable, "-c", KERAS], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.full
@pytest.mark.parametrize("name", ["m.keras", "m.h5"])
def test_keras_models_convert_and_compute_what_keras_does(keras_models, name):
    path = keras_models / name
    x = np.random.default_rng(3).uniform(-1, 1, (1, 8, 8, 3)).astype(np.float32)
    model = importers.read("keras", path)
    outputs = [model.signed(o) for o in model.outputs]
    assert [model.signed(i) for i in model.inputs] == ["picture"]
    assert outputs == ["output_0", "output_1"]
    converted = importers.translate("keras", model, {"picture": x.shape}, outputs)
    ours = reference.run(converted, {"picture": x})
    theirs = frameworks.run("keras", path, {"picture": x}, outputs)
    for out in outputs:
        np.testing.assert_allclose(ours[out], theirs[out], rtol=1e-5, atol=1e-6)
    with pytest.raises(ModelError, match=r"Keras gives \['output_0', .*\], but not 'inner'"):
        frameworks.run("keras", path, {"picture": x}, ["inner"])


def recipe(framework):
    """The Python code of the documentation for a framework."""
    text = (REPO / "docs" / "converter.md").read_text()
    return text[text.index(f"```python\nimport {framework}\n") + 10 :].partition("```")[0]


@pytest.mark.full
def test_the_recipe_for_keras_converts(tmp_path):
    subprocess.run([sys.executable, "-c", recipe("keras")], cwd=tmp_path, check=True,
                   capture_output=True)
    converted = importers.load("keras", tmp_path / "model.keras", {"picture": (1, 32, 32, 3)},
                               ["output_0"])
    assert converted.tensors["output_0"].shape == (1, 10)


@pytest.mark.full
def test_layers_made_of_code_and_broken_files_are_refused(keras_models):
    with pytest.raises(ModelError, match="code.keras: it has a Lambda layer, whose code"):
        importers.read("keras", keras_models / "code.keras")
    broken = keras_models / "broken.h5"
    broken.write_bytes((keras_models / "m.h5").read_bytes()[:3000])
    with pytest.raises(ModelError, match="broken.h5: what it says of itself cannot be read: "):
        importers.read("keras", broken)


@pytest.fixture
def torch(tmp_path, monkeypatch):
    """A fake torch that notes each call of its exporter; returns what reads the notes."""
    monkeypatch.delenv(exporters.PYTHON, raising=False)
    (tmp_path / "fake").mkdir()
    (tmp_path / "fake" / "torch.py").write_text(TORCH)
    onnx_model(tmp_path / "m.onnx", [node("Relu", "x", "output_0")], {"x": (1, 3)}, ["output_0"])
    for key, value in {"PYTHONPATH": "fake", "FAKE_ONNX": "m.onnx"}.items():
        monkeypatch.setenv(key, str(tmp_path / value))
    exports = tmp_path / "exports"
    exports.mkdir()
    monkeypatch.setattr(exporters, "_root", lambda: str(exports))
    return lambda: [json.loads(line) for calls in exports.glob("*/calls")
                    for line in calls.read_text().splitlines()]


def program(folder, script=False, text="{}"):
    path = folder / ("m.pt" if script else "m.pt2")
    names = ["data.pkl", "constants.pkl", "code/__torch__.py"] if script else ["models/model.json"]
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(f"m/{name}", "" if script else text)
    return path


def test_an_exported_program_is_exported_to_onnx_once(tmp_path, torch):
    path = program(tmp_path)
    for _ in range(2):
        converted = importers.load("pytorch", path, {"x": (1, 3)}, ["output_0"])
    assert [n.op for n in converted.nodes] == ["Activation"]
    call, = torch()
    assert call["model"] == "Program" and call["dynamo"] is True and call["shapes"] == []
    assert (call["input_names"], call["output_names"]) == (["x"], ["output_0"])


def test_a_script_is_exported_with_the_shapes_of_the_deployment_file(tmp_path, torch):
    path = program(tmp_path, script=True)
    model = importers.read("pytorch", path)
    assert list(model.inputs) == ["x"] and model.outputs == ["output_0"] and torch() == []
    with pytest.raises(ModelError, match=r"holds no shapes: .* its inputs \(x\) in input_shapes"):
        importers.translate("pytorch", model, {"x": None}, ["output_0"])
    converted = importers.translate("pytorch", model, {"x": (1, 3)}, ["output_0"])
    assert converted.tensors["x"].shape == (1, 3)
    call, = torch()
    assert call["shapes"] == [[1, 3]] and call["dynamo"] is False and call["opset_version"] == 17


@pytest.mark.parametrize("name, value, error, message", [
    ("FAKE_TORCH", "none", MissingToolError, r"needs PyTorch, which is not installed .*run `.*-m "
     r"pip install 'torch>=2.10' onnx onnxscript`"),
    ("FAKE_TORCH", "2.9.1", MissingToolError, r"torch 2.9.1 can be made to run code .*2\.10 or "
     "newer refuses: run `"),
    ("FAKE_TORCH", "crash", RunFailedError, "PyTorch failed on .*it ended with status 9"),
    ("FAKE_ERROR", "1", ModelError, "torch.onnx.export cannot export it: RuntimeError: "
     "Unsupported: aten::odd of a graph"),
    ("FAKE_KIND", "Dict[str, Tensor]", ModelError, r"its input 'x' is a Dict\[str, "),
])
def test_what_torch_cannot_do_is_an_error_with_the_cure(
    tmp_path, torch, monkeypatch, name, value, error, message
):
    monkeypatch.setenv(name, value)
    path = program(tmp_path, script=name == "FAKE_KIND")
    with pytest.raises(error, match=message):
        importers.load("pytorch", path, {"x": (1, 3)}, ["output_0"])
    code = cli.main(["init", str(path)])
    assert code == error.exit_code
    assert (code == ExitCode.MISSING_TOOL) == (error is MissingToolError)


def test_programs_that_torchao_quantized(tmp_path, torch):
    path = program(tmp_path, text='{"target": "torch.ops.torchao.quantize_affine.default"}')
    with pytest.raises(ModelError, match="torchao has quantized it, .*the key `quantize`"):
        importers.load("pytorch", path, {"x": (1, 3)}, ["output_0"])


def test_pickled_files_and_odd_names_are_refused(tmp_path, monkeypatch, capsys):
    path = tmp_path / "m.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("m/data.pkl", "")
    assert cli.main(["init", str(path)]) == ExitCode.ERROR
    assert "run the code in it" in capsys.readouterr().err
    with pytest.raises(ModelError, match="pickled PyTorch file; reading it would run the code"):
        importers.read("pytorch", path)
    with pytest.raises(ModelError, match="nix.keras: cannot be read: No such file"):
        importers.read("keras", tmp_path / "nix.keras")
    monkeypatch.setenv(exporters.PYTHON, str(tmp_path / "nix"))
    with pytest.raises(MissingToolError, match="nix, which MACE_EXPORT_PYTHON names, cannot be"):
        exporters.export("pytorch", path)


def need_torch():
    if subprocess.run([exporters.python(), "-c", "import torch"], capture_output=True).returncode:
        pytest.skip("covered elsewhere: a fake torch, which the tests do not need")


@pytest.mark.full
def test_the_real_torch(tmp_path):
    need_torch()
    code = recipe("torch") + (
        "torch.jit.save(torch.jit.trace(net, torch.zeros(1, 3, 32, 32)), 'model.pt')\n")
    (tmp_path / "make.py").write_text(code)
    subprocess.run([exporters.python(), "make.py"], cwd=tmp_path, check=True, capture_output=True)
    x = np.random.default_rng(3).uniform(-1, 1, (1, 3, 32, 32)).astype(np.float32)
    for name in ("model.pt2", "model.pt"):
        path = tmp_path / name
        source, = importers.read("pytorch", path).inputs
        converted = importers.load("pytorch", path, {source: x.shape}, ["output_0"])
        ours = reference.run(converted, {source: x})["output_0"]
        theirs = frameworks.run("pytorch", path, {source: x}, ["output_0"])["output_0"]
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


WEIGHTS = """
import torch
class Parts(torch.nn.Module):  # a parameter, a buffer, one that is not saved as such
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(5, 4))
        self.register_buffer("b", torch.randn(4))
        self.register_buffer("t", torch.randn(4), persistent=False)
    def forward(self, x): return x @ self.w + self.b * self.t
class Plain(torch.nn.Module):  # no parameter at all
    def __init__(self):
        super().__init__()
        self.plain = torch.randn(5, 4)
    def forward(self, x): return x @ self.plain
x = torch.zeros(2, 5)
for name, net in (("parts", Parts().eval()), ("plain", Plain().eval())):
    torch.export.save(torch.export.export(net, (x,)), f"{name}.pt2")
    torch.jit.script(net).save(f"{name}_script.pt")
    traced = torch.jit.trace(net, (x,))
    traced.save(f"{name}_trace.pt")
    torch.jit.save(torch.jit.freeze(traced.eval()), f"{name}_frozen.pt")
net = torch.nn.Linear(5, 4).bfloat16().eval()
torch.export.save(torch.export.export(net, (x.bfloat16(),)), "bf16.pt2")
"""


@pytest.mark.full
def test_weights_of_the_real_torch_change_by_a_rounding(tmp_path):
    need_torch()
    (tmp_path / "make.py").write_text(WEIGHTS)  # a script needs the text of its code
    subprocess.run([exporters.python(), "make.py"], cwd=tmp_path, check=True, capture_output=True)
    x = np.random.default_rng(3).uniform(-1, 1, (2, 5)).astype(np.float32)
    files = sorted(tmp_path.glob("*.pt*"))
    assert len(files) == 9
    for path in files:
        source, = importers.read("pytorch", path).inputs
        plain, ulp, step = (frameworks.attempts("pytorch", path, [{source: x}], ["output_0"],
                                                nudge=nudge)[0]["output_0"]
                            for nudge in (None, Nudge(), Nudge("i8")))
        scale = np.abs(plain).max()
        least, most = (1e-4, 2e-2) if path.name == "bf16.pt2" else (1e-9, 3e-6)
        assert least < np.abs(ulp - plain).max() / scale < most, path.name
        assert 1e-3 < np.abs(step - plain).max() / scale < 0.3, path.name
