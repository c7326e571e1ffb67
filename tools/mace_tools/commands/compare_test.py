"""compare: both sides, bad input, devices, types and the page.

SPDX-License-Identifier: Apache-2.0
"""

import importlib.util
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.commands import compare_sides
from mace_tools.convert.ops.common.windows import VALID
from mace_tools.support.protos import REPO
from mace_tools.testing import chromium, injected_errors, vision_nets
from mace_tools.testing.needed import need_pocl
from mace_tools.testing.onnx_file import model, node

DIGITS = REPO / "models" / "digits"
CONFIG = f"--config={DIGITS / 'digits_onnx.yml'}"


@pytest.fixture
def call(tmp_path, capfd, monkeypatch):
    """Runs the command. Returns the exit status, stdout, stderr and the comparisons of --json."""
    monkeypatch.chdir(REPO)
    monkeypatch.setenv("COLUMNS", "160")

    def run(*arguments):
        file = tmp_path / "report.json"
        file.unlink(missing_ok=True)
        more = [f"--json={file}", f"--output={tmp_path / 'build'}"]
        code = cli.main(["compare", *map(str, arguments), *more])
        out, err = capfd.readouterr()
        models = json.loads(file.read_text())["models"] if file.is_file() else {}
        return code, out, err, [c for m in models.values() for c in m["comparisons"]]

    return run


def test_a_deployment_file_and_its_picture(call):
    picture = DIGITS / "images" / "3.png"
    code, out, _, (report,) = call(CONFIG, f"--input={picture}", "--layers")
    assert (code, report["verdict"], report["passed"]) == (0, "agree", True)
    assert "All outputs agree with ONNX Runtime within the limits. Each layer alone does" in out
    assert report["layers"][-1]["reference"] == "probabilities"
    assert report["contained_in"]  # the bias and the activation of each convolution
    assert re.search(r"\d+ tensors of the source no longer exist", out)


def test_a_model_with_quantize_is_compared_in_floats_which_it_says(call, tmp_path):
    text = (DIGITS / "digits_onnx.yml").read_text()
    assert re.search(r"^    runtime: cpu$", text, re.M)
    yml = tmp_path / "my.yml"
    yml.write_text(re.sub(r"^    runtime: cpu$", "    runtime: cpu\n    quantize: {samples: "
                          f"{DIGITS / 'images'}}}", text, flags=re.M).replace(
                              "model_file_path: ", f"model_file_path: {DIGITS.parent.parent}/"))
    code, out, err, (report,) = call(f"--config={yml}")
    assert (code, report["verdict"]) == (0, "agree")
    assert re.search("CPU against ONNX Runtime, in float32", out + err)
    advice = "`converter.py quantize` shows the quantization error of each layer"
    assert advice in re.sub(r"\s+", " ", err)


KERAS = """
import keras
p = keras.Input((8, 8, 3), name="picture")
c = keras.layers.Conv2D(4, 3, activation="relu")(keras.layers.Conv2D(4, 3)(p))
y = keras.layers.Dense(4)(keras.layers.Flatten()(c))
m = keras.Model(p, y)
m.save("m.keras")
m.export("saved")
"""


@pytest.mark.full
@pytest.mark.parametrize("name, framework", [("m.keras", "Keras"), ("saved", "TensorFlow")])
def test_models_of_keras_and_saved_models(call, tmp_path, name, framework):
    subprocess.run([sys.executable, "-c", KERAS], cwd=tmp_path, check=True, capture_output=True)
    code, out, err, (report,) = call(tmp_path / name, "--layers")
    assert code == 0 and f"All outputs agree with {framework}" in out
    assert report["layers"]
    assert ("inner tensors are not compared: Keras gives only the outputs" in err) == (
        framework == "Keras")
    # TensorFlow gives no tensors of the functions that a SavedModel calls.
    assert f"Layers were not compared: {framework} gives none of the tensors" in report["text"]
    assert "Each layer alone" not in report["text"]


def test_only_outputs_without_layers(call):
    code, out, _, (report,) = call(DIGITS / "digits.onnx")
    assert code == 0 and report["layers"] == [] and "alone: rel" not in out


@pytest.mark.parametrize("arguments, message", [
    ([], "give --config=YML or MODEL"),
    ([DIGITS / "digits.onnx", CONFIG], "give one of them"),
    ([DIGITS / "digits_onnx.yml"], f"write --config={DIGITS / 'digits_onnx.yml'}"),
    ([CONFIG, "--devices=cpu,cpu"], "is not two different ones of cpu, gpu, such as cpu,gpu"),
    ([CONFIG, "--data_types=fp32"], "is not two different ones of fp32, fp32_fp32, fp16_fp32"),
    ([CONFIG, "--data_types=fp32,uint8"], "uint8 is no data_type of runtime: cpu; those are fp32"),
    ([CONFIG, "--devices=cpu,gpu", "--data_types=fp32,bf16_fp32"], "give one of them"),
    ([CONFIG, "--devices=cpu,gpu", "--device=gpu"], "leave out --device"),
    ([CONFIG, "--device=gpu"], "write runtime: cpu+gpu to run it on either"),
])
def test_wrong_use(call, arguments, message):
    code, out, err, _ = call(*arguments)
    assert (code, out) == (2, "") and message in err


def test_a_file_that_is_no_model_and_a_page_that_cannot_be_written(call, tmp_path):
    assert "is no model that can be converted" in call(DIGITS / "labels.txt")[2]
    assert "there is no file" in call(tmp_path / "none.onnx")[2]
    code, _, err, _ = call(CONFIG, "--html=/nowhere/page.html")
    assert code != 0 and "--html=/nowhere/page.html" in err


def test_open_extents_are_to_be_filled_in(call, tmp_path):
    file = model(tmp_path / "open.onnx", [node("Relu", "x", "y")], {"x": (1, "n")}, ["y"])
    code, _, err, _ = call(file)
    assert code == 2 and "leaves extents of its inputs open" in err and "--config=my.yml" in err


def test_a_framework_that_is_not_installed(call, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec",
                        lambda name, *more: None if name == "onnxruntime" else found(name, *more))
    code, _, err, _ = call(CONFIG)
    assert code == 6 and "compare compares with ONNX Runtime, which is not installed" in err
    assert "-m pip install 'onnxruntime" in err
    assert call(CONFIG, "--data_types=fp32,bf16_fp32")[0] == 0  # needs none


def test_nan_is_reported_where_it_first_appears(call, tmp_path):
    nodes = [node("Relu", "x", "a"), node("Sub", "a half", "b"), node("Sqrt", "b", "c"),
             node("Add", "c x", "y")]
    file = model(tmp_path / "nan.onnx", nodes, {"x": (1, 64)}, ["y"],
                 {"half": np.array([0.5], np.float32)})
    code, out, _, (report,) = call(file, "--layers")
    assert code == 0 and len(report["notes"]) == 2
    for side in ("ONNX Runtime", "MACE"):
        assert f"in {side}, NaN or infinity first appears in 'c' (Unary)" in out


def change(monkeypatch, edit):
    converted = compare_sides.converted

    def changed(*arguments):
        graph = converted(*arguments)
        edit(graph)
        return graph

    monkeypatch.setattr(compare_sides, "converted", changed)


def test_nan_on_one_side_only(call, tmp_path, monkeypatch):
    vision_nets.attention(tmp_path / "net.onnx")
    change(monkeypatch, injected_errors.weight("LayerNorm", 0, lambda g: g * np.float32(np.nan)))
    code, out, _, (report,) = call(tmp_path / "net.onnx")
    assert code == 5 and report["first_wrong"]["tensor"] == "n"
    assert len(report["notes"]) == 1 and "in MACE, NaN or infinity first appears in 'n'" in out
    assert report["outputs"][0]["similarity"] is None


def test_shapes_that_differ(call, tmp_path, monkeypatch):
    file = model(tmp_path / "net.onnx", [
        node("Relu", "x", "a"), node("AveragePool", "a", "b", kernel_shape=[3, 3], pads=[1] * 4),
        node("Sigmoid", "b", "y")], {"x": (1, 2, 8, 8)}, ["y"])
    change(monkeypatch, injected_errors.attribute("Pooling", 0, padding=VALID, padding_values=[]))
    code, out, _, (report,) = call(file, "--layers")
    assert code == 5 and report["first_wrong"]["reference"] == "y"  # the pooling, with its Sigmoid
    assert "MACE gives the shape [1, 2, 6, 6], the reference [1, 2, 8, 8]" in out
    assert report["causes"][0]["cause"] == "padding"


def test_an_output_that_only_one_side_has(call, monkeypatch):
    change(monkeypatch, lambda graph: graph.origins.pop("probabilities"))
    code, out, _, (report,) = call(CONFIG)
    assert code == 5 and not report["passed"] and report["only_on_one_side"] == ["probabilities"]
    assert "only on one side: output 'probabilities'" in out


def test_sixteen_bits_against_float(call):
    code, _, err, (report,) = call(CONFIG, "--data_types=fp32,bf16_fp32", "--layers")
    assert code == 0 and "CPU (bf16 weights) against MACE on CPU (float32)" in err
    assert report["reference"] == "MACE on CPU (float32)" and report["min_similarity"] == 0.995
    assert 0 < max(layer["alone"]["max_rel_error"] for layer in report["layers"]) < 2e-2


def wide_net(path):
    """Products beyond the range of fp16 between convolutions that pay on a GPU."""
    random = np.random.default_rng(0)
    weight = random.normal(0, 0.06, (32, 32, 3, 3)).astype(np.float32)
    nodes = [node("Conv", "x w", "a", pads=[1] * 4), node("Mul", "a large", "b"),
             node("Conv", "b w", "c", pads=[1] * 4), node("Mul", "c small", "d"),
             node("Conv", "d w", "y", pads=[1] * 4)]
    return model(path, nodes, {"x": (1, 32, 64, 64)}, ["y"], {
        "w": weight, "large": np.array([1e6], np.float32), "small": np.array([1e-6], np.float32)})


@pytest.mark.full
def test_the_range_of_fp16_on_the_gpu(call, tmp_path, monkeypatch):
    monkeypatch.setenv("OCL_ICD_VENDORS", str(need_pocl()))
    for more in ([], ["--layers"]):
        code, _, err, (report,) = call(wide_net(tmp_path / "net.onnx"), "--devices=cpu,gpu", *more)
        assert code == 5, err
        assert report["first_wrong"]["op"] in ("Eltwise", "Conv2d")
        assert report["causes"][0]["cause"] == "fp16 range", report["text"]
        assert "fp16 ends at 65504" in report["causes"][0]["evidence"]


def test_a_machine_without_a_gpu(call, tmp_path, monkeypatch):
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path / "none.icd"))
    code, _, err, _ = call(wide_net(tmp_path / "net.onnx"), "--devices=cpu,gpu")
    assert code == 1 and "nothing ran on the GPU, so this would compare the CPU: OpenCL has" in err


def test_the_page_has_the_layers_and_takes_any_name(call, tmp_path, monkeypatch):
    evil = "</script><img src=x onerror=alert(1)>&"
    file = model(tmp_path / "net.onnx", [node("Relu", "x", evil.replace(" ", "_")),
                                         node("Sigmoid", evil.replace(" ", "_"), "y")],
                 {"x": (1, 8)}, ["y"])
    change(monkeypatch, injected_errors.attribute("Activation", 0, activation="TANH"))
    page = tmp_path / "page.html"
    assert call(file, "--layers", f"--html={page}")[0] == 5
    text = page.read_text()
    assert "<img" not in text and not re.search(r"https?:|src=\"|@import", text)
    with chromium.opened(text, tmp_path, 400) as shown:
        shown.wait("document.querySelector('.graph').dataset.ready === '4'")
        assert shown.value("document.documentElement.scrollWidth") == 400
        assert shown.value("document.querySelectorAll('circle.dot').length") == 2
        words = shown.value("document.body.innerText")
        assert "wrong layer" in words and "WRONG" in words and "activation" in words
        verdicts = shown.value("document.querySelector('.graph').view.data.colors.find("
                               "c => c.title === 'verdict').of")
        assert verdicts == [None, 1, 0, None]  # the changed Activation alone
        shown.value("document.querySelector('.graph').view.show(1)")
        panel = shown.value("document.querySelector('.panel').innerText")
        assert "WRONG" in panel and "relative error alone" in panel and evil[:9] in panel
