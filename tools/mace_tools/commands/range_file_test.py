"""quantize: 1 of MACE's deployment files: with quantize_range_file, or of a model that has its
ranges itself.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker
from mace_tools.support import protos
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.caffe_file import uniform

MORE = """quantize: 1
quantize_range_file: net.range"""
# As quantize_stat writes it; relu's operand is no tensor of MACE's graph.
RANGES = """x:0@@-1.0,1.0
relu:0@@0.0,1.75
other:0@@-9,9

logits:0@@-2.0,1.5
"""


def network(folder: Path) -> Path:
    """conv, relu, a pooling layer, a convolution and a softmax."""
    m = Maker()
    m.placeholder("x", 1, 16, 16, 8)
    m.const("w", 0.1 * uniform(3, 3, 8, 16))
    m.node("conv", "Conv2D", "x", "w", strides=[1, 1, 1, 1], padding="SAME")
    m.node("relu", "Relu", "conv")
    m.node("pool", "MaxPool", "relu", ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    m.const("w2", 0.1 * uniform(3, 3, 16, 16))
    m.node("logits", "Conv2D", "pool", "w2", strides=[1, 1, 1, 1], padding="SAME")
    m.node("prob", "Softmax", "logits")
    return m.of_floats().save(folder)


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    model = network(tmp_path)

    def call(command: str, ranges: str = RANGES, more: str = MORE, sub: str = "",
             *arguments: str):
        (tmp_path / "net.range").write_text(ranges)
        lines = "".join(f"\n    {line}" for line in more.split("\n"))
        (tmp_path / "m.yml").write_text(f"""\
library_name: m
target_abis: [host]
models:
  m:
    platform: tensorflow
    model_file_path: {model}
    model_sha256_checksum: {hashlib.sha256(model.read_bytes()).hexdigest()}
    runtime: cpu{lines}
    subgraphs:
      - input_tensors: x
        input_shapes: 1,16,16,8
        output_tensors: prob{sub}
""")
        code = cli.main([command, "--config=m.yml", *arguments])
        out, err = capfd.readouterr()
        return code, out, " ".join(err.split())

    call.net = lambda: protos.mace().NetDef.FromString(
        (tmp_path / "build/m/model/m.pb").read_bytes())
    return call


def spans(net) -> dict[str, tuple[float, float]]:
    """The numbers that the least and the largest code stand for, by the name of the tensor."""
    found = {}
    for op in net.op:
        for name, q in zip(op.output, op.output_quantization):
            if q.scales:
                zero = (q.zero_points or [0])[0]
                found[name.removesuffix("/quantized").split("/")[0]] = (
                    (-128 - zero) * q.scales[0], (127 - zero) * q.scales[0])
    return found


def test_the_ranges_are_those_of_the_file(place):
    code, _, err = place("convert")
    assert code == ExitCode.OK, err
    found = spans(place.net())
    # relu is within the convolution, and the file does not name pool.
    for name, ends in {"x": (-1, 1), "conv": (0, 1.75), "pool": (0, 1.75),
                       "logits": (-2.0, 1.5)}.items():
        step = (ends[1] - ends[0]) / 255
        np.testing.assert_allclose(found[name], ends, atol=step * 0.51, err_msg=name)
    assert "stay in float32" not in err


def test_the_model_gives_what_the_float_one_does(place):
    code, out, err = place("run", RANGES, MORE, "", "--validate")
    assert code == ExitCode.OK and "Similarity Test Passed" in out, out + err


def test_other_ranges_or_another_file_make_it_again(place):
    assert place("convert")[0] == ExitCode.OK
    assert "up to date" in place("convert")[1]
    code, out, err = place("convert", RANGES.replace("1.75", "1.5"))
    assert code == ExitCode.OK and "converted" in out
    assert spans(place.net())["conv"][1] == pytest.approx(1.5)


@pytest.mark.parametrize("sub, quantized", [("", False), ("\n        input_ranges: -1,1", True)])
def test_an_input_that_the_file_lacks_takes_input_ranges(place, sub, quantized):
    code, _, err = place("convert", RANGES.replace("x:0@@-1.0,1.0\n", ""), MORE, sub)
    assert code == ExitCode.OK, err
    assert ("x" in spans(place.net())) == quantized
    assert ("the range file has no range of x, so that 1 nodes stay in float32" in err) != quantized


def test_a_layer_without_a_range_stays_in_floats_and_is_named(place):
    code, _, err = place("convert", RANGES.replace("logits:0", "gone"))
    assert code == ExitCode.OK and "no range of logits, so that" in err, err
    found = spans(place.net())
    assert "conv" in found and "logits" not in found


def test_the_command_quantize_takes_the_file(place, tmp_path):
    code, out, err = place("quantize", RANGES, MORE, "", "--html=page.html", "--json=report.json")
    assert code == ExitCode.OK and "nodes compute int8" in out, err
    assert "Quantization of m" in (tmp_path / "page.html").read_text()
    code, _, err = place("quantize", RANGES.replace("logits:0", "gone"), MORE, "", "--strict")
    assert code == ExitCode.VALIDATION_FAILED and "no range of logits" in err, err
    code, _, err = place("quantize", RANGES, MORE, "", f"--samples={tmp_path}")
    assert code == ExitCode.USAGE and "a range_file does not use samples; leave it out" in err
    code, out, err = place("quantize", RANGES, "quantize: {range_file: net.range}")
    assert code == ExitCode.OK, err


WRONG = [
    ("x:0@@1,-1", MORE, "net.range:1: 'x:0@@1,-1' is not a range, which is NAME@@LOW,HIGH"),
    ("x:0@@0,1\nconv -1 1", MORE, "net.range:2: 'conv -1 1' is not a range"),
    ("x:0@@nan,1", MORE, "net.range:1: 'x:0@@nan,1' is not a range"),
    ("x:0@@0,1\nx:0@@0,2", MORE, "net.range:2: 'x:0' has another range above"),
    ("rely:0@@0,1", MORE, "it names no tensor of the model: 'rely:0'; did you mean 'relu'?"),
    ("logits@@0,1", MORE, "no layer is left for int8: the range file has no range of"),
    ("", MORE, ":10: models.m.quantize_range_file: 'net.range' is empty"),
    ("\n", MORE, "net.range: it names no tensor of the model: none. Tensors of the model: 'x'"),
    (RANGES, MORE.replace("net.range", "no.range"), ":10: models.m.quantize_range_file: "),
    (RANGES, MORE.replace("net.range", "https://a.b/c.range"), "only models are downloaded"),
    (RANGES, "quantize: {range_file: net.range, method: mse}", "a range_file does not use method"),
    (RANGES, "quantize: 1", ":9: models.m.quantize: the model has no ranges of its own, such as "),
    (RANGES, MORE + "\nquantize_schema: mace_apu_16bit_per_tensor",
     "quantize_schema: 'mace_apu_16bit_per_tensor' is not one of int8"),
]


@pytest.mark.parametrize("ranges, more, message", WRONG)
def test_what_cannot_be_meant_is_refused(place, ranges, more, message):
    code, _, err = place("convert", ranges, more)
    assert code == ExitCode.ERROR and message in err, err


def test_a_switch_that_is_added_later_is_checked(place):
    assert place("convert", RANGES, "winograd: 0")[0] == ExitCode.OK
    assert place("convert", RANGES, "quantize: 1")[0] == ExitCode.ERROR


@pytest.mark.parametrize("more, message", [
    ("quantize: 0\nquantize_range_file: net.range", "no effect without quantize: 1"),
    (MORE + "\nquantize_schema: int8", "quantize_schema: no effect: quantized activations are"),
])
def test_keys_without_effect_are_told(place, more, message):
    code, _, err = place("convert", RANGES, more)
    assert code == ExitCode.OK and message in err, err
    assert bool(spans(place.net())) == ("quantize: 1" in more)
