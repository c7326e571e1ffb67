"""run --validate: right models pass, wrong ones do not, in the engine and in their framework.

SPDX-License-Identifier: Apache-2.0

A wrong model is one that is converted in place of another: the engine then computes what the
framework does not.
"""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.commands import convert
from mace_tools.support.protos import REPO
from mace_tools.testing.onnx_file import model, node, onnx

pytest.importorskip("onnxruntime")
TFLITE = Path(os.environ.get("MACE_TEST_DATA", REPO.parent / "shared")) / "models" / "tflite"
RNG = np.random.default_rng(0)
W = RNG.normal(size=(64, 64)).astype(np.float32) / 8


def f32(*values):
    return np.array(values, np.float32) if len(values) > 1 else np.float32(values[0])


def written(path, nodes, constants, inputs=None, outputs=("y",)):
    return model(path, nodes, inputs or {"x": (1, 64)}, list(outputs), constants)


@pytest.fixture
def validate(tmp_path, monkeypatch, capfd):
    """Returns the exit status, the report, stdout and stderr. `wrong` is what the engine gets."""
    monkeypatch.chdir(tmp_path)

    def run(right, wrong=None, *options, keys="", plant=None):
        yml = Path("m.yml")
        yml.unlink(missing_ok=True)
        shutil.rmtree("b", ignore_errors=True)
        assert cli.main(["init", str(right), "--model_name=m", f"--output={yml}"]) == 0
        before = "    runtime: cpu"
        yml.write_text(yml.read_text().replace(before, f"    {keys}\n{before}" if keys else before))
        imported = convert.import_model

        def other(context, tag, one, source, *more):
            graph = imported(context, tag, one, wrong or source, *more)
            if plant is not None:
                plant(graph)
            return graph

        monkeypatch.setattr(convert, "import_model", other)
        code = cli.main(["run", "--config=m.yml", "--output=b", "--validate", "--json=r.json",
                         *options])
        monkeypatch.setattr(convert, "import_model", imported)
        out, err = capfd.readouterr()
        report = json.loads(Path("r.json").read_text())["models"]["m"]
        return code, report["validation"], out, err

    return run


def nearly_zero(path):
    """ONNX Runtime's Sigmoid is exactly 0 there."""
    return written(path, [node("Sub", "x c", "d"), node("Sigmoid", "d", "y")], {"c": f32(19.0)})


def root(path):
    """A single number, NaN for most inputs between -1 and 1."""
    return written(path, [node("Sub", "x c", "d"), node("Sqrt", "d", "y")], {"c": f32(0.4)},
                   {"x": (1, 1)})


def lengths(path):
    """A sum over a length, which is 0 for the first random input."""
    file = written(path, [node("Cast", "n", "f", to=1), node("ReduceSum", "x", "s", keepdims=0),
                          node("Div", "s f", "y")], {}, {"x": (1, 5), "n": (1,)})
    proto = onnx().ModelProto.FromString(file.read_bytes())
    proto.graph.input[1].type.tensor_type.elem_type = 7  # int64
    file.write_bytes(proto.SerializeToString())
    return file


def amplifying(steps, gain=14.0):
    """Products whose roundings grow from one sine to the next."""
    def make(path):
        nodes, last = [], "x"
        for k in range(steps):
            nodes += [node("MatMul", f"{last} w", f"m{k}"), node("Mul", f"m{k} g", f"g{k}"),
                      node("Sin", f"g{k}", f"s{k}")]
            last = f"s{k}"
        return written(path, [*nodes, node("Identity", last, "y")], {"w": W, "g": f32(gain)})
    return make


def dynamic(layers, scale=0.004):
    """What quantize_dynamic of ONNX Runtime writes."""
    def make(path):
        nodes, last = [], "x"
        for k in range(layers):
            nodes += [node("DynamicQuantizeLinear", last, f"q{k} s{k} z{k}"),
                      node("MatMulInteger", f"q{k} w z{k}", f"i{k}"),
                      node("Cast", f"i{k}", f"f{k}", to=1), node("Mul", f"s{k} ws", f"c{k}"),
                      node("Mul", f"f{k} c{k}", f"o{k}"), node("Tanh", f"o{k}", f"t{k}")]
            last = f"t{k}"
        integers = np.random.default_rng(1).integers(-127, 128, (64, 64)).astype(np.int8)
        return written(path, [*nodes, node("Identity", last, "y")],
                       {"w": integers, "ws": f32(scale)})
    return make


RIGHT = {
    "nearly zero": (nearly_zero, "its absolute error"),
    "NaN for most inputs": (root, "the fixed limits"),
    "a length of 0": (lengths, "the fixed limits"),
    "roundings that grow": (amplifying(4), "how much its model depends on roundings"),
    "dynamic quantization": (dynamic(6, 0.007), "how much its model depends on roundings"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_models_pass(validate, tmp_path, name):
    make, how = RIGHT[name]
    code, report, out, _ = validate(make(tmp_path / "m.onnx"))
    assert code == 0, report
    assert how in report["outputs"][0]["judged_by"] and f"judged by {how}" in out
    assert report["inputs"] == ["seed 0", "seed 1", "seed 2"]


def scaled(factor):
    def make(path):
        return written(path, [node("MatMul", "x w", "m"), node("Mul", "m f", "y")],
                       {"w": W[:, :1], "f": f32(factor)})
    return make


def quantized_scores(factor):
    """Attention in QDQ: the scores are multiplied between two quantizations, and end in one
    number."""
    def make(path):
        random = np.random.default_rng(2)
        nodes = [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "d"),
                 node("MatMul", "d k", "m"), node("Mul", "m f", "v"),
                 node("QuantizeLinear", "v s z", "qv"), node("DequantizeLinear", "qv s z", "dv"),
                 node("Softmax", "dv", "p"), node("MatMul", "p w", "y")]
        return written(path, nodes, {"s": f32(0.02), "z": np.uint8(128), "f": f32(factor),
                                     "k": random.normal(size=(64, 64)).astype(np.float32),
                                     "w": random.uniform(0, 1, (64, 1)).astype(np.float32)})
    return make


def logits(scale):
    return lambda path: written(path, [node("MatMul", "x w", "m"), node("Mul", "m f", "y")],
                                {"w": W, "f": f32(scale)})


def never_finite(path):
    return written(path, [node("Mul", "x x", "s"), node("Sub", "c s", "d"), node("Sqrt", "d", "y")],
                   {"c": f32(-1.0)})


WRONG = {
    "a single number of the right sign": (scaled(1.0), scaled(1.05), "relative error 0.05"),
    "scores whose factor is lost": (quantized_scores(0.35), quantized_scores(1.0), "relative"),
    "results far below 1": (logits(1e-9), logits(2e-9), "relative error 1 is above"),
    "an unstable model": (amplifying(4), amplifying(4, 14.0001), "is below 0.999 (chang"),
    "a chaotic model": (amplifying(8), None, "similarity"),
    "dynamic quantization": (dynamic(1), dynamic(1, 0.006), "similarity"),
    "nothing to compare": (never_finite, None, "compares nothing; give the model inputs"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_models_fail(validate, tmp_path, name):
    make, other, message = WRONG[name]
    wrong = other(tmp_path / "wrong.onnx") if other else None
    code, report, out, err = validate(make(tmp_path / "m.onnx"), wrong)
    assert (code, report["passed"]) == (5, False), report
    assert message in " ".join(err.split()) and "Similarity Test Failed" in out


def test_the_threshold_of_a_file_allows_nothing_else(validate, tmp_path):
    code, report, _, err = validate(amplifying(4)(tmp_path / "m.onnx"), None,
                                    keys="validation_threshold: 1.0")
    assert code == 5 and report["min_similarity"] == 1.0 and "is below 1" in err


def test_a_given_input_is_the_only_one(validate, tmp_path):
    np.save(tmp_path / "x.npy", RNG.normal(size=(1, 64)).astype(np.float32))
    code, report, out, _ = validate(logits(1.0)(tmp_path / "m.onnx"), None, "--input=x.npy")
    assert code == 0 and report["inputs"] == ["the given input"]
    assert "compared on the given input" in out


def exchanged_filters(graph):
    layer = [n for n in graph.nodes if n.op == "Conv2d"][1]
    weight = graph.tensors[layer.inputs[1]]
    weight.data = np.roll(weight.data, 1, 0)


QUANTIZED = ("kws_dscnn_mlperf/kws_ref_model_int8", "resnet8_cifar10/pretrainedResnet_quant",
             "vww_96/vww_96_int8", "mobilenet_v2_100_224_quant/mobilenet_v2_1.0_224_quant")


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.full if k else ())
                                  for k, n in enumerate(QUANTIZED)])
def test_quantized_tflite_models_are_judged_by_the_reference_kernels(validate, name):
    """XNNPACK is up to 8 of 256 steps away from these with such inputs."""
    file = TFLITE / f"{name}.tflite"
    if not file.is_file():
        pytest.skip(f"test data: no {file}; MACE_TEST_DATA names the folder of models and such")
    code, report, _, _ = validate(file, None, "--seed=1")
    assert code == 0 and max(o["max_abs_error"] for o in report["outputs"]) == 0
    code, report, _, _ = validate(file, None, "--seed=1", plant=exchanged_filters)
    assert code == 5, report
