"""Extents that each run chooses: from the deployment file through the model file to the engine.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.support import protos
from mace_tools.testing.onnx_file import model, node

YML = """library_name: lib
target_abis: [host]
models:
  net:
    platform: onnx
    model_file_path: {file}
    model_sha256_checksum: {sum}
    runtime: cpu
    subgraphs:
      - input_tensors: [a, b]
        input_shapes: {shapes}
{more}        output_tensors: [y]
"""


@pytest.fixture
def net(tmp_path, capfd):
    """Writes a model of two inputs and its deployment file; returns a function that calls the
    converter on it: (exit code, stderr, report)."""
    rng = np.random.default_rng(3)
    constants = {"w": rng.normal(size=(4, 5)).astype("f"),
                 "s": np.array([0, -1, 5], np.int64)}
    nodes = [node("MatMul", "a w", "m"), node("MatMul", "b w", "n"), node("Add", "m n", "t"),
             node("Reshape", "t s", "y")]
    file = model(tmp_path / "net.onnx", nodes, {"a": ("batch", "rows", 4), "b": ("batch", 1, 4)},
                 ["y"], constants)

    def call(command, shapes, *arguments, most=""):
        config = tmp_path / "net.yml"
        config.write_text(YML.format(
            file=file, sum=hashlib.sha256(file.read_bytes()).hexdigest(), shapes=shapes,
            more=f"        max_shape: {most}\n" if most else ""))
        report = tmp_path / "report.json"
        report.unlink(missing_ok=True)
        code = cli.main([command, f"--config={config}", f"--output={tmp_path / 'build'}",
                         f"--json={report}", *arguments])
        err = capfd.readouterr().err
        return code, err, json.loads(report.read_text()) if report.is_file() else {}

    call.folder = tmp_path
    return call


def info(net):
    file = net.folder / "build" / "lib" / "model" / "net.pb"
    return protos.mace().NetDef.FromString(file.read_bytes()).input_info


def test_the_file_says_what_is_open(net):
    code, err, _ = net("convert", "['batch,rows,4', 'batch,1,4']", most="['8,16,4', '8,1,4']")
    assert code == 0, err
    a, b = info(net)
    assert list(a.dims) == [-1, -1, 4] and list(b.dims) == [-1, 1, 4]
    assert list(a.dim_names) == ["batch", "rows", ""] and list(b.dim_names) == ["batch", "", ""]
    assert list(a.max_dims) == [8, 16, 4] and list(b.max_dims) == [8, 1, 4]


@pytest.mark.parametrize("shapes", ["['batch,rows,4', 'batch,1,4']", "['-1,-1,4', '-1,1,4']"])
def test_runs_with_the_shapes_of_the_command_line(net, shapes):
    for n, rows in ((1, 1), (3, 7)):
        code, err, report = net("run", shapes, "--validate", f"--input_shape=a={n},{rows},4",
                                f"--input_shape=b={n},1,4")
        assert code == 0, err
        found = report["models"]["net"]
        assert found["validation"]["outputs"][0]["max_abs_error"] < 1e-5
    assert list(info(net)[0].max_dims) == []


def test_runs_with_the_largest_shapes_by_default(net, tmp_path):
    out = tmp_path / "out"
    code, err, _ = net("run", "['batch,rows,4', 'batch,1,4']", f"--output_dir={out}",
                       most="['8,16,4', '8,1,4']")
    assert code == 0, err
    assert np.load(out / "y.npy").shape == (8, 16, 5)
    code, err, _ = net("run", "['batch,rows,4', 'batch,1,4']", "--input_shape=a=9,16,4",
                       "--input_shape=b=9,1,4", most="['8,16,4', '8,1,4']")
    assert code != 0
    assert "dimension 0 ('batch') of input 'a' is 9" in err and "above the 8" in err


@pytest.mark.parametrize("shapes, most, message", [
    ("['batch,4,4', 'batch,1,4']", "['8,4,4', '7,1,4']",
     "limits 'batch' to 7, and another input to 8"),
    ("['batch,4,4', 'batch,1,4']", "['8,4,4']", "there are 1 for 2 input_tensors"),
    ("['batch,4,4', 'batch,1,4']", "['8,4,5', '8,1,4']",
     "has 5 for dimension 2, which input_shapes fixes at 4"),
    ("['batch,4,4', 'batch,1,4']", "['n,4,4', '8,1,4']", "must be 3 numbers"),
    ("['batch,4,4', 'batch,1,4']", "['8,4', '8,1,4']", "must be 3 numbers"),
    ("['2,4,4', '2,1,4']", "['8,4,4', '8,1,4']", "input_shapes has numbers only"),
    ("['0,4,4', '2,1,4']", "", "0,4,4 does not fit the model's input 'a'"),
    ("['-2,4,4', '2,1,4']", "", "-1 or a name where each run chooses"),
    ("['a b,4,4', '2,1,4']", "", "is not a shape"),
])
def test_what_a_deployment_file_may_not_say(net, shapes, most, message):
    code, err, _ = net("convert", shapes, most=most)
    assert code == 1 and message in " ".join(err.split()), err
    assert ".yml:" in err


@pytest.mark.parametrize("argument, message", [
    ("c=1,2,4", "has no such input"), ("a=1,4", "has 2 dimensions"),
    ("a=1,x,4", "is not NAME=8,224,224,3"), ("1,2,4", "is not NAME=8,224,224,3")])
def test_shapes_of_the_command_line_that_do_not_fit(net, argument, message):
    try:
        code, err, _ = net("run", "['batch,rows,4', 'batch,1,4']", f"--input_shape={argument}")
    except SystemExit as e:
        code, err = e.code, ""
    assert code != 0
    assert message in err or not err
