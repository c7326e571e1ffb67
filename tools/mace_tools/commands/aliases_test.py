"""input_aliases and output_aliases: the names by which apps know inputs and outputs; and OIHW.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker
from mace_tools.support import protos
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing import onnx_file
from mace_tools.testing.onnx_file import node

X = np.random.default_rng(3).normal(size=(2, 3, 4, 5)).astype(np.float32)
Y = np.random.default_rng(4).normal(size=(2, 3, 4, 5)).astype(np.float32)


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    """Calls the command line on a model that computes p = x - y and, from it, q = -p."""
    monkeypatch.chdir(tmp_path)
    shape = (2, 3, 4, 5)
    onnx_file.model(tmp_path / "net.onnx", [node("Sub", "x y", "p"), node("Neg", "p", "q")],
                    {"x": shape, "y": shape}, ("p", "q"), {})
    m = Maker()
    m.placeholder("x", *shape)
    m.placeholder("y", *shape)
    m.node("p", "Sub", "x", "y")
    m.node("q", "Neg", "p")
    (tmp_path / "tf").mkdir()
    tensorflow = m.of_floats().save(tmp_path / "tf")
    for name, array in (("x", X), ("y", Y)):
        np.save(tmp_path / f"{name}.npy", array)

    def call(command: str, lines: str, *arguments: str, platform: str = "onnx",
             outputs: str = "[p, q]"):
        file = tmp_path / "net.onnx" if platform == "onnx" else tensorflow
        below = "".join(f"\n        {line}" for line in lines.split("; "))
        (tmp_path / "m.yml").write_text(f"""\
library_name: m
target_abis: [host]
models:
  m:
    platform: {platform}
    model_file_path: {file}
    model_sha256_checksum: {hashlib.sha256(file.read_bytes()).hexdigest()}
    runtime: cpu
    subgraphs:
      - input_tensors: [x, y]
        input_shapes: ['2,3,4,5', '2,3,4,5']
        output_tensors: {outputs}{below}
""")
        code = cli.main([command, "--config=m.yml", *arguments])
        out, err = capfd.readouterr()
        return code, out, " ".join(err.split())

    call.net = lambda: protos.mace().NetDef.FromString(
        (tmp_path / "build/m/model/m.pb").read_bytes())
    call.folder = tmp_path
    return call


ALIASES = [
    ("input_aliases: [a, b]; output_aliases: [c, d]", "a b", "c d"),
    ("input_aliases: [y, x]; output_aliases: [q, p]", "y x", "q p"),  # each other's names
    ("input_aliases: [p, q]; output_aliases: [x, y]", "p q", "x y"),
    ("output_aliases: [inner, q]", "x y", "inner q"),
]


@pytest.mark.parametrize("lines, inputs, outputs", ALIASES)
@pytest.mark.parametrize("platform", ["onnx", "tensorflow"])
def test_apps_know_tensors_by_their_aliases(place, platform, lines, inputs, outputs):
    first, second = inputs.split()
    code, out, err = place("run", lines, f"--input={first}=x.npy", f"--input={second}=y.npy",
                           "--output_dir=out", "--validate", platform=platform)
    assert code == ExitCode.OK, err
    net = place.net()
    assert [i.name for i in net.input_info] == [first, second]
    assert [o.name for o in net.output_info] == outputs.split()
    assert "Similarity Test Passed" in out
    for name, right in zip(outputs.split(), (X - Y, Y - X)):
        found = np.load(next((place.folder / "out").rglob(f"*{name}.npy")))
        np.testing.assert_array_equal(found, right)


def test_layers_are_compared_with_those_of_the_source(place):
    code, out, err = place("compare", ALIASES[0][0], "--layers", "--input=a=x.npy",
                           "--input=b=y.npy")
    assert code == ExitCode.OK, err


def test_ranges_and_shapes_go_by_position(place):
    code, _, err = place("run", "input_aliases: [a, b]; input_ranges: ['5,6', '-3,-2']; "
                         "output_aliases: [c, d]", "--output_dir=out")
    assert code == ExitCode.OK, err
    found = np.load(next((place.folder / "out").rglob("*c.npy")))
    assert found.min() >= 7 and found.max() <= 9


@pytest.mark.parametrize("lines, message", [
    ("input_aliases: [a]", "input_aliases: there are 1 for 2 input_tensors (x, y)"),
    ("input_aliases: [a, a]", "input_aliases: 'a' appears twice"),
    ("output_aliases: [c, d, e]", "output_aliases: there are 3 for 2 output_tensors (p, q)"),
    ("output_aliases: [x, d]", "output_aliases: 'x' is to be 'p', and it is 'x' in input_tensors"),
    ("input_aliases: [a, b]; output_aliases: [b, c]",
     "output_aliases: 'b' is to be 'p', and it is 'y' in input_tensors"),
    ("input_aliases: [a, z]; input_values: {z: 1}",
     "input_aliases: 'z' is to be 'y', and it is 'z' in the deployment file"),
])
def test_names_that_stand_for_two_tensors_are_refused(place, lines, message):
    code, _, err = place("convert", lines)
    assert code == ExitCode.ERROR and message in err, err


def test_oihw_is_the_order_of_the_source_where_filters_have_it(place):
    lines = "input_data_formats: [OIHW, OIHW]; output_data_formats: [OIHW, NONE]"
    code, _, err = place("convert", lines)
    assert code == ExitCode.OK, err
    net = place.net()
    assert [list(i.dims) for i in (*net.input_info, *net.output_info)] == [[2, 3, 4, 5]] * 4
    code, _, err = place("convert", lines, platform="tensorflow")
    assert code == ExitCode.ERROR
    assert "platform: tensorflow has filters in another order than OIHW" in err
    assert "example: input_data_formats: NONE" in err


def test_oihw_is_written_for_every_tensor_or_one(place):
    assert place("convert", "input_data_formats: OIHW")[0] == ExitCode.OK
